#!/bin/sh
# usage: openssh DIR PORT version|run COMMAND|pty COMMAND|put FROM TO|get FROM TO
# OpenSSH as a client of tests/bench/clients.sh, which see. $SSH names another
# ssh than that in $PATH.
set -eu
ssh=${SSH:-ssh}
dir=$1 port=$2 verb=$3
shift 3
case $verb in
version) "$ssh" -V 2>&1 | sed 's/,.*//' ;;
run) exec "$ssh" -F "$dir/ssh_config" -p "$port" player@127.0.0.1 "$1" ;;
pty)
	exec "$ssh" -F "$dir/ssh_config" -vvv -E "$dir/client.log" -p "$port" \
	    -tt player@127.0.0.1 "$1" ;;
put) exec scp -q -S "$ssh" -F "$dir/ssh_config" -P "$port" "$1" "player@127.0.0.1:$2" ;;
get) exec scp -q -S "$ssh" -F "$dir/ssh_config" -P "$port" "player@127.0.0.1:$1" "$2" ;;
esac
