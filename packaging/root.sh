#!/bin/sh
# usage: root.sh NAME
# Make the root file system NAME with mmdebstrap as work/roots/NAME.tar, unless
# it is there and its suite has not changed since, and print the path:
#   trixie-build  what a build of the suite's openssh needs
#   trixie-test   the suite's own openssh, installed, no service started
#   SUITE-client  SSH clients of the suite and what one needs to compile more; of
#                 backports just its openssh-client, over the suite it is for
# Runs as root.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/packaging/lib.sh"
. "$top/packaging/apt.sh"

# Packages must not start services while a root is made, or when it is used.
deny_services='printf "#!/bin/sh\nexit 101\n" >"$1/usr/sbin/policy-rc.d" &&
    chmod 755 "$1/usr/sbin/policy-rc.d"'

make_root() {
	{ apt_sources deb "$suite"; apt_sources deb-src "$suite"; } >"$tmp/sources"
	# In namespaces of its own, its mounts are gone whatever ends it.
	in_namespaces="unshare --mount --pid --fork --kill-child --mount-proc"
	TMPDIR=$tmp
	export TMPDIR
	# shellcheck disable=SC2086 # a list
	case $name in
	*-build)
		$in_namespaces mmdebstrap --mode=root --variant=buildd \
		    --essential-hook="$deny_services" \
		    --customize-hook='chroot "$1" apt-get update' \
		    --customize-hook='chroot "$1" apt-get build-dep -y --no-install-recommends openssh' \
		    --customize-hook='chroot "$1" useradd -m build' \
		    "$suite" "$tmp/root.tar" "$tmp/sources" ;;
	*-test)
		$in_namespaces mmdebstrap --mode=root --variant=minbase \
		    --include=openssh-server,openssh-client,procps,tcpdump,systemd \
		    --essential-hook="$deny_services" \
		    "$suite" "$tmp/root.tar" "$tmp/sources" ;;
	*-backports-client)
		apt_sources deb "${suite%-backports}" >>"$tmp/sources"
		$in_namespaces mmdebstrap --mode=root --variant=minbase \
		    --essential-hook="$deny_services" \
		    --customize-hook="chroot \"\$1\" apt-get install -y --no-install-recommends openssh-client/$suite" \
		    "${suite%-backports}" "$tmp/root.tar" "$tmp/sources" ;;
	*-client)
		# Nothing of it is built into anything, so an old mirror of a
		# suite that moves every day will do.
		$in_namespaces mmdebstrap --mode=root --variant=minbase \
		    --aptopt='Acquire::Check-Valid-Until "false"' \
		    --include=openssh-client,putty-tools,dropbear-bin,python3-paramiko,python3-asyncssh,python3-twisted,gcc,libc6-dev,libssh-dev,libssh2-1-dev \
		    --essential-hook="$deny_services" \
		    "$suite" "$tmp/root.tar" "$tmp/sources" ;;
	*)
		echo "no such root: $name" >&2
		return 1 ;;
	esac
}

[ $# -eq 1 ] || die "usage: root.sh NAME"
name=$1
suite=${name%-*}
tar=$work/roots/$name.tar
if [ -n "${OFFLINE-}" ]; then
	[ -e "$tar" ] ||
	    die "OFFLINE: $tar is missing; run ./build.sh packages once while online"
	echo "$tar"
	exit 0
fi
need mmdebstrap debian-archive-keyring
scratch
apt_root "$suite"
unset APT_CONFIG
key=$(cat "$work/apt/$suite/lists/"*InRelease "$0" | sha256sum | cut -d' ' -f1)
if [ "$(cat "$tar.key" 2>/dev/null)" != "$key" ] || [ ! -e "$tar" ]; then
	mkdir -p "$work/roots"
	step "make the root $name" "$work/log/root-$name.log" make_root
	rm -f "$tar.key"
	mv "$tmp/root.tar" "$tar"
	echo "$key" >"$tar.key"
fi
echo "$tar"
