#!/bin/sh
# usage: packages.sh [TARGET]
#        packages.sh --dsc FILE.dsc [--suite SUITE]
# Build replacement packages of the suite's own openssh source package, or of the
# one that FILE.dsc describes, with the series and the overlay, in a clean root of
# that suite, and leave them in out/TARGET/, or out/FILE/: .deb, .udeb, .dsc with its
# files, .changes, .buildinfo, and the log of the build. What is there and up to date
# is not built again. Runs as root, or with sudo.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/packaging/lib.sh"
. "$top/packaging/debian-source.sh"

usage='usage: packages [TARGET] | packages --dsc FILE.dsc [--suite SUITE]'

make_source() {
	dpkg-source --no-copy -x "$dsc" "$tmp/source"
	(cd "$tmp/source" && add_series)
	# The original tarball and its signature go into our source package.
	upstream=$(basename "$dsc" .dsc)
	cp "$(dirname "$dsc")/${upstream%%-*}".orig.tar.* "$tmp/"
	(cd "$tmp" && dpkg-source -b source)
}

build() {
	"$top/packaging/build-binary.sh" "$tmp"/openssh_*+hush*.dsc "$root_tar" \
	    "$tmp/out"
}

# As sbuild does, the log of the build goes with the packages.
keep_log() {
	changes=$(basename "$tmp/out"/*.changes .changes)
	cp "$work/log/build-$target.log" "$tmp/out/$changes.build"
}

# up_to_date: made from the same, and all of it is there.
up_to_date() {
	[ "$(cat "$out/$target/.stamp" 2>/dev/null)" = "$stamp" ] || return 1
	listed_files "$out/$target"/*.changes >"$tmp/files" 2>/dev/null
	[ -s "$tmp/files" ] || return 1
	while read -r f; do
		[ -e "$out/$target/$f" ] || return 1
	done <"$tmp/files"
}

# given_source FILE [SUITE]: set target, dsc, family and suite, without SUITE to that
# of the default target.
given_source() {
	case $1 in
	*.dsc) [ -r "$1" ] || die "cannot read $1" ;;
	*) die "not a .dsc file: $1" ;;
	esac
	[ "$(sed -n 's/^Source: //p' "$1" | head -n 1)" = openssh ] ||
	    die "$1 does not describe a source package of openssh"
	dsc=$(readlink -f "$1")
	target=$(basename "$1" .dsc)
	family=-
	suite=${2-$(base_fields "$(default_target)"; echo "$pin")}
}

case $#:${1-} in
0:*|1:[!-]*|1:)
	target=${1-$(default_target)}
	is_target "$target"
	base_fields "$target"
	dsc=
	suite=$pin ;;
2:--dsc) given_source "$2" ;;
4:--dsc)
	[ "$3" = --suite ] || die "$usage"
	given_source "$2" "$4" ;;
*) die "$usage" ;;
esac
become_root "$@"
need quilt patch dpkg-dev xz-utils procps
scratch
recover "$out/$target"
[ -n "$dsc" ] || dsc=$("$top/packaging/fetch.sh" "$target")
source_family "$dsc"
stamp=$suite-$(inputs_hash "$dsc" "$0" "$top/packaging/lib.sh" \
    "$top/packaging/debian-source.sh" "$top/packaging/build-binary.sh" \
    "$top/packaging/enter.sh" "$top"/packaging/debian/*)
if ! up_to_date; then
	step "make the source package" "$work/log/source-$target.log" make_source
	root_tar=$("$top/packaging/root.sh" "$suite-build")
	step "build the packages" "$work/log/build-$target.log" build
	keep_log
	echo "$stamp" >"$tmp/out/.stamp"
	publish "$tmp/out" "$out/$target"
fi
note "the packages for $target are in $out/$target"
