#!/bin/sh
# usage: tree.sh BASE [--stock]
# Unpack BASE below work/, push the whole series without fuzz, lay the overlay
# in, and print the path. A tree that is up to date is left as it is, edits
# included; one that is not is made anew, unless that would lose edits.
# --stock leaves the series and the overlay out.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/packaging/lib.sh"
. "$top/packaging/debian-source.sh"

# Edits are found by comparison with what was unpacked.
manifest() {
	find . -type f ! -path './.pc/*' ! -path './.hush-*' -print0 |
	    sort -z | xargs -0 sha256sum
}

edited() {
	[ -e "$tree/.hush-manifest" ] &&
	    ! (cd "$tree" && sha256sum --quiet -c .hush-manifest) >"$tmp/edited" 2>&1
}

unpack_upstream() {
	mkdir "$tmp/tree"
	tar -xzf "$source" -C "$tmp/tree" --strip-components=1
	cd "$tmp/tree"
	[ -z "$stock" ] || return 0
	hush_quilt "$family" push -a --fuzz=0
	cp -a "$top/overlay/." .
}

unpack_debian() {
	dpkg-source --no-copy -x "$source" "$tmp/tree"
	cd "$tmp/tree"
	[ -z "$stock" ] || return 0
	add_series
}

make_tree() {
	unpack_"$kind"
	cd "$tmp/tree"
	manifest >"$tmp/manifest"
	mv "$tmp/manifest" .hush-manifest
	echo "$stamp" >.hush-stamp
}

stock=
[ $# -ge 1 ] || die "usage: tree BASE [--stock]"
carried_base "$1"
if [ "${2-}" = --stock ]; then
	stock=-stock
elif [ $# -gt 1 ]; then
	die "usage: tree BASE [--stock]"
fi
need quilt patch dpkg-dev xz-utils
scratch
tree=$work/$base$stock
source=$("$top/packaging/fetch.sh" "$base")
if [ -n "$stock" ]; then
	stamp=$(sha256_of "$source")
else
	stamp=$(tree_stamp "$source")
fi
if [ "$(cat "$tree/.hush-stamp" 2>/dev/null)" != "$stamp" ]; then
	if edited; then
		die "$tree has edits that patches/ does not have (see $tree/.hush-manifest): run ./build.sh refresh $base, or remove the tree"
	fi
	step "make the tree $base$stock" "$work/log/tree-$base$stock.log" make_tree
	rm -rf --one-file-system "$tree"
	mv "$tmp/tree" "$tree"
fi
echo "$tree"
