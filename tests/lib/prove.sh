#!/bin/bash
# usage: prove.sh ARGUMENT...
# Run prove in a pid namespace of its own. Writes what is left of the tests'
# processes, when prove has ended, to the file $HUSH_LEFT; then they are gone.
# Exits as prove does. It is bash that waits here as process 1: that reaps what
# daemons leave.
set -eu
lib=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib/wait.sh
. "$lib/wait.sh"

if [ "${1-}" != --inside ]; then
	exec unshare --pid --fork --kill-child --mount-proc "$0" --inside "$@"
fi
shift

none_left() {
	left=
	for p in /proc/[0-9]*; do
		case $p in
		/proc/1|"/proc/$BASHPID") ;;
		*) left="$left$(tr '\0' ' ' 2>/dev/null <"$p/cmdline")" ;;
		esac
	done
	[ -z "$left" ] || { echo "$left"; return 1; }
}

status=0
prove "$@" || status=$?
wait_for none_left 2>"$HUSH_LEFT" || :
exit "$status"
