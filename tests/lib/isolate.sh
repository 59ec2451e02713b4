#!/bin/bash
# usage: isolate.sh COMMAND...
# Run COMMAND as root with network (just loopback), mount, pid, ipc and uts
# namespaces of its own, so that servers under test can have any port and
# nothing of them is left. In there sshd's user and directory exist, the name
# UNKNOWN resolves, which PAM looks up for connections without an address, and
# /tmp, /var/tmp and /run are its own. Exits as COMMAND does.
# It is bash that waits here as process 1: that reaps what daemons leave.
set -eu

self=$(readlink -f "$0")
if [ "${1-}" != --inside ]; then
	exec unshare --net --mount --pid --fork --kill-child --ipc --uts \
	    --mount-proc "$(dirname "$self")/private.sh" --inside \
	    "$self" --inside "$@"
fi
shift
etc=$(mktemp -d)
cp /etc/passwd /etc/hosts "$etc"
id sshd >/dev/null 2>&1 ||
    echo 'sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin' >>"$etc/passwd"
echo '127.0.0.2 UNKNOWN' >>"$etc/hosts"
mount --bind "$etc/passwd" /etc/passwd
mount --bind "$etc/hosts" /etc/hosts
rm -r "$etc"
ip link set lo up
HUSH_ISOLATED=1
export HUSH_ISOLATED
status=0
"$@" || status=$?
exit "$status"
