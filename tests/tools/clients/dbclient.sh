#!/bin/sh
# usage: dbclient DIR PORT version|run COMMAND|pty COMMAND|put FROM TO|get FROM TO
# Dropbear as a client of tests/bench/clients.sh, which see. It has no program
# to transfer files, so cat does.
set -eu
dir=$1 port=$2 verb=$3
shift 3
db() {
	exec dbclient -y -y -i "$dir/id.dropbear" -p "$port" "$@" 2>/dev/null
}
case $verb in
version) dbclient -V 2>&1 | sed 's/^Dropbear v/Dropbear dbclient /' ;;
run) db player@127.0.0.1 "$1" ;;
pty) db -t player@127.0.0.1 "$1" ;;
put) db player@127.0.0.1 "cat >$2" <"$1" ;;
get) db player@127.0.0.1 "cat $1" >"$2" ;;
esac
