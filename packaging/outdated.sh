#!/bin/sh
# usage: outdated.sh [--rebuild [--key ID]] [TARGET]
# Compare what the suite of TARGET (without it, of each that is in out/, and of the
# default) offers today with what out/ holds and, where our packages have been
# installed, with what this system runs. Prints a line for each. Exits 1 if one of
# ours is behind, 0 if none is, 2 if that cannot be told.
# With --rebuild, what is behind or missing in out/ is built, tested, and only then put
# into out/, and into the repository if there is one (signed by ID, see repo.sh).
# Exits 2 as well if that fails: out/ is then as it was.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/packaging/lib.sh"
. "$top/packaging/apt.sh"

# compare WHAT OURS ADVICE: OURS, a version of ours, with what is offered. Fails if
# it is behind.
compare() {
	if dpkg --compare-versions "${2%+hush*}" lt "$offered"; then
		echo "$target: $1 has $2, BEHIND $offered: $3"
		return 1
	elif dpkg --compare-versions "${2##*+hush}" lt "$hush_revision"; then
		echo "$target: $1 has $2, BEHIND revision $hush_revision of the series: $3"
		return 1
	fi
	echo "$target: $1 has $2, as new as $offered"
}

# in_out: sets state to new, behind or missing.
in_out() {
	set -- "$out/$target"/*.dsc
	state=new
	if [ ! -e "$1" ]; then
		echo "$target: out/$target has no packages yet"
		state=missing
	elif ! compare "out/$target" \
	    "$(sed -n 's/^Version: //p' "$1" | head -n 1)" \
	    "run ./build.sh packages $target"; then
		state=behind
	fi
}

# rebuild: $target, apart; it takes its place in out/ when the tests of these
# packages have passed.
rebuild() {
	base_fields "$target"
	signed=$out/repo/dists/$pin-hush
	if [ -e "$signed" ] && [ -z "$key" ] && [ ! -e "$top/key" ]; then
		die "out/repo is signed with a key of yours: name it with --key"
	fi
	HUSH_OUT=$tmp/out "$top/packaging/packages.sh" "$target" >&2
	case $target in
	debian-13)
		HUSH_OUT=$tmp/out "$top/tests/run.sh" debian-13 step-aside >&2 ;;
	*) note "$target: nothing but the tests of its own build has run" ;;
	esac
	recover "$out/$target"
	publish "$tmp/out/$target" "$out/$target"
	[ ! -e "$signed" ] ||
	    "$top/packaging/repo.sh" "$target" ${key:+--key "$key"} >&2
}

# A stock sshd took our place if lines with the directive are put aside.
in_system() {
	is_version=$(dpkg-query -W -f '${Version}' openssh-server 2>/dev/null) ||
	    return 0
	case $is_version in
	*+hush*)
		compare "this system" "$is_version" "install the packages of out/$target" ||
		    behind=1 ;;
	*)
		grep -rqs '^#openssh-hush:' /etc/ssh || return 0
		echo "$target: this system has $is_version, a stock one that TOOK OVER, with AdvertisePing off: install the packages of out/$target"
		behind=1 ;;
	esac
}

# built: the targets in out/.
built() {
	targets | while read -r b; do
		! ls "$out/$b"/*.dsc >/dev/null 2>&1 || echo "$b"
	done
}

# Runs apart, so that whatever fails can be told from being behind.
one_target() {
	base_fields "$target"
	need dpkg-dev
	apt_root "$pin"
	newest_source openssh >"$tmp/offered"
	[ -s "$tmp/offered" ] || die "$pin has no openssh source"
}

usage='usage: outdated [--rebuild [--key ID]] [TARGET]'
given=$*
rebuild=
key=
only=
while [ $# -gt 0 ]; do
	case ${only:+more-than-one}$1 in
	--rebuild) rebuild=1 ;;
	--key)
		key=${2-}
		[ -n "$key" ] || die "$usage" 2
		shift ;;
	-*|more-than-one*) die "$usage" 2 ;;
	*)
		is_target "$1" 2
		only=$1 ;;
	esac
	shift
done
[ -z "$key" ] || [ -n "$rebuild" ] || die "$usage" 2
[ -z "${OFFLINE-}" ] || die "OFFLINE: what is offered today cannot be told" 2
# shellcheck disable=SC2086 # words
[ -z "$rebuild" ] || become_root $given
scratch
behind=0
for target in ${only:-$({ built; default_target; } | sort -u)}; do
	(trap - EXIT; one_target) ||
	    die "whether $target is outdated cannot be told" 2
	offered=$(cat "$tmp/offered")
	in_out
	if [ -n "$rebuild" ] && [ "$state" != new ]; then
		# Not in an "||": set -e would not hold inside.
		set +e
		(trap - EXIT; set -e; rebuild)
		rebuilt=$?
		set -e
		[ "$rebuilt" -eq 0 ] ||
		    die "$target could not be rebuilt; out/$target is as it was" 2
		echo "$target: out/$target has been rebuilt"
	elif [ "$state" = behind ]; then
		behind=1
	fi
	in_system
done
exit "$behind"
