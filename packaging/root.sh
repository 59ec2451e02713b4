#!/bin/sh
# usage: root.sh NAME
# Make the root file system NAME with mmdebstrap as work/roots/NAME.tar, unless
# it is there and neither its suite nor its recipe has changed since, and print
# the path:
#   SUITE-base    nothing but the least that apt needs
#   SUITE-build   what a build of the suite's openssh needs
#   SUITE-test    the suite's own openssh, installed, no service started
#   SUITE-guest   the same, to be booted: with the suite's own systemd, what
#                 upgrades a Debian system by itself, and the .deb files of
#                 its openssh in /stock
#   SUITE-client  SSH clients of the suite and what one needs to compile more; of
#                 backports just its openssh-client, over the suite it is for
#   SUITE-qa      lintian, and all of the suite's openssh, source too, in /stock
#   SUITE-autopkgtest
#                 what the autopkgtests of the suite's openssh need, to be booted
# Runs as root.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/packaging/lib.sh"
. "$top/packaging/apt.sh"

# Packages must not start services while a root is made, or when it is used.
deny_services='printf "#!/bin/sh\nexit 101\n" >"$1/usr/sbin/policy-rc.d" &&
    chmod 755 "$1/usr/sbin/policy-rc.d"'
all_binaries="openssh-client openssh-server openssh-sftp-server openssh-tests \
openssh-client-gssapi openssh-server-gssapi ssh ssh-askpass-gnome"

# in_stock COMMAND: a hook that runs it in /stock.
in_stock() {
	# shellcheck disable=SC2016 # for mmdebstrap
	echo 'mkdir -p "$1/stock" && chroot "$1" sh -ec "cd /stock; '"$1"'"'
}

# with_recipe COMMAND...: COMMAND with mmdebstrap's options for $name.
# shellcheck disable=SC2016 # for mmdebstrap
with_recipe() {
	set -- "$@" --mode=root --essential-hook="$deny_services"
	case $name in
	*-base)
		set -- "$@" --variant=minbase ;;
	*-build)
		set -- "$@" --variant=buildd \
		    --customize-hook='chroot "$1" apt-get update' \
		    --customize-hook='chroot "$1" apt-get build-dep -y --no-install-recommends openssh' \
		    --customize-hook='chroot "$1" useradd -m build' ;;
	*-test)
		set -- "$@" --variant=minbase \
		    --include=openssh-server,openssh-client,procps,tcpdump,systemd ;;
	*-guest)
		set -- "$@" --variant=minbase \
		    --include=openssh-server,openssh-client,systemd-sysv,dbus,procps,iproute2,unattended-upgrades,apt-utils,e2fsprogs \
		    --customize-hook="$(in_stock 'apt-get download openssh-server openssh-client openssh-sftp-server')" ;;
	*-backports-client)
		set -- "$@" --variant=minbase \
		    --customize-hook="chroot \"\$1\" apt-get install -y --no-install-recommends openssh-client/$suite" ;;
	*-client)
		# Nothing of it is built into anything, so an old mirror of a
		# suite that moves every day will do.
		set -- "$@" --variant=minbase \
		    --aptopt='Acquire::Check-Valid-Until "false"' \
		    --include=openssh-client,putty-tools,dropbear-bin,python3-paramiko,python3-asyncssh,python3-twisted,gcc,libc6-dev,libssh-dev,libssh2-1-dev ;;
	*-qa)
		set -- "$@" --variant=minbase --include=lintian,dpkg-dev \
		    --customize-hook="$(in_stock "apt-get update; apt-get download $all_binaries; apt-get source --download-only --only-source openssh")" ;;
	*-autopkgtest)
		set -- "$@" --variant=minbase \
		    --include=systemd-sysv,dbus,procps,iproute2,autopkgtest,build-essential,openssh-server,openssh-tests,openssh-server-gssapi,devscripts,dropbear-bin,dropbear,haveged,openssl,putty-tools,python3-twisted,sudo,sysvinit-utils,adduser,krb5-admin-server,krb5-kdc,xinetd ;;
	*)
		echo "no such root: $name" >&2
		return 1 ;;
	esac
	"$@"
}

make_root() {
	# Backports come over the suite that they are for.
	for s in $(printf '%s\n' "$suite" "${suite%-backports}" | sort -u); do
		apt_sources deb "$s"
		apt_sources deb-src "$s"
	done >"$tmp/sources"
	TMPDIR=$tmp/unpacked
	export TMPDIR
	# In namespaces of its own, its mounts are gone whatever ends it.
	with_recipe unshare --mount --pid --fork --kill-child --mount-proc \
	    mmdebstrap "${suite%-backports}" "$tmp/root.tar" "$tmp/sources"
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
need mmdebstrap
own_mounts "$@"
scratch
apt_root "$suite"
unset APT_CONFIG
key=$({ cat "$work/apt/$suite/lists/"*InRelease; with_recipe echo; } |
    sha256sum | cut -d' ' -f1)
if [ "$(cat "$tar.key" 2>/dev/null)" != "$key" ] || [ ! -e "$tar" ]; then
	mkdir -p "$work/roots"
	in_memory "$tmp/unpacked"
	step "make the root $name" "$work/log/root-$name.log" make_root
	rm -f "$tar.key"
	mv "$tmp/root.tar" "$tar"
	echo "$key" >"$tar.key"
fi
echo "$tar"
