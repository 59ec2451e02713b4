#!/bin/sh
# usage: keystroke.sh [--smoke] [--into=DIR] [--runs=N] [--keys=N]
# What one key costs: a stock client types one into cat on a raw pty, and all
# packets are captured for four seconds, in three modes:
#   advertised   the server offers ping@openssh.com, as stock does
#   withheld     AdvertisePing no
#   client-off   advertised, and ObscureKeystrokeTiming=no in the client
# N runs of each (default 9), in turn; medians. Then the echo delay over N keys
# (default 100) at random gaps in each. Runs as root, or with sudo. Leaves
# packets.csv, runs.csv, echo.csv, table.md, what the client's -vvv said in the
# median run (ssh-MODE.log), and the plots packets and echo.
set -eu
top=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
. "$top/packaging/lib.sh"
. "$top/tests/bench/lib.sh"
. "$top/tests/lib/keystroke.sh"
. "$top/tests/lib/server.sh"

usage='usage: bench keystroke [--smoke] [--into=DIR] [--runs=N] [--keys=N]'
modes='advertised withheld client-off'

# mode_options MODE: set host, port and option for the client.
mode_options() {
	host=advertised port=22 option=ObscureKeystrokeTiming=yes
	case $1 in
	withheld) host=withheld port=2222 ;;
	client-off) option=ObscureKeystrokeTiming=no ;;
	esac
}

# one_key MODE RUN: add what it cost to packets.csv and runs.csv.
one_key() {
	mode_options "$1"
	rm -f "$tmp/client.log"
	keystroke_packets "$port" "$client/ssh" -F "$run/ssh_config" -vvv \
	    -E "$tmp/client.log" -o "$option" -tt "player@$host" \
	    "$remote_command" >"$tmp/count" || die "no echo in mode $1"
	# tshark complains about being root.
	tshark -r "$tmp/key.pcap" -T fields -E separator=, -e frame.time_epoch \
	    -e tcp.dstport -e tcp.len 2>/dev/null |
	    awk -F, -v OFS=, -v mode="$1" -v run="$2" -v port="$port" \
	    -v from="$(sed -n 's/^key //p' "$tmp/key")" \
	    -v to="$(sed -n 's/^end //p' "$tmp/key")" '
	    $1 >= from && $1 <= to {
		print mode, run, sprintf("%.6f", $1 - from),
		    $2 == port ? "to server" : "to client", $3
	    }' >"$tmp/packets"
	if [ "$(cat "$tmp/count")" -lt 2 ] ||
	    [ "$(wc -l <"$tmp/packets")" -ne "$(cat "$tmp/count")" ]; then
		die "the capture of mode $1 is not complete: $(cat "$tmp/count") packets by tcpdump, $(wc -l <"$tmp/packets") by tshark"
	fi
	cat "$tmp/packets" >>"$results/packets.csv"
	chaff=$(sed -n 's/.* (\([0-9]*\) chaff packets sent).*/\1/p' \
	    "$tmp/client.log" | awk '{ n += $1 } END { print n + 0 }')
	awk -F, -v OFS=, -v mode="$1" -v run="$2" -v sent="$chaff" \
	    -v echo="$(sed -n 's/^echo //p' "$tmp/key")" '
	    { n++; bytes += $5 }
	    $5 > 0 { data++; if (data == 1) first = $3; last = $3 }
	    END {
		# The server answers each. What is left is the key and its echo.
		other = data - 2 * sent
		ratio = other > 0 ? sprintf("%.1f", 2 * sent / other) : "-"
		rate = gap = "-"
		if (data > 2) {
			gap = sprintf("%.1f", (last - first) / (data - 1) * 1000)
			rate = sprintf("%.1f", (data - 1) / (last - first))
		}
		print mode, run, n, data, n - data, bytes, 2 * sent, other,
		    ratio, rate, gap, echo
	    }' "$tmp/packets" >>"$results/runs.csv"
	grep -e 'ext_info.*ping@openssh' -e obfuscate_keystroke_timing: \
	    "$tmp/client.log" | tr -d '\r' >"$inside/ssh-$1-$2.log" || :
}

# many_keys MODE N: add the delay of each echo of N keys to echo.csv.
many_keys() {
	mode_options "$1"
	"$keystroke" -n "$2" -w 1 READY "$client/ssh" -F "$run/ssh_config" \
	    -o "$option" -tt "player@$host" "$remote_command" >"$tmp/keys" ||
	    die "no echo in mode $1"
	sed -n "s/^echo /$1,/p" "$tmp/keys" >>"$results/echo.csv"
}

measure() {
	begin_inside
	build_keystroke
	keep_awake
	on_cores "$server_core"
	start_server "$server" "$run"
	on_cores "$client_cores"
	chmod 755 "$run"
	chmod 644 "$run/id.pub"
	echo 'mode,run,seconds,direction,bytes' >"$results/packets.csv"
	echo 'mode,run,packets,data packets,ACKs,bytes,chaff,other data,chaff to other,data packets/s,mean gap (ms),echo (ms)' \
	    >"$results/runs.csv"
	echo 'mode,echo (ms)' >"$results/echo.csv"
	for run_number in $(seq "$runs"); do
		for mode in $modes; do
			note "key $run_number of $runs: $mode"
			one_key "$mode" "$run_number"
		done
	done
	# Some of each in turn.
	for first in $(seq 0 20 $((keys - 1))); do
		n=$((keys - first))
		[ "$n" -le 20 ] || n=20
		for mode in $modes; do
			note "echo delay of $keys keys, from $((first + 1)) on: $mode"
			many_keys "$mode" "$n"
		done
	done
}

# median_run MODE: the number of the run with the median number of packets.
median_run() {
	awk -F, -v m="$1" '$1 == m { print $3 "," $2 }' "$results/runs.csv" |
	    sort -n | awk -F, '{ r[NR] = $2 } END { print r[int((NR + 1) / 2)] }'
}

medians() {
	sed -n '1s/,run,/,runs,/p' "$results/runs.csv"
	for mode in $modes; do
		printf '%s,%s' "$mode" "$runs"
		for i in 3 4 5 6 7 8 9 10 11 12; do
			printf ',%s' "$(awk -F, -v m="$mode" -v i="$i" \
			    '$1 == m && $i != "-" { print $i }' \
			    "$results/runs.csv" | quantile 0.5)"
		done
		echo
	done
}

ranges() {
	echo 'mode,fewest packets,median,most packets,fewest chaff,most chaff'
	for mode in $modes; do
		printf %s "$mode"
		for q in 0 0.5 1; do
			printf ',%s' "$(column "$results/runs.csv" packets \
			    "f[\"mode\"] == \"$mode\"" | quantile $q)"
		done
		for q in 0 1; do
			printf ',%s' "$(column "$results/runs.csv" chaff \
			    "f[\"mode\"] == \"$mode\"" | quantile $q)"
		done
		echo
	done
}

echo_delays() {
	echo 'mode,keys,median echo delay (ms),95th percentile (ms)'
	for mode in $modes; do
		grep "^$mode," "$results/echo.csv" | cut -d, -f2 >"$tmp/delays"
		printf '%s,%d,%.1f,%.1f\n' "$mode" "$(wc -l <"$tmp/delays")" \
		    "$(quantile 0.5 <"$tmp/delays")" "$(quantile 0.95 <"$tmp/delays")"
	done
}

first_packets() {
	echo 'ms after the key,direction,TCP payload (bytes)'
	awk -F, -v OFS=, -v m="$1" -v r="$2" '$1 == m && $2 == r && n++ < 10 {
		print sprintf("%.3f", $3 * 1000), $4, $5
	}' "$results/packets.csv"
}

payload_sizes() {
	echo 'TCP payload (bytes),packets,share,bytes'
	awk -F, -v m="$1" -v r="$2" '$1 == m && $2 == r { c[$5]++; n++ } END {
		for (s in c)
			printf "%s,%d,%.1f %%,%d\n", s == 0 ? "0 (ACK)" : s,
			    c[s], c[s] / n * 100, s * c[s]
	}' "$results/packets.csv" | sort -t, -k2,2nr
}

report() {
	{
		echo '# What one key costs'
		echo
		echo "One key typed into \`cat\` on a raw pty, all packets of the connection"
		echo "in the four seconds after it. Client: stock $version; server: upstream's with the"
		echo "series. Each has a core of its own, and none sleeps, see tests/bench/lib.sh."
		echo
		echo "Medians of $runs keys in each mode. Data packets per second and mean gap are"
		echo "from the first to the last data packet, where there are more than two."
		echo
		medians | markdown
		echo
		ranges | markdown
		echo
		echo "Echo delay, keys at random gaps of 0.1 to 0.6 s. Withholding does not lower it:"
		echo "the client goes on sending keys on its grid of about 20 ms."
		echo
		echo_delays | markdown
		for mode in $modes; do
			r=$(median_run "$mode")
			cp "$tmp/ssh-$mode-$r.log" "$results/ssh-$mode.log"
			echo
			echo "## $mode"
			echo
			echo "The first ten packets of the run with the median number (run $r):"
			echo
			first_packets "$mode" "$r" | markdown
			echo
			payload_sizes "$mode" "$r" | markdown
			echo
			if [ -s "$results/ssh-$mode.log" ]; then
				echo "What \`ssh -vvv\` says of it:"
				echo
				sed 's/^/    /' "$results/ssh-$mode.log"
			else
				echo "\`ssh -vvv\` mentions neither ping@openssh.com nor chaff."
			fi
		done
		echo
		cat "$results/machine.md"
	} >"$results/table.md"
	{
		echo "set title 'One key: packets on the wire, both ways'"
		echo "set xlabel 'time since the key (s)'; set xrange [0:4]"
		echo "set ylabel 'packets so far'; set yrange [0:*]"
		printf 'plot '
		for mode in $modes; do
			r=$(median_run "$mode")
			awk -F, -v m="$mode" -v r="$r" '$1 == m && $2 == r {
				print $3 "," ++n } END { print "4," n }' \
			    "$results/packets.csv" >"$tmp/plot-$mode"
			case $mode in
			advertised) style="lc rgb '#c0392b' lw 2 title 'advertised (stock)'" ;;
			withheld) style="lc rgb '#2471a3' lw 3 title 'withheld (AdvertisePing no)'" ;;
			*) style="lc rgb '#229954' lw 2 dt 2 title 'advertised, client with ObscureKeystrokeTiming=no'" ;;
			esac
			printf "'%s' using 1:2 with steps %s, " "$tmp/plot-$mode" "$style"
		done
		echo
	} | plot packets
	plot echo <<-EOF_PLOT
		set title 'Echo delay of a key: withholding does not lower it'
		set xlabel 'echo delay (ms)'; set xrange [0:30]
		set ylabel 'share of keys with no longer delay (%)'; set yrange [0:100]
		pick(m) = strcol(1) eq m ? column(2) : NaN
		plot 'echo.csv' using (pick('advertised')):(100.0/$keys) smooth cumulative lc rgb '#c0392b' lw 2 title 'advertised (stock)', \\
		    '' using (pick('withheld')):(100.0/$keys) smooth cumulative lc rgb '#2471a3' lw 3 title 'withheld (AdvertisePing no)', \\
		    '' using (pick('client-off')):(100.0/$keys) smooth cumulative lc rgb '#229954' lw 2 dt 2 title 'advertised, client with ObscureKeystrokeTiming=no'
	EOF_PLOT
}

parse() {
	for o; do
		case $o in
		--runs=*) runs=$(number "$o") ;;
		--keys=*) keys=$(number "$o") ;;
		*) common_option "$o" ;;
		esac
	done
	: "${runs:=${smoke:+1}}" "${keys:=${smoke:+5}}"
	: "${runs:=9}" "${keys:=100}"
}

runs='' keys=''
parse "$@"
if [ -n "$inside" ]; then
	measure
	exit
fi
become_root "$@"
need build-essential tcpdump tshark gnuplot-nox fonts-dejavu-core iproute2 mount
scratch
server=$("$top/packaging/compile.sh" 10.0p1)
client=$("$top/packaging/compile.sh" 10.0p1 --stock)
export server client
version=$("$client/ssh" -V 2>&1 | sed 's/,.*//')
results_begin keystroke
measure_inside "$@"
report
results_end
