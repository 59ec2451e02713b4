#!/bin/sh
# usage: conch DIR PORT version|run COMMAND|pty COMMAND|put FROM TO|get FROM TO
# Twisted Conch as a client of tests/bench/clients.sh, which see.
set -eu
dir=$1 port=$2 verb=$3
shift 3
HOME=$dir/home
export HOME
options="-l player -p $port -i $dir/id"
case $verb in
version) python3 -c 'import twisted; print("Twisted Conch", twisted.__version__)' ;;
run)
	# It gives up when its input ends.
	input=$(mktemp -u)
	mkfifo "$input"
	# shellcheck disable=SC2086 # a list
	exec conch3 $options -T 127.0.0.1 "$1" 0<>"$input" ;;
pty)
	# shellcheck disable=SC2086 # a list
	exec conch3 $options -t 127.0.0.1 "$1" ;;
put|get)
	batch=$(mktemp)
	case $verb in
	put) echo "put $1 $2" ;;
	# It takes no path.
	get) printf '%s\n' "cd $(dirname "$1")" "get $(basename "$1") $2" ;;
	esac >"$batch"
	# shellcheck disable=SC2086 # a list
	exec cftp3 $options -b "$batch" 127.0.0.1 ;;
esac
