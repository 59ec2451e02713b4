#!/bin/sh
# usage: tree.sh BASE|--from PATH[@COMMIT] [--stock | --sanitize]
# Unpack BASE below work/, push the whole series without fuzz, lay the overlay
# in, and print the path. A tree that is up to date is left as it is, edits
# included. One that is not is made anew, and the old one kept beside it as
# BASE.old; with edits in it that patches/ does not have, it is refused.
# --stock leaves the series and the overlay out; --sanitize is a second tree
# with them, for compile.sh. --from takes any source of upstream's, see from.sh,
# instead of that of a base; the tree is from-VERSION.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/packaging/lib.sh"
. "$top/packaging/debian-source.sh"
. "$top/packaging/from.sh"

unpack_debian() {
	dpkg-source --no-copy -x "$1" "$2"
	[ "${3-}" != stock ] || return 0
	cd "$2"
	add_series
}

make_tree() {
	case $kind in
	upstream) unpack_upstream "$source" "$tmp/tree" ${stock:+stock} ;;
	*) unpack_debian "$source" "$tmp/tree" ${stock:+stock} ;;
	esac
	cd "$tmp/tree"
	manifest >"$tmp/manifest"
	mv "$tmp/manifest" .hush-manifest
	echo "$stamp" >.hush-stamp
}

# replace: the new tree for the old one, which stays beside it: there may be
# files of someone's own in it.
replace() {
	if [ -e "$tree" ]; then
		if edited "$tree" >"$tmp/edited"; then
			sed 's/^/    /' "$tmp/edited" >&2
			if [ -z "$stock$from" ] && [ "$kind" = upstream ]; then
				die "$tree has edits that patches/ does not have: run ./build.sh refresh $base, or move the tree away"
			fi
			die "$tree has edits: move the tree away"
		fi
		rm -rf --one-file-system "$tree.old"
		mv "$tree" "$tree.old"
	fi
	mv "$tmp/tree" "$tree"
}

usage='usage: tree BASE|--from PATH[@COMMIT] [--stock | --sanitize]'
from=
if [ "${1-}" = --from ]; then
	from=${2:?$usage}
	shift
fi
stock=
case $#:${2-} in
1:|2:--sanitize) ;;
2:--stock) stock=1 ;;
*) die "$usage" ;;
esac
[ -n "$from" ] || base_fields "$1"
need quilt patch dpkg-dev xz-utils procps
scratch
if [ -n "$from" ]; then
	from_source "$from"
else
	source=$("$top/packaging/fetch.sh" "$base")
fi
tree=$work/$base${2:+-${2#--}}
if [ -n "$stock" ]; then
	stamp=$(sha256_of "$source")
else
	[ "$kind" = upstream ] || source_family "$source"
	stamp=$(tree_stamp "$source")
fi
if [ "$(cat "$tree/.hush-stamp" 2>/dev/null)" != "$stamp" ]; then
	name=$(basename "$tree")
	step "make the tree $name" "$work/log/tree-$name.log" make_tree
	replace
fi
echo "$tree"
