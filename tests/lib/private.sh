#!/bin/sh
# usage: private.sh COMMAND...
# Run COMMAND as root in a mount namespace where /tmp, /var/tmp and /run are its
# own and empty: what it leaves there is gone with it. Exits as COMMAND does.
# (private.sh --inside COMMAND...: in the namespace that it is called in.)
set -eu
top=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")

if [ "${1-}" != --inside ]; then
	exec unshare --mount "$(readlink -f "$0")" --inside "$@"
fi
shift
# A resolver's configuration may be a link into /run.
resolver=$(readlink -f /etc/resolv.conf)
case $resolver in
/run/*) servers=$(cat "$resolver") ;;
*) resolver= ;;
esac
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -m 755 /run/sshd
mkdir -m 1777 /run/lock
if [ -n "$resolver" ]; then
	mkdir -p "$(dirname "$resolver")"
	echo "$servers" >"$resolver"
fi
# The checkout may be in one of these: it stays where it is.
mkdir /run/checkout
mount --rbind "$top" /run/checkout
for dir in /tmp /var/tmp; do
	mount -t tmpfs -o mode=1777 tmpfs "$dir"
done
case $top in
/tmp/*|/var/tmp/*)
	mkdir -p "$top"
	mount --rbind /run/checkout "$top" ;;
esac
umount --recursive --lazy /run/checkout
rmdir /run/checkout
cd "$top"
exec "$@"
