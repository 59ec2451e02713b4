#!/bin/sh
# usage: refresh.sh BASE
# Store what was edited in work/BASE with quilt back in patches/, in the form
# that "check" wants. Only patches that BASE is the first one to use are
# rewritten; the others would only change their line numbers, and are edited
# on the base that owns them. Fails, and loses nothing, if there are edits that
# no patch has: then the tree is not in line with patches/.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/packaging/lib.sh"

# Edits there are belong to the patch on top.
store_top() {
	current=$(hush_quilt "$family" top 2>/dev/null) || return 0
	current=${current#"$patches/"}
	if [ -n "$(hush_quilt "$family" diff -z)" ]; then
		[ "$(patch_owner "$current")" = "$base" ] ||
		    die "patches/$current is refreshed on $(patch_owner "$current"), not on $base; make the edit there"
		# shellcheck disable=SC2086 # a list
		hush_quilt "$family" refresh $refresh_options >&2
	fi
	hush_quilt "$family" pop -a -q >"$tmp/pop" 2>&1 || {
		sed 's/^/    /' "$tmp/pop" >&2
		die "an edit in $tree belongs to patches/$(hush_quilt "$family" top 2>/dev/null | sed "s,^$patches/,,"): quilt refresh it there (quilt pop -f would lose it)"
	}
}

refresh_all() {
	series_patches "$family" >"$tmp/series"
	while read -r p; do
		hush_quilt "$family" push -q --fuzz=0 >"$tmp/push" 2>&1 || {
			sed 's/^/    /' "$tmp/push" >&2
			die "patches/$p does not apply to $base; in $tree, push it with quilt -f, mend and refresh it"
		}
		if [ "$(patch_owner "$p")" = "$base" ]; then
			# shellcheck disable=SC2086 # a list
			hush_quilt "$family" refresh $refresh_options >"$tmp/refresh"
		fi
	done <"$tmp/series"
}

# The tree is in line if patches/ and overlay/ make the same one.
compare() {
	step "compare $base with patches/ and overlay/" \
	    "$work/log/refresh-$base.log" \
	    unpack_upstream "$source" "$tmp/fresh"
	(cd "$tmp/fresh" && manifest) >"$tmp/manifest"
	if ! (cd "$tree" && sha256sum --quiet -c "$tmp/manifest") \
	    >"$tmp/differs" 2>/dev/null; then
		sed 's/^/    /' "$tmp/differs" >&2
		die "these files of $tree have edits that are in no patch: quilt add them before editing; whole new files are edited in overlay/"
	fi
}

[ $# -eq 1 ] || die "usage: refresh BASE"
base_fields "$1"
[ "$kind" = upstream ] ||
    die "$base takes its patches from the upstream bases; edit and refresh there"
need quilt patch
tree=$work/$base
[ -e "$tree/.pc" ] || die "there is no tree $tree; run ./build.sh tree $base"
scratch
source=$("$top/packaging/fetch.sh" "$base")
cd "$tree"
store_top
refresh_all
compare
mv "$tmp/manifest" .hush-manifest
tree_stamp "$source" >.hush-stamp
note "patches/ is in line with $tree"
