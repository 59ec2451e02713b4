#!/bin/sh
# usage: unset-inside.sh CORE LOGINS ROUNDS IDLE MIB
# The part of tests/bench/unset.sh that runs inside a root with the stock
# client, and has roots of its three servers in /stock, /stock-again and /ours,
# which run on CORE. Our packages are in /hush. Leaves logins.csv, bulk.csv, cpu.csv
# and memory.csv in /hush.
set -eu
core=$1 logins=$2 rounds=$3 idle=$4 mib=$5
# shellcheck source=tests/lib/wait.sh
. /hush/wait.sh
servers='stock stock-again ours'

port_of() {
	case $1 in
	stock) echo 2201 ;;
	stock-again) echo 2202 ;;
	ours) echo 2203 ;;
	esac
}

# prepare ROOT: an account and its key, and what an sshd needs.
prepare() {
	chroot "$1" useradd -m -s /bin/sh player
	mkdir "$1/home/player/.ssh"
	cp /root/id.pub "$1/home/player/.ssh/authorized_keys"
	mkdir -p "$1/run/sshd"
	# The same host keys, so that nothing else differs.
	cp /etc/ssh/ssh_host_* "$1/etc/ssh/"
}

start_server() {
	port=$(port_of "$1")
	taskset -c "$core" chroot "/$1" /usr/sbin/sshd -p "$port" -E /hush.log \
	    -o PidFile=/run/hush.pid -o PerSourcePenalties=no -o MaxStartups=2000
	wait_for test -s "/$1/run/hush.pid"
}

# client SERVER [OPTION...] COMMAND
client() {
	port=$(port_of "$1")
	shift
	${exec-} /usr/bin/ssh -F none -i /root/id -o IdentitiesOnly=yes \
	    -o LogLevel=ERROR -o StrictHostKeyChecking=no \
	    -o UserKnownHostsFile=/dev/null -l player -p "$port" 127.0.0.1 "$@"
}

# session_pids SERVER: the processes of its sessions.
session_pids() {
	for p in $(pgrep -P "$(cat "/$1/run/hush.pid")"); do
		echo "$p"
		pgrep -P "$p" 'sshd' || :
	done
}

# login SERVER NUMBER: add the seconds of one to logins.csv. The next one begins
# when the server has done with it: what it does after the client has gone is not
# for another to pay.
login() {
	start=$(date +%s%N)
	client "$1" true
	end=$(date +%s%N)
	while [ -n "$(session_pids "$1")" ]; do
		sleep 0.005
	done
	echo "$1,$2,$start,$end" |
	    awk -F, '{ printf "%s,%d,%.6f\n", $1, $2, ($4 - $3) / 1e9 }' \
	    >>/hush/logins.csv
}

# order NUMBER: the servers, in another order each time: what comes before may
# matter, and who is first.
order() {
	case $(($1 % 6)) in
	0) echo stock stock-again ours ;;
	1) echo ours stock stock-again ;;
	2) echo stock-again ours stock ;;
	3) echo ours stock-again stock ;;
	4) echo stock ours stock-again ;;
	5) echo stock-again stock ours ;;
	esac
}

# memory SERVER: PSS of the processes of its sessions, for each session, in KiB.
memory() {
	session_pids "$1" | sed 's,.*,/proc/&/smaps_rollup,' | xargs cat |
	    awk -v n="$idle" '/^Pss:/ { s += $2 } END { printf "%.1f\n", s / n }'
}

# cpu SERVER: what the processes of its sessions have used of it, in ticks.
cpu() {
	session_pids "$1" | sed 's,.*,/proc/&/stat,' | xargs cat |
	    awk '{ n += $14 + $15 } END { print n }'
}

# written: print nanoseconds, and the bytes that each of $pids has written so far.
# Fails if one has ended, which none does of itself.
written() {
	now=$(date +%s%N)
	# shellcheck disable=SC2046,SC2086 # a list
	set -- $(awk '/^wchar:/ { print $2 }' $(printf '/proc/%s/io ' $pids))
	[ $# -eq 3 ] || { echo "a copy failed" >&2; return 1; }
	echo "$now $*"
}

# wait_written MIB FROM: wait until each has written that much since FROM, and
# set $now_written.
wait_written() {
	while now_written=$(written) || exit 1
	    ! echo "$2 $now_written" | awk -v mib="$1" '{
		for (i = 2; i <= 4; i++)
			if ($(i + 4) - $i < mib * 1048576)
				exit 1 }'; do
		sleep 0.1
	done
}

# copy_round NUMBER: copy from all servers at once: so what else this machine
# is given to do slows all alike. They share the server's core fairly, and the
# client's, so who needs less of it for a byte gets more bytes through. Adds to
# bulk.csv the seconds that each needed for MIB at its pace, and to cpu.csv the
# milliseconds of CPU that its server needed for 1024.
copy_round() {
	names=$(order "$1")
	pids=
	for s in $names; do
		# It does not end by itself, however fast it goes.
		exec='exec' client "$s" cat /dev/zero >/dev/null &
		pids="$pids $!"
	done
	# The logins are over when there are data.
	wait_written $((mib / 16)) '0 0 0 0'
	from=$now_written
	cpu_from=$(for s in $names; do cpu "$s"; done)
	wait_written "$mib" "$from"
	cpu_to=$(for s in $names; do cpu "$s"; done)
	# shellcheck disable=SC2086 # lists
	echo $names $from $now_written $cpu_from $cpu_to |
	    awk -v n="$1" -v mib="$mib" -v hz="$(getconf CLK_TCK)" '{
		seconds = ($8 - $4) / 1e9
		for (i = 1; i <= 3; i++) {
			done = ($(i + 8) - $(i + 4)) / 1048576
			printf "%s,%d,%.6f\n", $i, n, seconds * mib / done >>"/hush/bulk.csv"
			ms = ($(i + 14) - $(i + 11)) / hz * 1000
			printf "%s,%d,%.1f\n", $i, n, ms * 1024 / done >>"/hush/cpu.csv"
		} }'
	# shellcheck disable=SC2086 # a list
	kill $pids
	wait
}

all_idle() {
	[ "$(pgrep -c -x -f 'sleep infinity')" -eq $((idle * 3)) ]
}

none_left() {
	! pgrep -x sshd-session && ! pgrep -x -f 'sleep infinity'
}

ssh-keygen -q -t ed25519 -N '' -f /root/id
for s in $servers; do
	mount --rbind /proc "/$s/proc"
	mount --rbind /dev "/$s/dev"
	mount -t tmpfs tmpfs "/$s/run"
	prepare "/$s"
done
# Installed as anyone would.
mkdir /ours/hush
cp /hush/*.deb /ours/hush/
chroot /ours sh -c 'apt-get install -y /hush/*.deb'
for s in stock ours; do
	chroot "/$s" dpkg-query -W -f '${Version}' openssh-server >"/hush/version-$s"
done
for s in $servers; do
	start_server "$s"
	# The first one pages the binaries in.
	client "$s" true
done
if cmp -s /stock/usr/sbin/sshd /ours/usr/sbin/sshd; then
	echo "the package under test is the stock one" >&2
	exit 1
fi
cmp /stock/usr/sbin/sshd /stock-again/usr/sbin/sshd

for f in logins bulk cpu memory; do
	: >/hush/$f.csv
done
echo "$logins logins"
for i in $(seq "$logins"); do
	for s in $(order "$i"); do
		login "$s" "$i"
	done
done
echo "$rounds rounds of copies"
for i in $(seq "$rounds"); do
	copy_round "$i"
done
echo "$idle idle sessions"
for i in 1 2 3; do
	pids=
	for s in $servers; do
		for _ in $(seq "$idle"); do
			# With a pty, whose end ends the sleep as well.
			exec='exec' client "$s" -tt 'exec sleep infinity' &
			pids="$pids $!"
		done
	done
	# All are there when each has its sleep.
	wait_for all_idle
	for s in $servers; do
		echo "$s,$i,$(memory "$s")" >>/hush/memory.csv
	done
	# shellcheck disable=SC2086 # a list
	kill $pids
	wait
	wait_for none_left
done
