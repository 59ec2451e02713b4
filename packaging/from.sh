# Sources that someone gives to "tree" and "compile" by --from.
# shellcheck shell=sh disable=SC2034,SC2154

# from_source PATH[@COMMIT]: set base, family, kind and source from an unpacked
# release, a release tarball, or a git checkout or bare repository, of which
# COMMIT (HEAD) is taken, not what lies in the checkout.
from_source() {
	path=$1 commit=HEAD
	if [ ! -e "$path" ]; then
		commit=${path##*@} path=${path%@*}
	fi
	source=$tmp/source.tar.gz
	if [ -f "$path" ]; then
		cp "$path" "$source"
	elif [ -e "$path/.git" ] || [ -e "$path/HEAD" ]; then
		git_archive "$path" "$commit" "$source" ||
		    die "$path has no commit $commit"
	elif [ -d "$path" ]; then
		tar -cf "$tmp/source.tar" --sort=name --transform='s,^\.,openssh,' \
		    -C "$path" . && gzip -n <"$tmp/source.tar" >"$source"
	else
		die "$1: no such release, tarball or git repository"
	fi
	tar -xzOf "$source" --wildcards '*/version.h' >"$tmp/version.h" 2>/dev/null ||
	    die "$path is not a source of portable OpenSSH: it has no version.h"
	version=$(sed -n 's/^#define[[:space:]]*SSH_[A-Z]*[[:space:]]*"\(OpenSSH_\)*\([0-9p.]*\)"$/\2/p' \
	    "$tmp/version.h" | tr -d '\n')
	[ ! -f "$path" ] || check_pin
	base=from-$version kind=upstream
	family_of_version
}

# check_pin: a tarball has to be the release that it says it is, where that is
# pinned. (That of 10.0p1 says 10.0p2: it is known by its checksum.)
check_pin() {
	sum=$(sha256_of "$path")
	if awk -v s="$sum" '$5 == s { f = 1 } END { exit !f }' "$top/packaging/bases"; then
		return
	fi
	pin=$(awk -v b="$version" '$1 == b { print $5 }' "$top/packaging/bases")
	[ -z "$pin" ] ||
	    die "$path is not openssh-$version: its sha256 is $sum, pinned is $pin"
	note "$path: no pin is known for $version; nothing vouches for it"
}

# family_of_version: set family to that of $version, or stop.
family_of_version() {
	family=$(family_of "$version")
	[ -n "$family" ] ||
	    die "$path is OpenSSH $version, for which there is no series"
	all_bases | grep -qxF "$version" ||
	    note "OpenSSH $version is not in packaging/bases; taking the series of $family"
}
