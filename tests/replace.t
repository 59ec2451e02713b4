#!/bin/sh
# Our packages replace stock's and are replaced by them in every way there is,
# on a Debian 13 with its own systemd, while somebody logs in all the time
# (cases 23 to 28). See lib/replace-inside.sh.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/guest.sh"

built_packages
made_root trixie-guest
isolate "$@"

# In memory, which an isolated test has there: dpkg syncs every file.
guests=/run/guests
root=$guests/root
mkdir -p "$root"
tar -xf "$root_tar" --numeric-owner -C "$root"
mkdir "$root/hush" "$root/repo"
cp "$packages"/*.deb "$root/hush/"
for f in inside wait monitor replace-prepare replace-inside \
    replace-interrupted-inside; do
	cp "$top/tests/lib/$f.sh" "$root/hush/"
done
ok "prepare the packages" "$top/packaging/enter.sh" "$root" \
    sh /hush/replace-prepare.sh

# cell SCRIPT ARGUMENT...: one guest in which SCRIPT runs, with its results in
# $tmp/SCRIPT-ARGUMENT...
cell() (
	trap - EXIT
	name=$(echo "$*" | tr ' ' -)
	cell=$guests/$name
	script=/hush/$1-inside.sh
	shift
	cp -a "$root" "$cell"
	if ! guest_boot "$cell" >"$tmp/$name"; then
		echo "fail $name: the guest does not boot" >>"$tmp/$name"
	elif guest "$script" "$@" >"$tmp/$name" 2>"$tmp/$name.err"; then
		echo "pass $name: ran to its end" >>"$tmp/$name"
	else
		echo "fail $name: ran to its end" >>"$tmp/$name"
		tail -n 5 "$tmp/$name.err" | sed 's/^/# /' >>"$tmp/$name"
	fi
	guest_off
	rm -rf "$cell"
)

# Each line is a cell: of each kind one, or all of the matrix by --full.
cells() {
	cat <<-EOF_CELLS
		replace stock ssh.service none
		replace stock ssh.socket none
		replace-interrupted ssh.service
		replace ours ssh.service drop-in
		replace ours ssh.service instance
		replace ours ssh.socket match
	EOF_CELLS
	only_full "replace: the rest of the matrix, and interrupted with ssh.socket" ||
	    return 0
	cat <<-EOF_CELLS
		replace-interrupted ssh.socket
		replace ours ssh.service none
		replace ours ssh.service main
		replace ours ssh.service include
		replace ours ssh.service match
		replace ours ssh.socket drop-in
		replace ours ssh.socket main
		replace ours ssh.socket include
		replace ours ssh.socket instance
		replace ours ssh.socket none
	EOF_CELLS
}

# Two at a time, on two cores.
${HUSH_CELLS-cells} >"$tmp/cells"
running=0
while read -r c; do
	# shellcheck disable=SC2086 # words
	cell $c &
	running=$((running + 1))
	[ $((running % 2)) -ne 0 ] || wait
done <"$tmp/cells"
wait
# counts FILE: "STEP;TRIES;FAILURES;LONGEST" for each step in it but those in which
# there is no server for a while, whoever does it.
counts() {
	sed -n 's/^count \(.*\) \([0-9]*\) \([0-9]*\) \([0-9]*\)$/\1;\2;\3;\4/p' "$1" |
	    grep -v -e '^remove;' -e '^purge;'
}

# A restart costs a login or two, with stock as with ours, and more on a busy
# machine. What would be wrong is much more than that: a server that does not come
# back, or not before all packages are configured.
compare() {
	stock=$(counts "$tmp/replace-stock-$1-none" |
	    awk -F';' '$3 > f { f = $3 } END { print f + 0 }')
	counts "$tmp/replace-ours-$1-$2" | while IFS=';' read -r step tries failures longest; do
		if [ "$failures" -le $((stock * 3 + 10)) ]; then
			echo "pass $1, $2, $step: not many more logins fail than with stock"
		else
			echo "fail $1, $2, $step: not many more logins fail than with stock"
			echo "# $failures of $tries, stock's most for a step is $stock; $longest ms without"
		fi
	done
}

sum() {
	for sum_f in "$tmp"/replace-"$1"-*; do
		# Not all that is there has any.
		counts "$sum_f" || :
	done | awk -F';' '{ n += $2; f += $3; s++; if ($4 > l) l = $4 }
	    END { printf "%d logins tried in %d steps, %d failed (%.1f a step), at most %d ms without one\n",
	    n, s, f, f / s, l }' 
}

while read -r c; do
	f=$tmp/$(echo "$c" | tr ' ' -)
	inside_results "$f"
	case $c in
	"replace ours "*)
		# shellcheck disable=SC2086 # words
		set -- $c
		if [ -e "$tmp/replace-stock-$3-none" ]; then
			compare "$3" "$4" >"$tmp/compared"
			inside_results "$tmp/compared"
		fi ;;
	esac
done <"$tmp/cells"
diag "between stock's versions: $(sum stock)"
diag "between stock and ours: $(sum ours)"
done_testing
