#!/bin/sh
# usage: boot.sh ROOT
# Boot the system in the directory ROOT with its own init, in namespaces of its
# own, with a network of just loopback. Ends when it is shut down; all of it is
# gone when this process ends, whatever ends it. See guest.sh.
set -eu

if [ "${1-}" != --inside ]; then
	exec unshare --mount --pid --fork --kill-child --ipc --uts --net --cgroup \
	    "$(readlink -f "$0")" --inside "$(cd "$1" && pwd)"
fi
root=$2
# unshare made all mounts private: none of these is seen outside.
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
mkdir "$root/dev/pts" "$root/dev/shm"
for d in null zero full random urandom tty; do
	: >"$root/dev/$d"
	mount --bind "/dev/$d" "$root/dev/$d"
done
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts \
    "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
mount -t tmpfs tmpfs "$root/dev/shm"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
hostname hush
# systemd would set the one that the root was made with, which nothing resolves.
echo hush >"$root/etc/hostname"
: >"$root/etc/resolv.conf"
printf '127.0.0.1 localhost hush\n::1 localhost\n127.0.0.2 UNKNOWN\n' \
    >"$root/etc/hosts"
ip link set lo up
# A plain chroot would not do: user namespaces fail in one.
cd "$root"
mkdir .old
pivot_root . .old
exec env -i container=hush PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c '
	umount -l /.old
	rmdir /.old
	exec /sbin/init' </dev/null >/dev/null 2>&1
