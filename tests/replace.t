#!/bin/sh
# Our packages replace stock's and are replaced by them in every way there is,
# on a Debian 13 with its own systemd, while somebody logs in all the time
# (cases 23 to 28). See lib/replace-inside.sh.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/guest.sh"

packages=$out/debian-13
[ -e "$packages/.stamp" ] || skip_all "there are no packages in out/debian-13"
root_tar=$work/roots/trixie-guest.tar
[ -e "$root_tar" ] || skip_all "the root trixie-guest could not be made"
isolate "$@"

# In memory: dpkg asks for a sync of every file otherwise.
mkdir "$tmp/guests"
mount -t tmpfs tmpfs "$tmp/guests"
root=$tmp/guests/root
mkdir "$root"
tar -xf "$root_tar" --numeric-owner -C "$root"
mkdir "$root/hush" "$root/repo"
cp "$packages"/*.deb "$root/hush/"
for f in inside monitor replace-prepare replace-inside \
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
	cell=$tmp/guests/$name
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

# cells...: two at a time.
two() {
	for c; do
		# shellcheck disable=SC2086 # three words
		cell $c &
		[ $(($(jobs -p | wc -l) % 2)) -ne 0 ] || wait
	done
	wait
}

all="replace stock ssh.service none;replace stock ssh.socket none"
for setup in none drop-in main match include instance; do
	for service in ssh.service ssh.socket; do
		all="$all;replace ours $service $setup"
	done
done
for service in ssh.service ssh.socket; do
	all="$all;replace-interrupted $service"
done
[ -z "${HUSH_CELLS-}" ] || all=$HUSH_CELLS
IFS=';'
# shellcheck disable=SC2086 # a list
two $all
IFS='
'
for c in $(echo "$all" | tr ';' '\n'); do
	f=$tmp/$(echo "$c" | tr ' ' -)
	inside_results "$f"
	grep '^count' "$f" | sed "s/^count/# $c:/"
done
done_testing
