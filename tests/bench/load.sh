#!/bin/sh
# usage: load.sh [--smoke] [--into=DIR] [--rows=N@FPS[@KEYS],...] [--seconds=N]
# What players cost the server: N stock clients, each with a screen of 80x60
# that is painted FPS times a second, and KEYS keys a second (1; 0.05 is a key
# every 20 seconds). For each row advertised, withheld, advertised, withheld, and
# each is measured for 20 seconds. Only the server's side counts: CPU of all processes of sshd (of their
# cgroup, or where there is none from /proc), read and write calls, packets and
# bytes of its sockets, memory; and for up to 100 sessions, where perf can run,
# system calls and the share of samples in cryptography.
#
# Generator and server share the machine. Where less than 95 % of the frames or
# keys came through, or clients to which ping is advertised sent less than 90 %
# of what they do when they are few (they drop chaff that they have no time for),
# the row says "saturated", no ratio is taken from it, and the mode is not tried
# with more sessions at these rates; nor with so many that the server alone would
# need more cores than there are.
#
# Runs as root, or with sudo. Leaves load.csv, table.md, and the plots cpu and
# packets.
set -eu
top=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
. "$top/packaging/lib.sh"
. "$top/tests/bench/lib.sh"
. "$top/tests/lib/server.sh"

usage='usage: bench load [--smoke] [--into=DIR] [--rows=N@FPS[@KEYS],...] [--seconds=N]'
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
	for _ in $(seq 50); do
		[ -e "$cgroup" ] || break
		rmdir "$cgroup/server" "$cgroup/painters" "$cgroup" \
		    2>/dev/null || sleep 0.2
	done
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
# samples), or leave "-". In a time of its own, since it costs something.
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
	perf record -q -F 999 -e cpu-clock -p "$pids" -o "$tmp/perf.data" \
	    sleep "$perf_seconds" >/dev/null 2>&1 || :
	crypto=$(perf report -i "$tmp/perf.data" --stdio -t, -F sample,dso,sym \
	    2>/dev/null | awk -F, '/^#/ || NF < 3 { next }
	    { all += $1 }
	    $2 ~ /libcrypto/ || $3 ~ /\] *(poly1305|chacha|chachapoly)_/ { c += $1 }
	    END { if (all) printf "%.1f", c / all * 100 }')
	syscalls=${syscalls:--} crypto=${crypto:--}
}

# For awk, as "$same"'...': whether a row of load.csv has the rates and the mode of
# this one.
same='f["fps"] == fps && f["keys/s"] == keys && f["mode"] == mode'

# too_many: whether fewer sessions were saturated already, or the server alone
# would need more cores than there are, by what fewer cost it.
too_many() {
	awk -F, -v n="$n" -v fps="$fps" -v keys="$keys" -v mode="$mode" \
	    -v cores="$(nproc)" "$named_fields $same"' {
		if (f["saturated"] == "yes") saturated = 1
		if (f["saturated"] == "no") each = f["CPU per session (ms/s)"]
	    }
	    END { exit !(saturated || n * each / 1000 > cores) }' \
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
	tries=0
	while [ "$(server_pids | wc -l)" -gt 1 ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 300 ] || die "sessions of sshd do not end"
		sleep 0.2
	done
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
	END {
		frames *= 100 / (n * fps * t)
		seen *= 100 / (n * keys * t)
		# Without chaff there are few bytes, and fewer ACKs on a busy machine.
		unchaffed = mode == "advertised" && rate["bytes_received"] / n / 1000 < 0.9 * few
		saturated = frames < 95 || seen < 95 || unchaffed
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

# keep_awake: a process on each core that runs when no other wants to. To wake a
# core that sleeps costs whoever wakes it, on a virtual machine as much as a fifth
# of all that a session costs; and the fewer sessions, the more often one sleeps.
# They are gone with the namespace.
keep_awake() {
	for _ in $(seq "$(nproc)"); do
		chrt -i 0 sh -c 'while :; do :; done' &
	done
}

measure() {
	begin_inside
	keep_awake
	for t in load paint; do
		cc -O2 -Wall -Wextra -static -o "$run/$t" "$top/tests/tools/$t.c" -lutil
	done
	(
		[ -z "$cgroup" ] || echo 0 >"$cgroup/server/cgroup.procs"
		start_server "$server" "$run" 'MaxStartups 2000' \
		    'PerSourcePenalties no' 'LoginGraceTime 600'
	)
	chmod 755 "$run"
	chmod 644 "$run/id.pub"
	echo 'sessions,fps,keys/s,pass,mode,saturated,seconds,frames through (%),keys through (%),user CPU (% of a core),system CPU (% of a core),CPU (% of a core),CPU per session (ms/s),reads/s per session,writes/s per session,packets to server/s per session,packets to client/s per session,kB/s to server per session,kB/s to client per session,memory per session (KiB PSS),system calls/s per session,cryptography (% of samples)' \
	    >"$results/load.csv"
	for r in $(echo "$rows" | tr , ' '); do
		for pass in $passes; do
			for mode in advertised withheld; do
				# shellcheck disable=SC2046 # sessions and rates
				one_row $(echo "$r" | tr @ ' ') "$pass" "$mode"
			done
		done
	done
}

# summary: per session, means of the passes; CSV.
summary() {
	echo 'sessions,frames/s,keys/s,mode,CPU (% of a core),CPU (ms/s),against fewest,withheld : advertised,reads+writes/s,system calls/s,packets/s in + out,kB/s of TCP payload in + out,PSS (KiB),crypto (% of samples)'
	awk -F, "$named_fields"'
	{
		rates = f["fps"] "," f["keys/s"]
		k = f["sessions"] "," rates
		if (!(k in of)) { of[k] = rates; order[++rows] = k }
		i = k SUBSEP f["mode"]
	}
	f["saturated"] == "yes" { saturated[i] = 1 }
	f["saturated"] == "no" {
		c[i]++
		cpu[i] += f["CPU (% of a core)"]
		per[i] += f["CPU per session (ms/s)"]
		calls[i] += f["reads/s per session"] + f["writes/s per session"]
		in_[i] += f["packets to server/s per session"]
		out[i] += f["packets to client/s per session"]
		kin[i] += f["kB/s to server per session"]
		kout[i] += f["kB/s to client per session"]
		pss[i] += f["memory per session (KiB PSS)"]
		if (f["system calls/s per session"] != "-")
			sys[i] = f["system calls/s per session"]
		if (f["cryptography (% of samples)"] != "-")
			crypto[i] = f["cryptography (% of samples)"]
	}
	END {
		mode[1] = "advertised"; mode[2] = "withheld"
		for (r = 1; r <= rows; r++) for (m = 1; m <= 2; m++) {
			k = order[r]; i = k SUBSEP mode[m]
			printf "%s,%s", k, mode[m]
			if (i in saturated) { print ",saturated by the generator,,,,,,,,,"; continue }
			if (!(i in c)) { print ",not tried,,,,,,,,,"; continue }
			x = per[i] / c[i]
			fewest = of[k] SUBSEP mode[m]
			if (!(fewest in base)) base[fewest] = x
			a = k SUBSEP mode[1]
			ratio = ""
			if (m == 2 && (a in c) && !(a in saturated))
				ratio = sprintf("%.2f", x / (per[a] / c[a]))
			printf ",%.1f,%.2f,%.2f,%s,%.0f,%s,%.0f + %.0f,%.1f + %.1f,%.0f,%s\n",
			    cpu[i] / c[i], x, x / base[fewest], ratio, calls[i] / c[i],
			    (i in sys) ? sys[i] : "", in_[i] / c[i], out[i] / c[i],
			    kin[i] / c[i], kout[i] / c[i], pss[i] / c[i],
			    (i in crypto) ? crypto[i] : ""
		}
	}' "$results/load.csv"
}

report() {
	{
		echo '# What players cost the server'
		echo
		echo "Stock clients ($version), each with a screen of 80x60 painted, and keys typed, at"
		echo "the given rates. Only the server's side is counted, per session but for the first"
		echo "column of CPU; the modes in turn; means of all passes of $seconds s. \"Against fewest\" is"
		echo "CPU per session against the smallest number of sessions at these rates. CPU is from"
		echo "$accounting."
		[ -n "$perf" ] || echo "System calls and cryptography: skipped, perf cannot run here."
		echo "Cores are kept from sleeping, see tests/bench/load.sh."
		echo "Where less than 95 % of frames or keys came through, or clients that send chaff sent"
		echo "less than 90 % of what they do when they are few, the generator, which runs on the"
		echo "same cores, is saturated, and the row says nothing about the server. \"Not"
		echo "tried\": fewer were saturated, or by what fewer cost the server alone would need"
		echo "more cores than there are."
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
# $fps and $keys, VALUE in awk; the line goes through the means of the passes.
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
		plot '$tmp/plot-advertised' smooth unique lc rgb '#c0392b' lw 2 title 'advertised (stock)', \
		    '' with points lc rgb '#c0392b' pt 7 notitle, \
		    '$tmp/plot-withheld' smooth unique lc rgb '#2471a3' lw 2 title 'withheld (AdvertisePing no)', \
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
		--seconds=*) seconds=$(number "$o") ;;
		*) common_option "$o" ;;
		esac
	done
	if [ -n "$smoke" ]; then
		# Few keys would make one that is still on its way count much.
		: "${rows:=2@5@5}" "${seconds:=6}"
		passes=1 perf_seconds=1
	fi
	: "${rows:=25@10,50@10,100@10,200@10,400@10,25@1,400@1,100@1@0.05,400@1@0.05,1000@1@0.05}"
	: "${seconds:=20}"
	: "${passes:=1 2}" "${perf_seconds:=5}"
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
