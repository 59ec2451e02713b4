#!/bin/sh
# usage: clean.sh [--force]
# Remove work/, unless there are edits in its trees; by --force even then.
# Downloads stay in cache/, packages in out/.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/packaging/lib.sh"

case $#:${1-} in
0:)
	for b in $(all_bases); do
		for t in "$work/$b" "$work/$b-stock" "$work/$b-sanitize"; do
			[ ! -e "$t" ] || ! edited "$t" >/dev/null ||
			    die "$t has edits: run ./build.sh refresh $b, move the tree away, or clean --force"
		done
	done ;;
1:--force) ;;
*) die "usage: clean [--force]" ;;
esac
[ -e "$work" ] || exit 0
# Parts of it may belong to root.
rm -rf --one-file-system "$work" 2>/dev/null ||
    as_root rm -rf --one-file-system "$work"
