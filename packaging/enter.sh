#!/bin/sh
# usage: enter.sh ROOT COMMAND...
# Run COMMAND as root inside the directory ROOT, in namespaces of its own
# (mount, pid, ipc, uts, and a network of just loopback). All of its processes
# and mounts are gone when it ends, whatever ends it. Exits as COMMAND does.
set -eu

if [ "${1-}" != --inside ]; then
	root=$(cd "$1" && pwd)
	shift
	exec unshare --mount --pid --fork --kill-child --ipc --uts --net \
	    "$(readlink -f "$0")" --inside "$root" "$@"
fi
root=$2
shift 2
# unshare made all mounts private: none of these is seen outside.
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mkdir -p "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts \
    "$root/dev/pts"
mount --bind "$root/dev/pts/ptmx" "$root/dev/ptmx"
mount -t tmpfs tmpfs "$root/dev/shm"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
hostname hush
# What a resolver would wait for is not there.
: >"$root/etc/resolv.conf"
printf '127.0.0.1 localhost hush\n::1 localhost\n127.0.0.2 UNKNOWN\n' \
    >"$root/etc/hosts"
ip link set lo up
exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
