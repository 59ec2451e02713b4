# Counting what one keystroke costs on the wire. Source it after wait.sh, with
# $keystroke set to the built tests/tools/keystroke.c.
# shellcheck shell=sh disable=SC2034,SC2154

# The far side: no local echo, no line editing, the key comes back once.
remote_command='stty raw -echo; printf READY; exec cat'

build_keystroke() {
	keystroke=$tmp/keystroke
	cc -O2 -Wall -Wextra -static -o "$keystroke" \
	    "$top/tests/tools/keystroke.c" -lutil
}

# A client stops its chaff after a random time, from 1 to 3 seconds: 51 packets
# at the least, each answered. On a busy machine some of them are late, so the
# most of up to three keys counts.
#
# most_packets ENOUGH COMMAND...: COMMAND prints a number of packets. Prints
# the highest of up to three runs; the first above ENOUGH will do.
most_packets() {
	mp_enough=$1
	shift
	mp_most=0
	for _ in 1 2 3; do
		mp_n=$("$@") || mp_n=0
		[ "$mp_n" -le "$mp_most" ] || mp_most=$mp_n
		[ "$mp_most" -le "$mp_enough" ] || break
	done
	echo "$mp_most"
}

captured_end() {
	tcpdump -n -r "$tmp/key.pcap" 'tcp[tcpflags] & (tcp-fin|tcp-rst) != 0' \
	    2>/dev/null | grep .
}

# keystroke_packets PORT COMMAND...: COMMAND is a client that runs
# $remote_command on a server at PORT of this network namespace. Prints the
# number of packets on PORT, both ways, from the key on for four seconds.
# Leaves the capture in $tmp/key.pcap, keystroke's report in $tmp/key.
keystroke_packets() {
	kp_port=$1
	shift
	# Nothing of the key before may be taken for this one's.
	rm -f "$tmp/key.pcap"
	: >"$tmp/tcpdump"
	tcpdump -i lo -n -U -Z root -w "$tmp/key.pcap" "tcp port $kp_port" \
	    2>"$tmp/tcpdump" &
	kp_tcpdump=$!
	wait_for grep -q 'listening on' "$tmp/tcpdump"
	kp_status=0
	"$keystroke" READY "$@" >"$tmp/key" 2>"$tmp/key.err" || kp_status=$?
	# The connection ended after the key: when that is there, all before it is.
	[ "$kp_status" -ne 0 ] || wait_for captured_end || kp_status=1
	kill "$kp_tcpdump"
	wait "$kp_tcpdump" 2>/dev/null || :
	if [ "$kp_status" -ne 0 ]; then
		cat "$tmp/key.err" >&2
		return 1
	fi
	tcpdump -tt -n -r "$tmp/key.pcap" 2>/dev/null |
	    awk -v from="$(sed -n 's/^key //p' "$tmp/key")" \
	    -v to="$(sed -n 's/^end //p' "$tmp/key")" \
	    '$1 >= from && $1 <= to { n++ } END { print n + 0 }'
}
