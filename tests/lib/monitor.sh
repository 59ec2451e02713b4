#!/bin/bash
# usage: monitor.sh PORT LOG
# Log in to PORT of this machine as player, every 0.1 s or as fast as logins
# take, as long as this runs. Each try is a line in LOG: the time when it
# began (microseconds since 1970), "ok" or "failed", and what the client said.
set -eu
# shellcheck source=tests/lib/wait.sh
. /hush/wait.sh

while :; do
	began=${EPOCHREALTIME/./}
	said=$(/root/stock-ssh -F none -i /root/id \
	    -o IdentitiesOnly=yes -o ConnectTimeout="$wait_limit" -o BatchMode=yes -o LogLevel=ERROR \
	    -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null \
	    -p "$1" player@127.0.0.1 'echo hello' 2>&1) || :
	if [ "$said" = hello ]; then
		echo "$began ok"
	else
		echo "$began failed ${said//[$'\r\n']/ }"
	fi >>"$2"
	left=$((began + 100000 - ${EPOCHREALTIME/./}))
	[ "$left" -le 0 ] || sleep "$(printf '0.%06d' "$left")"
done
