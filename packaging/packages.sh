#!/bin/sh
# usage: packages.sh [TARGET]
# Build replacement packages of the suite's own openssh source package with
# the series and the overlay, in a clean root of that suite, and leave them in
# out/TARGET/: .deb, .udeb, .dsc with its files, .changes, .buildinfo, and the
# log of the build. What is there and up to date is not built again. Runs as root, or with sudo.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/packaging/lib.sh"
. "$top/packaging/debian-source.sh"

make_source() {
	dpkg-source --no-copy -x "$dsc" "$tmp/source"
	(cd "$tmp/source" && add_series)
	# The original tarball and its signature go into our source package.
	cp "$(dirname "$dsc")"/*.orig.tar.* "$tmp/"
	(cd "$tmp" && dpkg-source -b source)
}

build_in_root() {
	mkdir "$tmp/root"
	tar -xf "$root_tar" --numeric-owner -C "$tmp/root"
	mkdir "$tmp/root/home/build/b"
	cp "$tmp"/openssh_* "$tmp/root/home/build/b/"
	cat >"$tmp/root/home/build/run" <<-EOF_RUN
		#!/bin/sh
		set -eu
		cd /home/build/b
		chown -R build: .
		runuser -u build -- sh -ec '
			dpkg-source -x openssh_*+hush*.dsc source
			cd source
			DEB_BUILD_OPTIONS="parallel=$(nproc)" dpkg-buildpackage -us -uc -F -sa'
	EOF_RUN
	"$top/packaging/enter.sh" "$tmp/root" sh /home/build/run
	mkdir "$tmp/out"
	find "$tmp/root/home/build/b" -maxdepth 1 -type f \
	    -exec cp -t "$tmp/out" {} +
	chmod 644 "$tmp/out"/*
}

# As sbuild does, the log of the build goes with the packages.
keep_log() {
	changes=$(basename "$tmp/out"/*.changes .changes)
	cp "$work/log/build-$target.log" "$tmp/out/$changes.build"
}

# The new directory takes the place of the old one in one go.
publish() {
	echo "$stamp" >"$tmp/out/.stamp"
	[ -z "${SUDO_UID-}" ] || chown -R "$SUDO_UID:" "$tmp/out"
	mkdir -p "$out"
	if [ -e "$out/$target" ]; then
		mv "$out/$target" "$tmp/old"
	fi
	mv "$tmp/out" "$out/$target"
}

target=${1:-debian-13}
[ $# -le 1 ] || die "usage: packages [TARGET]"
carried_base "$target"
[ "$kind" = debian ] || die "$target is no target for packages; see ./build.sh list"
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null ||
	    die "making a root needs root; run as root or install sudo"
	exec sudo --preserve-env=OFFLINE,DEBIAN_MIRROR,DEBIAN_SECURITY_MIRROR "$0" "$@"
fi
need quilt patch dpkg-dev xz-utils
scratch
dsc=$("$top/packaging/fetch.sh" "$target")
stamp=$(inputs_hash "$dsc" "$0" "$top/packaging/lib.sh" \
    "$top/packaging/debian-source.sh" "$top/packaging/root.sh" \
    "$top/packaging/enter.sh")
if [ "$(cat "$out/$target/.stamp" 2>/dev/null)" != "$stamp" ]; then
	need iproute2
	step "make the source package" "$work/log/source-$target.log" make_source
	root_tar=$("$top/packaging/root.sh" "$pin-build")
	step "build the packages" "$work/log/build-$target.log" build_in_root
	keep_log
	publish
fi
note "the packages for $target are in $out/$target"
