#!/bin/sh
# usage: load.sh [--smoke] [--into=DIR] [--rows=N@FPS[@KEYS],...] [--passes=N]
#     [--seconds=N]
# What players cost the server: N stock clients, each with a screen of 80x60
# that is painted FPS times a second, and KEYS keys a second (1; 0.05 is a key
# every 20 seconds). A pass measures each row for 20 seconds advertised and
# then withheld; what else the machine does meanwhile spreads over all rows that
# way, and the median of 3 passes leaves most of it out.
#
# Only the server's side counts: CPU of all processes of sshd (of their
# cgroup, or where there is none from /proc), read and write calls, packets and
# bytes of its sockets, memory; and for up to 100 sessions, where perf can run,
# system calls and the share of samples in cryptography.
#
# The server, and the screens, have one core, and the clients the others. Where
# less than 95 % of the frames or keys came through, or more than 105 % (a
# backlog), or clients to which ping is advertised sent less than 90 % of what they
# do when they are few (they drop chaff that they have no time for), the row says
# "saturated", no ratio is taken from it, and the mode is not tried with more
# sessions at these rates; nor with so many that the server would need more than
# its core.
#
# Runs as root, or with sudo. Leaves load.csv, table.md, and the plots cpu and
# packets.
set -eu
top=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
. "$top/packaging/lib.sh"
. "$top/tests/bench/lib.sh"
. "$top/tests/lib/server.sh"

usage='usage: bench load [--smoke] [--into=DIR] [--rows=N@FPS[@KEYS],...] [--passes=N] [--seconds=N]'
perf_sessions=100

# make_cgroups: set $cgroup to a directory with the cgroups server and painters,
# or to nothing where that cannot be had. They are gone at the end.
make_cgroups() {
	cgroup=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)
	[ -n "$cgroup" ] || return 0
	cgroup=$cgroup/hush-bench.$$
	cleanup=remove_cgroups
	if ! try_cgroups 2>/dev/null; then
		remove_cgroups
		cleanup=
		cgroup=
	fi
}

try_cgroups() {
	mkdir -p "$cgroup/server" "$cgroup/painters" &&
	    (echo 0 >"$cgroup/server/cgroup.procs") &&
	    grep -q '^user_usec' "$cgroup/server/cpu.stat" &&
	    # Painters are a player's, and move themselves.
	    chmod 666 "$cgroup/cgroup.procs" "$cgroup/painters/cgroup.procs"
}

# Processes that were killed are in it a little longer.
remove_cgroups() {
	[ ! -e "$cgroup" ] ||
	    wait_for rmdir "$cgroup/server" "$cgroup/painters" "$cgroup" || :
}

# The processes of sshd; only ours are in these namespaces.
server_pids() {
	pgrep '^sshd'
}

# of_server FILE: that file in /proc of each. Some end meanwhile.
of_server() {
	server_pids | sed "s,.*,/proc/&/$1," | xargs cat 2>/dev/null || :
}

# snapshot FILE: counters of the server since it started.
snapshot() {
	{
		date +'time %s.%N'
		if [ -n "$cgroup" ]; then
			awk '/^user_usec/ { printf "user %.6f\n", $2 / 1e6 }
			    /^system_usec/ { printf "system %.6f\n", $2 / 1e6 }' \
			    "$cgroup/server/cpu.stat"
		else
			# The names in there have no space. Of the children that
			# ended, those of the listener count.
			of_server stat | awk -v hz="$(getconf CLK_TCK)" '{
				u += $14; s += $15
				if ($1 == '"$(cat "$run/pid")"') { u += $16; s += $17 }
			    }
			    END { printf "user %.2f\nsystem %.2f\n", u / hz, s / hz }'
		fi
		of_server io | awk '/^syscr/ { r += $2 } /^syscw/ { w += $2 }
		    END { print "reads", r + 0; print "writes", w + 0 }'
		ss -tinH "sport = :$port" | tr ' ' '\n' | awk -F: '
		    /^(segs_in|segs_out|bytes_sent|bytes_received):/ { n[$1] += $2 }
		    END { for (k in n) print k, n[k] }'
	} >"$1"
}

# all_counted: stop where a counter cannot be had, rather than call it 0.
all_counted() {
	for c in reads writes segs_in segs_out bytes_sent bytes_received; do
		awk -v c="$c" '$1 == c && $2 > 0 { f = 1 } END { exit !f }' \
		    "$tmp/after" || die "this system does not count $c of sshd"
	done
}

# pss: proportional memory of the sessions' processes, all in all, in KiB.
pss() {
	server_pids | grep -vxF "$(cat "$run/pid")" |
	    sed 's,.*,/proc/&/smaps_rollup,' | xargs cat 2>/dev/null |
	    awk '/^Pss:/ { n += $2 } END { print n + 0 }'
}

# profile: set $syscalls (a second and session) and $crypto (percent of
# samples), or leave "-", also where there are few samples. In a time of its own,
# since it costs something.
profile() {
	syscalls=- crypto=-
	[ "$n" -le "$perf_sessions" ] && [ "$pass" -eq 1 ] || return 0
	[ -n "$perf" ] || return 0
	pids=$(server_pids | paste -sd,)
	rm -f "$tmp/perf.data"
	: >"$tmp/perf.stat"
	perf stat -x, -e raw_syscalls:sys_enter -p "$pids" -o "$tmp/perf.stat" \
	    sleep "$perf_seconds" 2>/dev/null || :
	syscalls=$(awk -F, -v s="$perf_seconds" -v n="$n" '
	    $3 ~ /sys_enter/ && $1 ~ /^[0-9]+$/ { printf "%.1f", $1 / s / n }' \
	    "$tmp/perf.stat")
	perf record -q -N -F 999 -e cpu-clock -p "$pids" -o "$tmp/perf.data" \
	    sleep "$perf_seconds" >/dev/null 2>&1 || :
	crypto=$(perf report -i "$tmp/perf.data" --stdio -t, -F sample,dso,sym \
	    2>/dev/null | awk -F, '/^#/ || NF < 3 { next }
	    { all += $1 }
	    $2 ~ /libcrypto/ || $3 ~ /\] *(poly1305|chacha|chachapoly)_/ { c += $1 }
	    END { if (all >= 100) printf "%.1f", c / all * 100 }')
	syscalls=${syscalls:--} crypto=${crypto:--}
}

# For awk, as "$same"'...': whether a row of load.csv has the rates and the mode of
# this one.
same='f["fps"] == fps && f["keys/s"] == keys && f["mode"] == mode'

# too_many: whether as many sessions or fewer were saturated already, or the
# server would need more than its core, by what fewer cost it.
too_many() {
	awk -F, -v n="$n" -v fps="$fps" -v keys="$keys" -v mode="$mode" \
	    "$named_fields $same"' && f["sessions"] <= n {
		if (f["saturated"] == "yes") saturated = 1
		if (f["saturated"] == "no") each = f["CPU per session (ms/s)"]
	    }
	    END { exit !(saturated || n * each > 1000) }' \
	    "$results/load.csv"
}

# no_row WHY: add one without numbers to load.csv.
no_row() {
	echo "$n,$fps,$keys,$pass,$mode,$1,,,,,,,,,,,,,,,," >>"$results/load.csv"
}

# one_row N FPS KEYS PASS MODE: add it to load.csv.
one_row() {
	n=$1 fps=$2 keys=$3 pass=$4 mode=$5
	port=22
	[ "$mode" = advertised ] || port=2222
	if too_many; then
		no_row 'not tried'
		return
	fi
	note "$n sessions at $fps frames/s, $keys keys/s: $mode"
	rm -f "$tmp/events" "$tmp/hold" "$tmp/before" "$tmp/after"
	mkfifo "$tmp/events" "$tmp/hold"
	"$run/load" -k "$keys" -t "$seconds" -w "$ramp" "$n" "$client/ssh" \
	    -F "$run/ssh_config" -tt "player@$mode" \
	    "exec $run/paint -f $fps ${cgroup:+-g $cgroup/painters/cgroup.procs}" \
	    <"$tmp/hold" >"$tmp/events" 2>"$tmp/load.err" &
	load_pid=$!
	exec 8>"$tmp/hold"
	memory='' window='' syscalls=- crypto=-
	while read -r event rest; do
		case $event in
		start) snapshot "$tmp/before" ;;
		stop)
			snapshot "$tmp/after"
			all_counted
			window=$rest
			memory=$(pss)
			profile
			# It ends when its input does.
			exec 8>&- ;;
		esac
	done <"$tmp/events"
	exec 8>&-
	load_status=0
	wait "$load_pid" || load_status=$?
	case $load_status:$window in
	3:)
		! grep -q '^load: 0 of ' "$tmp/load.err" ||
		    die "no session of $n came up: $(tail -n 1 "$tmp/load.err")"
		tail -n 1 "$tmp/load.err" >&2
		no_row yes ;;
	0:*) row >>"$results/load.csv" ;;
	*) die "the load of $n sessions failed: $(tail -n 1 "$tmp/load.err")" ;;
	esac
	# The next row starts with no session of this one.
	wait_for no_sessions || die "sessions of sshd do not end"
}

no_sessions() {
	[ "$(server_pids | wc -l)" -le 1 ]
}

# row: what $window, the snapshots and the rest say, as a line of CSV.
row() {
	# shellcheck disable=SC2086 # four words
	set -- $window
	awk 'NR == FNR { before[$1] = $2; next }
	    { d[$1] = $2 - before[$1] }
	    END { for (k in d) printf "%s,%.9g\n", k, d[k] / d["time"] }' \
	    "$tmp/before" "$tmp/after" >"$tmp/rates"
	awk -F, -v n="$n" -v fps="$fps" -v keys="$keys" -v pass="$pass" \
	    -v mode="$mode" -v t="$1" -v frames="$2" -v seen="$4" \
	    -v memory="$memory" -v syscalls="$syscalls" -v crypto="$crypto" '
	NR == FNR { rate[$1] = $2; next }
	'"$named_fields $same"' && f["saturated"] == "no" && !few {
		few = f["kB/s to server per session"]
	}
	function per(x, scale, f) { printf "," f, x / scale }
	# More than there should be were late, from before.
	function unsteady(percent) { return percent < 95 || percent > 105 }
	END {
		frames *= 100 / (n * fps * t)
		seen *= 100 / (n * keys * t)
		# Without chaff there are few bytes, and fewer ACKs on a busy machine.
		unchaffed = mode == "advertised" && rate["bytes_received"] / n / 1000 < 0.9 * few
		saturated = unsteady(frames) || unsteady(seen) || unchaffed
		printf "%d,%d,%s,%d,%s,%s,%.1f", n, fps, keys, pass, mode,
		    saturated ? "yes" : "no", t
		printf ",%.1f,%.1f", frames, seen
		per(rate["user"], 0.01, "%.2f")
		per(rate["system"], 0.01, "%.2f")
		per(rate["user"] + rate["system"], 0.01, "%.2f")
		per(rate["user"] + rate["system"], n * 1e-3, "%.3f")
		per(rate["reads"], n, "%.1f")
		per(rate["writes"], n, "%.1f")
		per(rate["segs_in"], n, "%.3f")
		per(rate["segs_out"], n, "%.3f")
		per(rate["bytes_received"], n * 1000, "%.4f")
		per(rate["bytes_sent"], n * 1000, "%.2f")
		printf ",%.0f,%s,%s\n", memory / n, syscalls, crypto
	}' "$tmp/rates" "$results/load.csv"
}

measure() {
	begin_inside
	keep_awake
	for t in load paint; do
		cc -O2 -Wall -Wextra -static -o "$run/$t" "$top/tests/tools/$t.c" -lutil
	done
	on_cores "$server_core"
	(
		[ -z "$cgroup" ] || echo 0 >"$cgroup/server/cgroup.procs"
		start_server "$server" "$run" 'MaxStartups 2000' \
		    'PerSourcePenalties no' 'LoginGraceTime 600'
	)
	on_cores "$client_cores"
	chmod 755 "$run"
	chmod 644 "$run/id.pub"
	echo 'sessions,fps,keys/s,pass,mode,saturated,seconds,frames through (%),keys through (%),user CPU (% of a core),system CPU (% of a core),CPU (% of a core),CPU per session (ms/s),reads/s per session,writes/s per session,packets to server/s per session,packets to client/s per session,kB/s to server per session,kB/s to client per session,memory per session (KiB PSS),system calls/s per session,cryptography (% of samples)' \
	    >"$results/load.csv"
	for pass in $(seq "$passes"); do
		for r in $(echo "$rows" | tr , ' '); do
			for mode in advertised withheld; do
				# shellcheck disable=SC2046 # sessions and rates
				one_row $(echo "$r" | tr @ ' ') "$pass" "$mode"
			done
		done
	done
}

# summary: per session, medians of the passes; of ratios, which are taken in each
# pass, with the least and the greatest. CSV.
summary() {
	echo 'sessions,frames/s,keys/s,mode,CPU (% of a core),CPU (ms/s),against fewest,withheld : advertised,reads+writes/s,system calls/s,packets/s in + out,kB/s of TCP payload in + out,PSS (KiB),crypto (% of samples)'
	awk -F, "$named_fields"'
	{
		k = f["sessions"] "," f["fps"] "," f["keys/s"]
		if (!(k in rates)) {
			rates[k] = f["fps"] "," f["keys/s"]
			order[++rows] = k
		}
		m = f["mode"]
	}
	f["saturated"] == "yes" { saturated[k, m] = 1 }
	f["saturated"] == "no" {
		measured[k, m] = 1
		passes[f["pass"]] = 1
		per[k, m, f["pass"]] = f["CPU per session (ms/s)"]
		f["calls"] = f["reads/s per session"] + f["writes/s per session"]
		for (c in f)
			if (f[c] != "-")
				values[k, m, c] = values[k, m, c] " " f[c]
	}
	# median(LIST): also sets least and greatest.
	function median(list, n, v, i, j, x) {
		n = split(list, v, " ")
		for (i = 2; i <= n; i++) {
			x = v[i] + 0
			for (j = i; j > 1 && v[j - 1] > x; j--) v[j] = v[j - 1]
			v[j] = x
		}
		least = v[1]; greatest = v[n]
		i = int((n + 1) / 2)
		return n % 2 ? v[i] : (v[i] + v[i + 1]) / 2
	}
	function middle(c, format) {
		return (k, m, c) in values ? sprintf(format, median(values[k, m, c])) : ""
	}
	# ratio(TO_K, TO_M): of CPU per session here to there.
	function ratio(to_k, to_m, p, list, x) {
		for (p in passes)
			if ((k, m, p) in per && (to_k, to_m, p) in per)
				list = list " " per[k, m, p] / per[to_k, to_m, p]
		if (list == "") return ""
		x = median(list)
		return sprintf("%.2f (%.2f to %.2f)", x, least, greatest)
	}
	END {
		for (r = 1; r <= rows; r++) for (i = 1; i <= 2; i++) {
			k = order[r]; m = i == 1 ? "advertised" : "withheld"
			printf "%s,%s", k, m
			if ((k, m) in saturated) { print ",saturated by the generator,,,,,,,,,"; continue }
			if (!((k, m) in measured)) { print ",not tried,,,,,,,,,"; continue }
			if (!((rates[k], m) in fewest)) fewest[rates[k], m] = k
			there = fewest[rates[k], m]
			printf ",%s,%s", middle("CPU (% of a core)", "%.1f"),
			    middle("CPU per session (ms/s)", "%.2f")
			to_advertised = m == "withheld" && !((k, "advertised") in saturated)
			printf ",%s,%s", k == there ? "1.00" : ratio(there, m),
			    to_advertised ? ratio(k, "advertised") : ""
			printf ",%s,%s", middle("calls", "%.0f"),
			    middle("system calls/s per session", "%.1f")
			printf ",%s + %s", middle("packets to server/s per session", "%.0f"),
			    middle("packets to client/s per session", "%.0f")
			printf ",%s + %s", middle("kB/s to server per session", "%.1f"),
			    middle("kB/s to client per session", "%.1f")
			printf ",%s,%s\n", middle("memory per session (KiB PSS)", "%.0f"),
			    middle("cryptography (% of samples)", "%.1f")
		}
	}' "$results/load.csv"
}

report() {
	{
		echo '# What players cost the server'
		echo
		echo "The server is upstream's with the series, and without PAM; the clients are stock"
		echo "($version). Each has a screen of 80x60 painted, and keys typed, at the given rates."
		echo "Only the server's side is counted, per session but for the first column of CPU. A pass"
		echo "has all rows, each $seconds s in one mode and then in the other; medians of $passes passes."
		echo "\"Against fewest\" is CPU per session against the smallest number of sessions at these"
		echo "rates; ratios are taken within a pass, and the least and the greatest are in brackets."
		echo "CPU is from $accounting. The server and the screens have one core, the clients the"
		echo "others; no core sleeps, see tests/bench/lib.sh."
		[ -n "$perf" ] || echo "System calls and cryptography: skipped, perf cannot run here."
		echo "Where not 95 to 105 % of frames and keys came through, or clients that send chaff sent"
		echo "less than 90 % of what they do when they are few, the generator is saturated, and the"
		echo "row says nothing about the server. \"Not tried\": fewer were saturated, or by what fewer"
		echo "cost the server would need more than its core."
		echo
		summary | markdown
		echo
		cat "$results/machine.md"
	} >"$results/table.md"
	first=${rows%%,*}@
	fps=$(echo "$first" | cut -d@ -f2)
	keys=$(echo "$first" | cut -d@ -f3)
	plot_per_sessions cpu "Server: CPU of sshd, $fps frames/s, $keys keys/s" \
	    'CPU (% of a core)' 'f["CPU (% of a core)"]'
	plot_per_sessions packets "Packets on the wire, $fps frames/s, $keys keys/s" \
	    'packets per second, both ways' \
	    'f["sessions"] * (f["packets to server/s per session"] + f["packets to client/s per session"])'
}

# plot_per_sessions NAME TITLE LABEL VALUE: the unsaturated rows with the rates
# $fps and $keys, VALUE in awk.
plot_per_sessions() {
	for mode in advertised withheld; do
		awk -F, -v OFS=, -v fps="$fps" -v keys="$keys" -v mode="$mode" \
		    "$named_fields $same"' && f["saturated"] == "no" {
			print f["sessions"], '"$4"' }' "$results/load.csv" >"$tmp/plot-$mode"
		# gnuplot does not plot nothing.
		[ -s "$tmp/plot-$mode" ] || echo 0,0 >"$tmp/plot-$mode"
	done
	plot "$1" <<-EOF_PLOT
		set title "$2"
		set xlabel 'sessions'; set xrange [0:*]
		set ylabel '$3'; set yrange [0:*]
		plot '$tmp/plot-advertised' smooth unique lc rgb '#c0392b' lw 2 title 'advertised (stock): passes, and their mean', \
		    '' with points lc rgb '#c0392b' pt 7 notitle, \
		    '$tmp/plot-withheld' smooth unique lc rgb '#2471a3' lw 2 title 'withheld (AdvertisePing no): likewise', \
		    '' with points lc rgb '#2471a3' pt 7 notitle
	EOF_PLOT
}

# check_rows: stop if one of $rows is none; write all as N@FPS@KEYS, by rates as
# first named, few sessions first: what is saturated depends on it.
check_rows() {
	for r in $(echo "$rows" | tr , ' '); do
		echo "$r" | awk -F@ '
		    !/^[1-9][0-9]*@[1-9][0-9]*(@[0-9]+([.][0-9]+)?)?$/ { exit 1 }
		    NF == 3 && $3 == 0 { exit 1 }' ||
		    die "not sessions@frames or sessions@frames@keys: $r; $usage"
		[ $((${r%%@*} * 2 + 64)) -le "$(cat /proc/sys/kernel/pty/max)" ] ||
		    die "${r%%@*} sessions need more ptys than kernel.pty.max"
		# Of few, one that is late counts too much.
		echo "$r" | awk -F@ -v s="$seconds" '{
			exit ($1 * (NF == 3 ? $3 : 1) * s < 60) }' ||
		    die "fewer than 60 keys in $seconds s: $r; take more --seconds"
	done
	rows=$(echo "$rows" | tr , '\n' | awk -F@ -v OFS=@ 'NF {
		if (NF == 2) $3 = 1
		if (!(($2, $3) in rates)) rates[$2, $3] = ++n
		print rates[$2, $3], $0
	    }' | sort -t@ -k1,1n -k2,2n | cut -d@ -f2- | paste -sd,)
	[ -n "$rows" ] || die "no rows; $usage"
}

parse() {
	for o; do
		case $o in
		--rows=?*) rows=${o#*=} ;;
		--passes=*) passes=$(number "$o") ;;
		--seconds=*) seconds=$(number "$o") ;;
		*) common_option "$o" ;;
		esac
	done
	if [ -n "$smoke" ]; then
		# Few keys would make one that is still on its way count much.
		: "${rows:=2@5@5}" "${seconds:=6}" "${passes:=1}" "${perf_seconds:=1}"
	fi
	: "${rows:=25@10,50@10,100@10,200@10,400@10,25@1,100@1,400@1,1000@1,100@1@0.05,1000@1@0.05}"
	: "${seconds:=20}"
	: "${passes:=3}" "${perf_seconds:=10}"
	check_rows
}

rows='' seconds='' passes='' perf_seconds=''
ramp=300
parse "$@"
if [ -n "$inside" ]; then
	measure
	exit
fi
become_root "$@"
need build-essential gnuplot-nox fonts-dejavu-core iproute2 mount procps util-linux
scratch
server=$("$top/packaging/compile.sh" 10.0p1)
client=$("$top/packaging/compile.sh" 10.0p1 --stock)
version=$("$client/ssh" -V 2>&1 | sed 's/,.*//')
perf=
if perf stat -e raw_syscalls:sys_enter true >/dev/null 2>&1; then
	perf=yes
fi
make_cgroups
accounting=${cgroup:+their cgroup}
: "${accounting:=/proc, since there is no cgroup to use}"
export server client cgroup perf
results_begin load
measure_inside "$@"
report
results_end
