#!/bin/sh
# The tool with which AdvertisePing steps aside for a stock sshd and comes back
# (packaging/debian/advertise-ping), in a root of Debian 13 with our packages.
# See lib/step-aside-inside.sh; tests/replace.t has the whole of it.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/tests/lib/tap.sh"

built_packages
made_root trixie-guest
# In memory, which an isolated test has there.
isolate "$@"

root=/run/root
mkdir "$root"
tar -xf "$root_tar" --numeric-owner -C "$root"
mkdir "$root/hush"
cp "$packages"/*.deb "$top/tests/lib/inside.sh" "$top/tests/lib/wait.sh" \
    "$top/tests/lib/step-aside-inside.sh" "$root/hush/"
status=0
"$top/packaging/enter.sh" "$root" bash /hush/step-aside-inside.sh \
    >"$tmp/inside" 2>"$tmp/inside.err" </dev/null || status=$?
inside_results "$tmp/inside"
is "the test inside the root ran to its end" 0 "$status"
[ "$status" -eq 0 ] || diag_file "$tmp/inside.err"
done_testing
