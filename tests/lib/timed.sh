#!/bin/sh
# usage: timed.sh TEST
# Run TEST (a .t file) with /tmp, /var/tmp and /run of its own, and note the time
# that it takes in $HUSH_TIMES, as step of packaging/lib.sh does. Exits as it does.
set -eu
lib=$(dirname "$(readlink -f "$0")")

start=$(date +%s)
status=0
# The steps in it are not parts of this run.
env -u HUSH_TIMES "$lib/private.sh" "$1" || status=$?
echo "$(($(date +%s) - start)) $1" >>"$HUSH_TIMES"
exit "$status"
