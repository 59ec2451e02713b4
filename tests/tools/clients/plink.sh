#!/bin/sh
# usage: plink DIR PORT version|run COMMAND|pty COMMAND|put FROM TO|get FROM TO
# PuTTY as a client of tests/bench/clients.sh, which see.
set -eu
dir=$1 port=$2 verb=$3
shift 3
set -- "$@" -batch -i "$dir/id.ppk" -hostkey "$(cat "$dir/fingerprint")" -P "$port"
# The arguments of the verb come last.
case $verb in
version) plink -V | sed -n '1s/plink: Release/PuTTY plink/p' ;;
run|pty)
	command=$1
	shift
	[ "$verb" = run ] || set -- -t "$@"
	exec plink "$@" player@127.0.0.1 "$command" ;;
put|get)
	from=$1 to=$2
	shift 2
	case $verb in
	put) exec pscp -q "$@" "$from" "player@127.0.0.1:$to" ;;
	get) exec pscp -q "$@" "player@127.0.0.1:$from" "$to" ;;
	esac ;;
esac
