#!/bin/sh
# usage: refresh.sh BASE
# Store what was edited in work/BASE with quilt back in patches/, in the form
# that "check" wants. Only patches that BASE is the first one to use are
# rewritten; the others would only change their line numbers, and are edited
# on the base that owns them.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/packaging/lib.sh"

[ $# -eq 1 ] || die "usage: refresh BASE"
carried_base "$1"
[ "$kind" = upstream ] ||
    die "$base takes its patches from the upstream bases; edit and refresh there"
need quilt patch
tree=$work/$base
[ -e "$tree/.pc" ] || die "there is no tree $tree; run ./build.sh tree $base"
scratch
cd "$tree"

# What edits there are belongs to the patch on top.
if current=$(hush_quilt "$family" top 2>/dev/null); then
	current=${current#"$patches/"}
	if [ -n "$(hush_quilt "$family" diff -z)" ]; then
		[ "$(patch_owner "$current")" = "$base" ] ||
		    die "patches/$current is refreshed on $(patch_owner "$current"), not on $base; make the edit there"
		# shellcheck disable=SC2086 # a list
		hush_quilt "$family" refresh $refresh_options >&2
	fi
	hush_quilt "$family" pop -a -q >/dev/null
fi
series_patches "$family" | while read -r p; do
	hush_quilt "$family" push -q --fuzz=0 >"$tmp/push" 2>&1 || {
		cat "$tmp/push" >&2
		die "patches/$p does not apply to $base; in $tree, push and refresh it with quilt"
	}
	if [ "$(patch_owner "$p")" = "$base" ]; then
		# shellcheck disable=SC2086 # a list
		hush_quilt "$family" refresh $refresh_options >"$tmp/refresh"
	fi
done
# The tree now is what patches/ says: a later "tree" need not make it anew.
find . -type f ! -path './.pc/*' ! -path './.hush-*' -print0 |
    sort -z | xargs -0 sha256sum >"$tmp/manifest"
mv "$tmp/manifest" .hush-manifest
tree_stamp "$("$top/packaging/fetch.sh" "$base")" >.hush-stamp
note "patches/ is in line with $tree"
