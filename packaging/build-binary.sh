#!/bin/sh
# usage: build-binary.sh DSC ROOT-TAR DIRECTORY [BUILD-DIRECTORY [OPTIONS]]
# Build the source package DSC in a fresh copy of the root ROOT-TAR (see
# root.sh), as a user without rights and without network, and leave all that
# comes out, with the source, in DIRECTORY, which must not exist yet. Inside it
# is built in BUILD-DIRECTORY below /home/build (default: b), with OPTIONS
# added to DEB_BUILD_OPTIONS. The log of the build goes to standard output.
# Runs as root.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/packaging/lib.sh"

[ $# -ge 3 ] || die "usage: build-binary.sh DSC ROOT-TAR DIRECTORY [BUILD-DIRECTORY [OPTIONS]]"
dsc=$1
root_tar=$2
result=$3
place=/home/build/${4-b}
options="parallel=$(nproc) ${5-}"
need iproute2 mount
own_mounts "$@"
scratch
in_memory "$tmp/root"
tar -xf "$root_tar" --numeric-owner -C "$tmp/root"
mkdir -p "$tmp/root$place"
cp "$dsc" "$tmp/root$place/"
listed_files "$dsc" | while read -r f; do
	cp "$(dirname "$dsc")/$f" "$tmp/root$place/"
done
cat >"$tmp/root/build" <<EOF_BUILD
#!/bin/sh
set -eu
cd "$place"
chown -R build: /home/build
runuser -u build -- sh -ec '
	dpkg-source -x *.dsc source
	cd source
	DEB_BUILD_OPTIONS="$options" dpkg-buildpackage -us -uc -F -sa'
EOF_BUILD
supervise "$top/packaging/enter.sh" "$tmp/root" sh /build
mkdir "$tmp/result"
find "$tmp/root$place" -maxdepth 1 -type f -exec cp -t "$tmp/result" {} +
chmod 644 "$tmp/result"/*
mv "$tmp/result" "$result"
