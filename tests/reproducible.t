#!/bin/sh
# The same source gives the same packages, byte for byte: built once more, from
# the source package alone, in another directory, at another time, without
# running the unit tests.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/tests/lib/tap.sh"

built_packages
made_root trixie-build
ok "build them again" "$top/packaging/build-binary.sh" "$packages"/*.dsc \
    "$root_tar" "$tmp/again" some/where/else nocheck
for d in "$packages"/*.deb "$packages"/*.udeb; do
	name=$(basename "$d")
	is "${name%%_*}" "$(sha256_of "$d")" "$(sha256_of "$tmp/again/$name")"
done
done_testing
