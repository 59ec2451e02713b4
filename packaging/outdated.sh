#!/bin/sh
# usage: outdated.sh [TARGET]
# Compare what the suite of each target offers today with what out/ holds and,
# where our packages have been installed, with what this system runs. Prints a
# line for each. Exits 1 if one of ours is behind, 0 if none is, 2 if that
# cannot be told.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/packaging/lib.sh"
. "$top/packaging/apt.sh"

# compare WHAT OURS ADVICE: OURS, a version of ours, with what is offered.
compare() {
	if dpkg --compare-versions "${2%+hush*}" lt "$offered"; then
		echo "$target: $1 has $2, BEHIND $offered: $3"
		behind=1
	elif dpkg --compare-versions "${2##*+hush}" lt "$hush_revision"; then
		echo "$target: $1 has $2, BEHIND revision $hush_revision of the series: $3"
		behind=1
	else
		echo "$target: $1 has $2, as new as $offered"
	fi
}

in_out() {
	set -- "$out/$target"/*.dsc
	if [ ! -e "$1" ]; then
		echo "$target: out/$target has no packages yet"
		return
	fi
	compare "out/$target" "$(sed -n 's/^Version: //p' "$1" | head -n 1)" \
	    "run ./build.sh packages $target"
}

# A stock sshd took our place if lines with the directive are put aside.
in_system() {
	is_version=$(dpkg-query -W -f '${Version}' openssh-server 2>/dev/null) ||
	    return 0
	case $is_version in
	*+hush*)
		compare "this system" "$is_version" "install the packages of out/$target" ;;
	*)
		grep -rqs '^#openssh-hush:' /etc/ssh || return 0
		echo "$target: this system has $is_version, a stock one that TOOK OVER, with AdvertisePing off: install the packages of out/$target"
		behind=1 ;;
	esac
}

# Runs apart, so that whatever fails can be told from being behind.
one_target() {
	base_fields "$target"
	need debian-archive-keyring dpkg-dev
	apt_root "$pin"
	newest_source openssh >"$tmp/offered"
	[ -s "$tmp/offered" ] || die "$pin has no openssh source"
}

[ $# -le 1 ] || die "usage: outdated [TARGET]" 2
[ -z "${OFFLINE-}" ] || die "OFFLINE: what is offered today cannot be told" 2
[ $# -eq 0 ] || debian_target "$1" 2
targets=${1-$(debian_targets)}
scratch
behind=0
for target in $targets; do
	(trap - EXIT; one_target) ||
	    die "whether $target is outdated cannot be told" 2
	offered=$(cat "$tmp/offered")
	in_out
	in_system
done
exit "$behind"
