#!/bin/sh
# usage: fetch.sh BASE
# Bring the source of BASE into cache/, verified, and print its path: the
# tarball of an upstream base, the .dsc of a debian one. Exits 3 if it cannot
# be had, 1 if it is not what the pin says, or on any other error.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/packaging/lib.sh"
. "$top/packaging/apt.sh"

upstream_site=https://cdn.openbsd.org/pub/OpenBSD/OpenSSH/portable
signing_key=7168B983815A5EEF59A4ADFD2A3F414E736060BA

# right_pin FILE: whether FILE has the pinned checksum; sets sum.
right_pin() {
	sum=$(sha256_of "$1")
	[ "$sum" = "$pin" ]
}

# verify_signature TARBALL: by upstream's key, where both are at hand.
verify_signature() {
	if [ ! -e "$1.asc" ] || [ ! -e "$cache/signing-key.asc" ]; then
		note "$(basename "$1"): no signature or key at hand; the pinned sha256 matches"
		return 0
	fi
	need gpg gpgv
	gpg --batch --dearmor <"$cache/signing-key.asc" >"$tmp/key.gpg" 2>/dev/null ||
	    die "cache/signing-key.asc is damaged; remove it"
	gpg --batch --no-default-keyring --keyring "$tmp/key.gpg" \
	    --homedir "$tmp" --with-colons --fingerprint 2>/dev/null |
	    grep -q "^fpr:.*:$signing_key:$" ||
	    die "cache/signing-key.asc is not upstream's key $signing_key; remove it"
	gpgv --keyring "$tmp/key.gpg" "$1.asc" "$1" 2>"$tmp/gpgv" || {
		cat "$tmp/gpgv" >&2
		die "$1 has a bad signature; remove it and $1.asc to fetch them again"
	}
}

# Each of these leaves $tmp/got, with its signature in $tmp/got.asc where there
# is one, or fails. None is trusted.
from_upstream() {
	curl -fsSL --connect-timeout 10 --retry 2 -o "$tmp/got" \
	    "$upstream_site/$tarball" || return 1
	curl -fsSL --connect-timeout 10 -o "$tmp/got.asc" \
	    "$upstream_site/$tarball.asc" || rm -f "$tmp/got.asc"
}

from_debian() (
	suite=$1
	apt_root "$suite" pinned
	version=$(newest_source openssh "1:$base-")
	[ -n "$version" ] || return 1
	cd "$tmp"
	apt-get source --download-only --tar-only "openssh=$version" &&
	    mv "openssh_$base.orig.tar.gz" got
)

# get_tarball: the first source that has the right one.
get_tarball() {
	rejected=
	for from in from_upstream "from_debian trixie" \
	    "from_debian trixie-backports" "from_debian sid"; do
		rm -f "$tmp/got" "$tmp/got.asc"
		note "fetch openssh-$base from ${from#from_}"
		$from >>"$work/log/fetch-$base.log" 2>&1 || continue
		if right_pin "$tmp/got"; then
			return 0
		fi
		rejected="; what ${from#from_} gave has the sha256 $sum, pinned is $pin"
		note "not openssh-$base${rejected#;}"
	done
	die "openssh-$base cannot be had from upstream, nor from Debian$rejected" \
	    "$unavailable"
}

# given_tag: the release's tag in the git repository HUSH_SOURCES, if it is one.
given_tag() {
	tag=V_$(echo "$base" | sed 's/\./_/; s/p/_P/')
	git -C "$HUSH_SOURCES" -c safe.directory='*' rev-parse -q --verify \
	    "$tag^{commit}" >/dev/null 2>&1
}

fetch_upstream() {
	tarball=openssh-$base.tar.gz
	path=$cache/$tarball
	if [ ! -e "$path" ] && [ -e "${HUSH_SOURCES:-/nowhere}/$tarball" ]; then
		path=$HUSH_SOURCES/$tarball
	elif [ ! -e "$path" ] && [ "$state" != carried ] &&
	    [ -n "${HUSH_SOURCES-}" ] && given_tag; then
		# No pin can be had for it: for trying, not for packages.
		git_archive "$HUSH_SOURCES" "$tag" "$tmp/got"
		mv "$tmp/got" "$cache/openssh-$base.git.tar.gz"
		echo "$cache/openssh-$base.git.tar.gz"
		return
	fi
	if [ ! -e "$path" ]; then
		[ -z "${OFFLINE-}" ] ||
		    die "OFFLINE: $path is missing; run ./build.sh tree $base once while online" \
		    "$unavailable"
		need curl dpkg-dev
		get_tarball
		if [ -e "$tmp/got.asc" ]; then
			mv "$tmp/got.asc" "$path.asc"
		fi
		mv "$tmp/got" "$path"
	fi
	right_pin "$path" ||
	    die "$path is not openssh-$base: its sha256 is $sum, pinned is $pin; remove it to fetch it again"
	verify_signature "$path"
	echo "$path"
}

# The signature and upstream's key travel in Debian's source package.
keep_signature() {
	version=$(basename "$1" .dsc)
	orig=${version%%-*}.orig.tar.gz
	up=${orig#openssh_}
	up=$cache/openssh-${up%.orig.tar.gz}.tar.gz
	if [ -e "$cache/$base/$orig.asc" ]; then
		cp "$cache/$base/$orig.asc" "$tmp/asc"
		mv "$tmp/asc" "$up.asc"
	fi
	if tar -xOf "$cache/$base/$version.debian.tar.xz" \
	    debian/upstream/signing-key.asc >"$tmp/key.asc" 2>/dev/null; then
		mv "$tmp/key.asc" "$cache/signing-key.asc"
	fi
}

newest_cached() {
	nc=
	for f in "$cache/$base"/openssh_*.dsc; do
		[ -e "$f" ] || continue
		v=$(sed -n 's/^Version: //p' "$f" | head -n 1)
		if [ -z "$nc" ] || dpkg --compare-versions "$v" gt "$nc"; then
			nc=$v
		fi
	done
	echo "$nc"
}

fetch_debian() {
	if [ -n "${OFFLINE-}" ]; then
		version=$(newest_cached)
		[ -n "$version" ] ||
		    die "OFFLINE: no openssh source of $pin in cache/$base; run ./build.sh tree $base once while online" \
		    "$unavailable"
	else
		mkdir -p "$cache/$base"
		need dpkg-dev xz-utils
		apt_root "$pin"
		version=$(newest_source openssh)
		[ -n "$version" ] || die "$pin has no openssh source"
		# apt checks the files against the suite's signed lists.
		step "fetch openssh $version" "$work/log/fetch-$base.log" \
		    download_source "$version"
	fi
	dsc=$cache/$base/openssh_${version#*:}.dsc
	(cd "$cache/$base" && sha256sum --quiet -c "$dsc.sha256") >&2 ||
	    die "cache/$base is not what was downloaded; remove it to fetch it again"
	keep_signature "$dsc"
	echo "$dsc"
}

download_source() {
	dsc_name=openssh_${1#*:}.dsc
	cd "$cache/$base"
	apt-get source --download-only "openssh=$1"
	{ echo "$dsc_name"; listed_files "$dsc_name"; } |
	    xargs sha256sum >"$tmp/sums"
	mv "$tmp/sums" "$dsc_name.sha256"
}

[ $# -eq 1 ] || die "usage: fetch.sh BASE"
base_fields "$1"
scratch
mkdir -p "$cache"
case $kind in
upstream) fetch_upstream ;;
*) fetch_debian ;;
esac
