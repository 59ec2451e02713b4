#!/bin/sh
# piuparts: our packages install, upgrade from stock's, and are purged, and
# leave nothing behind.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/tests/lib/tap.sh"
. "$top/packaging/apt.sh"

packages=$out/debian-13
[ -e "$packages/.stamp" ] || skip_all "there are no packages in out/debian-13"
[ -z "${OFFLINE-}" ] || skip_all "OFFLINE: piuparts downloads what the packages depend on"
need piuparts mmdebstrap
mirrors
set -- "$packages"/openssh-client_*.deb "$packages"/openssh-server_*.deb \
    "$packages"/openssh-sftp-server_*.deb
TMPDIR=$tmp
export TMPDIR
if unshare --mount --pid --fork --kill-child --mount-proc \
    piuparts --distribution trixie --mirror "$debian_mirror main" \
    --extra-repo "deb $debian_mirror trixie-updates main" \
    --extra-repo "deb $security_mirror trixie-security main" \
    --bootstrapcmd 'mmdebstrap --mode=root --variant=minbase' \
    --keyring /usr/share/keyrings/debian-archive-keyring.gpg \
    --no-eatmydata --tmpdir "$tmp" --warn-on-leftovers-after-purge \
    "$@" >"$tmp/piuparts" 2>&1 </dev/null; then
	pass "install, upgrade from stock, purge"
else
	fail "install, upgrade from stock, purge"
	diag_file "$tmp/piuparts" 40
fi
done_testing
