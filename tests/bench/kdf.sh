#!/bin/bash
# usage: kdf.sh [--smoke] [--into=DIR]
# How long bcrypt_pbkdf takes, upstream's code (10.0p1 without the series)
# beside ours, in turns and on one core:
#
#   rounds.csv      ssh-keygen -c, which unlocks a key and locks it again, by
#                   rounds: seconds of wall clock time of each run
#   unlock.csv      ssh-keygen -y, which unlocks a key: the same
#   in-process.csv  bcrypt_pbkdf() alone, by compiler and bytes of output, with
#                   the distribution's flags: milliseconds of CPU time for one
#                   round. Runs of the two codes alternate, so that they pair
#   expansions.csv  Blowfish key expansions per second of CPU time: ours, and
#                   john's bcrypt, which guesses passwords as fast as it can
#
# and table.md and rounds.{svg,png} from these. About 10 minutes if nothing else runs.
set -euo pipefail
top=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
. "$top/packaging/lib.sh"
. "$top/tests/bench/lib.sh"
. "$top/tests/lib/kdf.sh"

passes=3
keygen_rounds='16 32 64 128 256 512 1024'
unlock_rounds='24 64 100 128 256'
in_process_runs=60
john_seconds=3
usage='usage: bench kdf [--smoke] [--into=DIR]'
for o; do
	common_option "$o"
done
if [ -n "$smoke" ]; then
	passes=1
	keygen_rounds='1 2 3'
	unlock_rounds='1 2'
	in_process_runs=2
	john_seconds=1
fi
core=$(($(nproc) - 1))
# Both expand the key with salt once, then twice for each of 64 or of 32
# (bcrypt of cost 5) iterations; a round for a key and an IV is two hashes.
expansions_round=$((2 * 129))
expansions_bcrypt=65

on_core() {
	taskset -c "$core" "$@"
}

# make_key ROUNDS: a key to work on copies of, $tmp/key-ROUNDS.
make_key() {
	[ -e "$tmp/key-$1" ] || "$work/10.0p1/ssh-keygen" -q -t ed25519 \
	    -a "$1" -N passphrase -C old -f "$tmp/key-$1"
}

# hyper CSV ROUNDS OPTION...: two runs of ssh-keygen OPTION... of each code, on
# a fresh copy of the key: -c does nothing if the comment is the new one already.
hyper() {
	local csv=$1 rounds=$2
	shift 2
	make_key "$rounds"
	on_core hyperfine --shell=none --style=none --runs 2 \
	    --prepare "$(printf '%q ' cp "$tmp/key-$rounds" "$tmp/key")" \
	    --export-json "$tmp/hyper.json" --parameter-list tree \
	    10.0p1-stock,10.0p1 \
	    "$(printf '%q ' "$work/{tree}/ssh-keygen" "$@" -q -P passphrase -f \
	    "$tmp/key" | sed 's/\\\([{}]\)/\1/g')" >/dev/null
	jq -r --arg rounds "$rounds" '.results[] |
	    (if .parameters.tree == "10.0p1" then "ours" else "stock" end) as $code |
	    .times[] | [$rounds, $code, .] | @csv' "$tmp/hyper.json" |
	    tr -d '"' >>"$results/$csv"
}

keygen() {
	local pass rounds
	echo 'rounds,code,seconds' | tee "$results/rounds.csv" \
	    >"$results/unlock.csv"
	for ((pass = 1; pass <= passes; pass++)); do
		note "ssh-keygen, pass $pass of $passes"
		for rounds in $keygen_rounds; do
			hyper rounds.csv "$rounds" -c -a "$rounds" -C new
		done
		for rounds in $unlock_rounds; do
			hyper unlock.csv "$rounds" -y
		done
	done
}

in_process() {
	local cc flags
	echo 'compiler,key_bytes,code,run,ms_per_round' \
	    >"$results/in-process.csv"
	for cc in gcc clang; do
		flags=$(distribution_flags "$cc")
		note "bcrypt_pbkdf alone: $cc $flags"
		echo "- $("$cc" --version | head -n 1): \`$flags\`" \
		    >>"$results/machine.md"
		# shellcheck disable=SC2086 # a list
		build_kdf "$cc" "$cc" $flags
		on_core "$tmp/$cc" time "$in_process_runs" |
		    sed "s/^/$cc,/" >>"$results/in-process.csv"
	done
}

# john says "Raw: N c/s real, M c/s virtual": M is by CPU time.
# It leaves ~/.john, whatever HOME is.
expansions() {
	local pass cs left
	left=$(getent passwd "$(id -u)" | cut -d: -f6)/.john
	[ ! -e "$left" ] || left=
	echo 'program,run,expansions_per_second' >"$results/expansions.csv"
	for ((pass = 1; pass <= passes; pass++)); do
		note "key expansions, pass $pass of $passes"
		cs=$(cd "$tmp" && OMP_NUM_THREADS=1 on_core \
		    /usr/sbin/john --test="$john_seconds" --format=bcrypt \
		    2>/dev/null |
		    sed -n 's/^Raw:.* \([0-9.]*K*\) c\/s virtual.*/\1/p' |
		    sed 's/K$/000/')
		[ -n "$cs" ] || die "john --test printed no speed"
		echo "john,$pass,$(awk "BEGIN { print $cs * $expansions_bcrypt }")" \
		    >>"$results/expansions.csv"
		on_core "$tmp/gcc" time 5 | awk -F, -v OFS=, -v pass="$pass" \
		    -v n="$expansions_round" '$1 == 64 {
			print $2, pass, 1000 * n / $4 }' \
		    >>"$results/expansions.csv"
	done
	[ -z "$left" ] || rm -rf "$left"
}

# by COLUMNS VALUE [FILE]: median, first and third quartile of column VALUE
# for each group of COLUMNS, as CSV, groups in order.
by() {
	local columns=$1 value=$2
	shift 2
	datamash --header-in --sort -t, -g "$columns" median "$value" \
	    q1 "$value" q3 "$value" <"$1" | sort -t, -V
}

# ratios: "compiler,key_bytes,run,ratio" of runs that came one after the other.
ratios() {
	echo compiler,key_bytes,run,ratio
	awk -F, -v OFS=, '$3 == "stock" { stock = $5 }
	    $3 == "ours" { print $1, $2, $4, stock / $5 }' \
	    "$results/in-process.csv"
}

# fit CODE: "slope intercept correlation" of rounds.csv, in seconds.
fit() {
	awk -F, -v code="$1" '$2 == code { print $1, $3 }' \
	    "$results/rounds.csv" >"$tmp/fit-$1"
	gnuplot -e "stats '$tmp/fit-$1' using 1:2 nooutput;
	    set print '-'; print STATS_slope, STATS_intercept, STATS_correlation"
}

# times CSV: a table by rounds, from stock's and our lines.
times() {
	by 1,2 3 "$results/$1" | awk -F, '
	    { m[$1, $2] = $3; s[$1, $2] = sprintf("%.3f (%.3f–%.3f)", $3, $4, $5) }
	    !($1 in seen) { seen[$1] = 1; order[++n] = $1 }
	    END { for (i = 1; i <= n; i++) { r = order[i]
		printf "| %d | %.1f | %s | %s | %.2f |\n", r,
		    log(129 * r) / log(2), s[r, "stock"], s[r, "ours"],
		    m[r, "stock"] / m[r, "ours"] } }'
}

table() {
	local head='| rounds | bcrypt cost | upstream, s | ours, s | ratio |
| ---: | ---: | ---: | ---: | ---: |'
	cat <<EOF
All numbers: median (first to third quartile).

## Unlocking a key: ssh-keygen -y

$head
$(times unlock.csv)

The bcrypt cost is that of a password hash that takes as many key expansions:
one round takes 2 × 129 and cost c takes 2 × 2^c, so it is log2(129 × rounds).

## Unlocking and locking it again: ssh-keygen -c

$head
$(times rounds.csv)

Least squares, t in seconds for r rounds: $(for code in stock ours; do
	fit "$code" | awk -v code="$code" '{
	printf "%s t = %.6f r %+.4f (correlation %.5f)%s", code, $1, $2, $3,
	    code == "stock" ? "; " : "." }'; done)

## bcrypt_pbkdf() alone, by bytes of output

| compiler | bytes | upstream, ms a round | ours, ms a round | ratio |
| --- | ---: | ---: | ---: | ---: |
$(paste -d, <(by 1,2,3 5 "$results/in-process.csv" | grep ,stock,) \
    <(by 1,2,3 5 "$results/in-process.csv" | grep ,ours,) \
    <(ratios >"$tmp/ratios"; by 1,2 4 "$tmp/ratios") | awk -F, '{
	printf "| %s | %d | %.3f (%.3f–%.3f) | %.3f (%.3f–%.3f) | %.3f (%.3f–%.3f) |\n",
	    $1, $2, $4, $5, $6, $10, $11, $12, $15, $16, $17 }')

CPU time, with the distribution's flags.

## Blowfish key expansions per second and core

| program | expansions/s |
| --- | ---: |
$(by 1 3 "$results/expansions.csv" | awk -F, '{
	name["john"] = "john --test --format=bcrypt (" "'"$expansions_bcrypt"'" " for each c/s)"
	name["ours"] = "ours, 64 bytes, gcc"; name["stock"] = "upstream, 64 bytes, gcc"
	printf "| %s | %.0f (%.0f–%.0f) |\n", name[$1], $2, $3, $4 }')
EOF
}

plot_rounds() {
	local code
	for code in stock ours; do
		by 1,2 3 "$results/rounds.csv" |
		    awk -F, -v OFS=, -v code="$code" \
		    '$2 == code { print $1, $3, $4, $5 }' >"$tmp/plot-$code"
		fit "$code" | awk -v code="$code" \
		    '{ printf "f_%s(x) = %s * x + %s\n", code, $1, $2 }'
	done >"$tmp/functions"
	plot rounds <<EOF
load '$tmp/functions'
set logscale xy 2
set xlabel 'rounds (-a)'
set ylabel 'seconds'
set title 'ssh-keygen -c: unlock a key and lock it again'
plot '$tmp/plot-stock' using 1:2:3:4 with yerrorbars title 'upstream' lc 1, \
    f_stock(x) title 'least squares' lc 1, \
    '$tmp/plot-ours' using 1:2:3:4 with yerrorbars title 'ours' lc 2, \
    f_ours(x) title 'least squares' lc 2
EOF
}

# shellcheck disable=SC2086 # a list
need $kdf_bench_packages
"$top/packaging/compile.sh" 10.0p1 >/dev/null
"$top/packaging/compile.sh" 10.0p1 --stock >/dev/null
scratch
results_begin kdf
in_process
expansions
keygen
table >"$results/table.md"
plot_rounds
results_end
