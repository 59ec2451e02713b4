#!/bin/sh
# piuparts: our packages install, upgrade from stock's, and are purged, and
# leave nothing behind.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/tests/lib/tap.sh"
. "$top/packaging/apt.sh"

built_packages
[ -z "${OFFLINE-}" ] || skip_all "OFFLINE: piuparts downloads what the packages depend on"
made_root trixie-base
need piuparts
mirrors
set -- "$packages"/openssh-client_*.deb "$packages"/openssh-server_*.deb \
    "$packages"/openssh-sftp-server_*.deb
# It takes no other kind.
gzip -1 <"$root_tar" >"$tmp/base.tgz"
if unshare --mount --pid --fork --kill-child --mount-proc \
    piuparts --distribution trixie --mirror "$debian_mirror main" \
    --basetgz "$tmp/base.tgz" \
    --keyring /usr/share/keyrings/debian-archive-keyring.gpg \
    --no-eatmydata --tmpdir "$tmp" --warn-on-leftovers-after-purge \
    "$@" >"$tmp/piuparts" 2>&1 </dev/null; then
	pass "install, upgrade from stock, purge"
else
	fail "install, upgrade from stock, purge"
	diag_file "$tmp/piuparts" 40
fi
done_testing
