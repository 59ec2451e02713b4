#!/bin/sh
# usage: clients.sh [--smoke] [--into=DIR] [--suites=SUITE,...]
# Every SSH client that Debian offers, in both modes: it logs in and runs a
# command, types one key on a pty (how many packets is that in four seconds?), and
# transfers a file both ways. OpenSSH, PuTTY, Dropbear, Paramiko, AsyncSSH,
# libssh, libssh2 and Twisted Conch of each SUITE, in a root of it; of backports
# only OpenSSH. A suite that cannot be had is named. With --smoke only those at
# hand on this host, and upstream's stock 10.0p1. Runs as root, or with sudo. Leaves clients.csv, table.md,
# and the plot packets.
#
# A client is tests/tools/clients/NAME.sh, .py or .c; it is called with the directory of the
# keys, a port of the server, and
#	version			print name and version
#	run COMMAND		run it on the server
#	pty COMMAND		run it there on a pty, connected to the own one
#	put FROM TO		a file from here to there
#	get FROM TO		a file from there to here
# with PATHs that are the same on both sides; the account is player.
set -eu
top=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
. "$top/packaging/lib.sh"
. "$top/tests/bench/lib.sh"
. "$top/tests/lib/keystroke.sh"
. "$top/tests/lib/server.sh"

usage='usage: bench clients [--smoke] [--into=DIR] [--suites=SUITE,...]'
clients='openssh plink dbclient paramiko asyncssh libssh libssh2 conch'

# in_root COMMAND...: in the root of $suite, or here if that is "host".
in_root() {
	if [ "$suite" = host ]; then
		"$@"
	else
		chroot "$tmp/root" "$@"
	fi
}

# enter_root: $tmp/root, the root of $suite, with what a client needs.
enter_root() {
	in_memory "$tmp/root"
	tar -xf "$work/roots/$suite-client.tar" --numeric-owner -C "$tmp/root"
	mount -t proc proc "$tmp/root/proc"
	mount --rbind /dev "$tmp/root/dev"
	mount --rbind /run "$tmp/root/run"
}

# make_clients: put those of $suite into $run/$suite; set $clients_here.
make_clients() {
	mkdir "$run/$suite"
	for f in "$top/tests/tools/clients/"*; do
		f_name=$(basename "$f")
		case $f in
		*.c) cp "$f" "$run/$suite/" ;;
		*) cp "$f" "$run/$suite/${f_name%.*}" ;;
		esac
	done
	case $suite in
	host)
		clients_here='openssh plink dbclient stock'
		cat >"$run/$suite/stock" <<-EOF_STOCK
			#!/bin/sh
			SSH='$stock/ssh' exec "$run/$suite/openssh" "\$@"
		EOF_STOCK
		chmod 755 "$run/$suite/stock" ;;
	*-backports) clients_here=openssh ;;
	*)
		clients_here=$clients
		for c in libssh libssh2; do
			in_root cc -O2 -o "$run/$suite/$c" "$run/$suite/$c.c" \
			    "-l${c#lib}" 2>"$tmp/cc" ||
			    die "cannot compile $c in $suite: $(head -n 1 "$tmp/cc")"
		done ;;
	esac
}

# client VERB...: run $client_name.
client() {
	in_root timeout "$wait_limit" "$run/$suite/$client_name" "$run" "$port" "$@"
}

# result COMMAND...: "ok", or "FAILED" with a note of what it said.
result() {
	if "$@" >"$tmp/result" 2>&1 </dev/null; then
		echo ok
	else
		note "$suite, $client_name, port $port: $* failed: $(tail -n 1 "$tmp/result")"
		echo FAILED
	fi
}

says_hello() {
	[ "$(client run 'echo hello')" = hello ]
}

transfers() {
	rm -f "$run/there/sent" "$run/got"
	client put "$run/data" "$run/there/sent" &&
	    client get "$run/data" "$run/got" &&
	    cmp "$run/data" "$run/there/sent" && cmp "$run/data" "$run/got"
}

# types: one key; the number of packets to $tmp/packets.
types() {
	if [ "$suite" = host ]; then
		set --
	else
		set -- chroot "$tmp/root"
	fi
	rm -f "$run/client.log"
	keystroke_packets "$port" "$@" "$run/$suite/$client_name" "$run" \
	    "$port" pty "$remote_command" >"$tmp/packets"
}

# one_client: in both modes.
one_client() {
	port=-
	version=$(client version) || version=unknown
	for mode in advertised withheld; do
		case $mode in
		advertised) port=22 most=1000 ;;
		withheld) port=2222 most=6 ;;
		esac
		# Fewer than the key and its echo is no capture.
		least=2
		case $mode:$version in
		advertised:OpenSSH_9.[5-9]*|advertised:OpenSSH_[1-9][0-9]*)
			# Some chaff may be late.
			least=20 ;;
		esac
		command=$(result says_hello)
		pty=$(result types)
		[ -s "$tmp/packets" ] || echo 0 >"$tmp/packets"
		if [ "$(cat "$tmp/packets")" -lt "$least" ] ||
		    [ "$(cat "$tmp/packets")" -gt "$most" ]; then
			pty=FAILED
		fi
		transfer=$(result transfers)
		note "$suite, $version, $mode: command $command, pty $pty, transfer $transfer, packets $(cat "$tmp/packets")"
		echo "$suite,$version,$mode,$command,$pty,$transfer,$(cat "$tmp/packets")" \
		    >>"$results/clients.csv"
	done
}

measure() {
	begin_inside
	PYTHONWARNINGS=ignore
	export PYTHONWARNINGS
	build_keystroke
	mkdir "$run/there" "$run/home" "$run/home/.ssh"
	chown 65532:65534 "$run/there"
	start_server "$server" "$run" 'Subsystem sftp internal-sftp' \
	    'PerSourcePenalties no'
	puttygen "$run/id" -O private -o "$run/id.ppk"
	dropbearconvert openssh dropbear "$run/id" "$run/id.dropbear" 2>/dev/null
	"$server/ssh-keygen" -l -f "$run/hostkey.pub" | cut -d' ' -f2 \
	    >"$run/fingerprint"
	echo "127.0.0.1 $(cut -d' ' -f1,2 "$run/hostkey.pub")" \
	    >"$run/home/.ssh/known_hosts"
	head -c 1000000 /dev/urandom >"$run/data"
	chmod 755 "$run"
	chmod 644 "$run/id.pub" "$run/data"
	echo 'suite,client,mode,command,pty,transfer,packets' \
	    >"$results/clients.csv"
	for suite in $suites; do
		[ "$suite" = host ] || enter_root
		make_clients
		for client_name in $clients_here; do
			one_client
		done
		[ "$suite" = host ] || drop_memory
	done
}

# summary: one row for each client; CSV.
summary() {
	echo 'suite,client,command,pty,transfer,packets advertised,packets withheld'
	awk -F, -v OFS=, 'NR == 1 { next }
	function both(a, b) { return a == "ok" && b == "ok" ? "ok" : "FAILED" }
	$3 == "advertised" { c = $4; p = $5; t = $6; n = $7; next }
	{ print $1, $2, both(c, $4), both(p, $5), both(t, $6), n, $7 }' \
	    "$results/clients.csv"
}

report() {
	failures=$(grep -c FAILED "$results/clients.csv" || :)
	{
		echo '# Clients'
		echo
		echo "Each logs in and runs a command, types one key on a pty (all packets in the"
		echo "four seconds after it; more than six withheld are a failure, and so is a client of"
		echo "OpenSSH since 9.5 that sends no chaff where it is advertised), and sends and"
		echo "fetches a file; with ping@openssh.com advertised, and withheld. \"ok\" is for"
		echo "both modes. Dropbear has no program to transfer files; it does so through cat."
		echo "From backports there is OpenSSH only. Those of libssh, libssh2, Paramiko and AsyncSSH are small programs of ours."
		echo
		summary | markdown
		echo
		echo "Rows of clients.csv with a failure: $failures."
		[ -z "$skipped" ] || echo "Skipped, since no root could be made of it:$skipped."
		echo
		cat "$results/machine.md"
	} >"$results/table.md"
	summary | awk -F, -v OFS=, 'NR > 1 { print $2 " (" $1 ")", $6, $7 }' \
	    >"$tmp/plot.csv"
	rows=$(wc -l <"$tmp/plot.csv")
	plot packets "800,$((rows * 18 + 150))" <<-EOF_PLOT
		set title 'One key, all packets in four seconds, by client'
		set xlabel 'packets'; set xrange [0:*]
		set yrange [$rows:-1]; set ytics font ',9' noenhanced
		plot '$tmp/plot.csv' using 2:0:yticlabels(1) with points pt 7 ps 1.2 lc rgb '#c0392b' title 'advertised (stock)', \
		    '' using 3:0 with points pt 5 ps 0.8 lc rgb '#2471a3' title 'withheld (AdvertisePing no)'
	EOF_PLOT
}

parse() {
	for o; do
		case $o in
		--suites=?*)
			suites=$(echo "${o#*=}" | tr , '\n' |
			    awk 'NF && !seen[$0]++' | paste -sd' ') ;;
		*) common_option "$o" ;;
		esac
	done
	: "${suites:=${smoke:+host}}"
	: "${suites:=bookworm bookworm-backports trixie trixie-backports testing sid}"
}

if [ -n "$inside" ]; then
	measure
	exit
fi
suites=
parse "$@"
become_root "$@"
need build-essential tcpdump gnuplot-nox fonts-dejavu-core iproute2 mount \
    putty-tools dropbear-bin
scratch
server=$("$top/packaging/compile.sh" 10.0p1)
stock=
case " $suites " in
*' host '*) stock=$("$top/packaging/compile.sh" 10.0p1 --stock) ;;
esac
skipped=
for s in $suites; do
	[ "$s" = host ] || "$top/packaging/root.sh" "$s-client" >/dev/null ||
	    skipped="$skipped $s"
done
for s in $skipped; do
	suites=$(echo " $suites " | sed "s/ $s / /")
done
[ -n "$(echo "$suites" | tr -d ' ')" ] ||
    die "no root could be made of any suite:$skipped"
export server stock suites
results_begin clients
measure_inside "$@"
report
results_end
