#!/bin/sh
# usage: clean.sh
# Remove work/. Downloads stay in cache/, packages in out/.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/packaging/lib.sh"

[ $# -eq 0 ] || die "usage: clean"
[ -d "$work" ] || exit 0
# Parts of roots belong to root.
if ! rm -rf --one-file-system "$work" 2>/dev/null; then
	as_root rm -rf --one-file-system "$work"
fi
