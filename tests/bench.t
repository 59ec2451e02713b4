#!/bin/sh
# A short run of each bench: it works, leaves all that it should, and what it
# counted is sane. How long anything takes is not looked at.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/tests/lib/tap.sh"
. "$top/tests/bench/lib.sh"

[ -e "$work/10.0p1/.hush-configured" ] || skip_all "10.0p1 could not be built"
# All that they need is here by now, see run.sh.
OFFLINE=1
export OFFLINE

# bench NAME PLOT...: run it, with results in $results, and look what is there.
bench() {
	b_name=$1
	shift
	results=$tmp/$b_name
	ok "$b_name runs" "$top/tests/bench/$b_name.sh" --smoke --into="$results"
	is "$b_name: the table names the machine" 1 \
	    "$(grep -c '^- kernel: ' "$results/table.md")"
	for p; do
		ok "$b_name: plot $p.svg" grep -q '</svg>' "$results/$p.svg"
		is "$b_name: plot $p.png" 89504e47 \
		    "$(od -An -tx1 -N4 "$results/$p.png" | tr -d ' ')"
	done
}

# value FILE.csv COLUMN CONDITION: that of the one row.
value() {
	column "$results/$1" "$2" "$3"
}

bench keystroke packets echo
# On an idle machine some 250; on a busy one the client has no time for all.
between "keystroke: packets advertised" 21 1000 \
    "$(value runs.csv packets 'f["mode"] == "advertised"')"
for mode in withheld client-off; do
	between "keystroke: packets $mode" 3 6 \
	    "$(value runs.csv packets "f[\"mode\"] == \"$mode\"")"
	is "keystroke: chaff $mode" 0 \
	    "$(value runs.csv chaff "f[\"mode\"] == \"$mode\"")"
done
is "keystroke: packets.csv has as many packets as runs.csv says" \
    "$(column "$results/runs.csv" packets |
    awk '{ n += $1 } END { print n }')" \
    "$(column "$results/packets.csv" run | wc -l)"
is "keystroke: each key had its echo" 15 \
    "$(column "$results/echo.csv" 'echo (ms)' | grep -c '^[0-9.]*$')"
ok "keystroke: the client says why" grep -q 'chaff packets sent' \
    "$results/ssh-advertised.log"

bench load cpu packets
for mode in advertised withheld; do
	row="f[\"mode\"] == \"$mode\""
	# Busy with something else, a machine may be that with two sessions.
	ok "load: $mode is saturated, or not" \
	    sh -c 'case $1 in yes|no) ;; *) exit 1 ;; esac' - \
	    "$(value load.csv saturated "$row")"
	between "load: packets to the server a second and session, $mode" 1 500 \
	    "$(value load.csv 'packets to server/s per session' "$row" | cut -d. -f1)"
	between "load: KiB of memory a session, $mode" 500 50000 \
	    "$(value load.csv 'memory per session (KiB PSS)' "$row")"
	ok "load: CPU was used, $mode" test 0 != \
	    "$(value load.csv 'CPU per session (ms/s)' "$row" | tr -d '.0')0"
done
# On an idle machine it is three times as many.
column "$results/load.csv" 'reads/s per session' >"$tmp/reads"
ok "load: advertised has more reads" \
    awk 'NR == 1 { a = $1 } END { exit !(NR == 2 && a > $1) }' "$tmp/reads"

for t in load paint; do
	cc -O2 -o "$tmp/$t.out" "$top/tests/tools/$t.c" -lutil
done
stuck=0
# A screen that stops after the first frames. It ends earlier than its input.
mkfifo "$tmp/hold"
sleep infinity >"$tmp/hold" &
hold=$!
"$tmp/load.out" -s 6 -t 3 2 sh -c "stty raw -echo; '$tmp/paint.out' -f 5 </dev/tty &
    sleep 2; kill -KILL \$!; exec sleep 100000.$$" <"$tmp/hold" >"$tmp/stuck" 2>&1 || stuck=$?
kill "$hold"
is "load: clients that do not keep up are not measured" 3 "$stuck"
is "load: nor is any of them left" '' "$(pgrep -a -f "^sleep 100000[.]$$\$")"

# Ctrl-C does the same, but does not reach what a script has in its background.
"$top/tests/bench/load.sh" --rows=2@7 --seconds=600 "--into=$tmp/interrupted" \
    >"$tmp/interrupted.log" 2>&1 &
load=$!
# Only its painters paint at that rate.
wait_for pgrep -f '/paint -f 7'
kill "$load"
ended=0
wait "$load" || ended=$?
is "load: ended by a signal while it measured" '143 1' \
    "$ended $(grep -c '2 sessions' "$tmp/interrupted.log")"
none_left() {
	! pgrep -a -f -- 'load.sh --rows=2@7|/paint -f 7|sshd.*-f /run/bench/sshd_config'
}
ok "load: no process of it is left" wait_for none_left
ok "load: nor any result" test ! -e "$tmp/interrupted"
ok "load: nor a cgroup" sh -c '! ls -d /sys/fs/cgroup/hush-bench.* \
    /sys/fs/cgroup/*/hush-bench.* 2>/dev/null | grep .'

bench clients packets
is "clients: no failure" 0 "$(grep -c FAILED "$results/clients.csv")"
is "clients: each in both modes" \
    "$(value clients.csv client 'f["mode"] == "advertised"')" \
    "$(value clients.csv client 'f["mode"] == "withheld"')"
is "clients: packets withheld are few" '' \
    "$(value clients.csv client 'f["mode"] == "withheld" && f["packets"] > 6')"

if [ -e "$out/debian-13/.stamp" ] && [ -e "$work/roots/trixie-test.tar" ]; then
	bench unset ratios
	is "unset: logins to three servers" '4 ours 4 stock 4 stock-again' \
	    "$(column "$results/logins.csv" server | sort | uniq -c |
	    tr -s ' \n' ' ' | sed 's/^ //; s/ $//')"
	is "unset: all took some time" 12 \
	    "$(column "$results/logins.csv" seconds '$3 > 0' | wc -l)"
	is "unset: each copy took CPU of its server" 3 \
	    "$(column "$results/cpu.csv" ms '$3 > 0' | wc -l)"
	between "unset: idle sessions have memory" 9 9 \
	    "$(column "$results/memory.csv" KiB '$3 > 500' | wc -l)"
else
	skip "unset" "there are no packages in out/debian-13"
fi

refused "an unknown option" 'keystroke: no such option: --what' \
    "$top/tests/bench/keystroke.sh" --what
refused "a number that is none" 'not a number from 1 on: --runs=0' \
    "$top/tests/bench/keystroke.sh" --runs=0
for r in 25 25@ @10 25@10@0 25@10@0.0 25@10@1@1 0@10 x@10 25@10,2@5@-1; do
	refused "--rows=$r" "not sessions@frames or sessions@frames@keys: ${r#*,}" \
	    "$top/tests/bench/load.sh" "--rows=$r"
done
refused "rows with few keys" 'fewer than 60 keys in 20 s: 20@1@0.1' \
    "$top/tests/bench/load.sh" --rows=25@10,20@1@0.1
mkdir "$tmp/precious"
refused "a directory that is not results" 'is there already' \
    "$top/tests/bench/keystroke.sh" --smoke "--into=$tmp/precious"
echo '- bench: load' >"$tmp/precious/machine.md"
refused "results of another bench" 'not results of bench keystroke' \
    "$top/tests/bench/keystroke.sh" --smoke "--into=$tmp/precious"
mkdir "$tmp/.results.old"
refused "a directory with the name that former results have" \
    'not results of bench keystroke' \
    "$top/tests/bench/keystroke.sh" --smoke "--into=$tmp/results"
ok "all are left alone" test -e "$tmp/precious/machine.md" -a -d "$tmp/.results.old"
refused "a place that cannot be written to, before measuring" \
    'cannot write to /proc/results' \
    "$top/tests/bench/keystroke.sh" --smoke --into=/proc/results/keystroke
done_testing
