#!/bin/sh
# Our packages over Debian 13's stock ones, in a root of that suite.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/keystroke.sh"

built_packages
made_root trixie-test
# In memory, which an isolated test has there.
isolate "$@"

# All that Debian's package builds came out, and it is ours.
dsc=$(echo "$packages"/*.dsc)
version=$(sed -n 's/^Version: //p' "$dsc" | head -n 1)
theirs=${version%+hush*}
for p in openssh-client openssh-server openssh-sftp-server openssh-tests \
    openssh-client-gssapi openssh-server-gssapi ssh ssh-askpass-gnome; do
	deb=$(echo "$packages/${p}_${version#*:}"_*.deb)
	if [ -e "$deb" ]; then
		is "$p" "$version" "$(dpkg-deb -f "$deb" Version)"
	else
		fail "$p: no such package"
	fi
done
ok "the build ran the package's own tests" \
    grep -q 'unit tests passed' "$packages"/*.build
# verify FILE: the files that a .dsc or .changes lists are there and intact.
verify() {
	cd "$packages"
	sed -n '/^Checksums-Sha256:/,/^[^ ]/s/^ \([0-9a-f]*\) [0-9]* /\1  /p' "$1" |
	    sha256sum --quiet -c
}
ok "the source package is complete" verify "$dsc"
ok "and all of .changes is there" verify "$(echo "$packages"/*.changes)"

root=/run/root
mkdir "$root"
tar -xf "$root_tar" --numeric-owner -C "$root"
mkdir "$root/hush"
cp "$packages"/*.deb "$root/hush/"
build_keystroke
cp "$keystroke" "$top/tests/lib/debian-13-inside.sh" \
    "$top/tests/lib/inside.sh" "$top/tests/lib/wait.sh" \
    "$top/tests/lib/keystroke.sh" "$root/hush/"
status=0
"$top/packaging/enter.sh" "$root" sh /hush/debian-13-inside.sh \
    "$version" "$theirs" >"$tmp/inside" 2>"$tmp/inside.err" </dev/null || status=$?
inside_results "$tmp/inside"
is "the test inside the root ran to its end" 0 "$status"
[ "$status" -eq 0 ] || diag_file "$tmp/inside.err"
done_testing
