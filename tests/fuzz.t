#!/bin/sh
# The fuzzers of what we change, see overlay/regress/misc/fuzz-harness/hush.mk, and
# upstream's of private keys, from the few inputs in tests/fuzz/: for 20 s each, and
# with --full until there were 10^7 inputs in all. Faults that are planted are found.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/tests/lib/tap.sh"

seconds=20
# Each with its inputs with --full: the most where they take least.
fuzzers='servconf 100000
bcrypt_pbkdf 50000
keykdf 100000
privkey 5000000
kdftime 4750000'

# fuzz TREE NAME LIMIT PREFIX: until LIMIT. What it says goes to $tmp/NAME.log, an
# input that shows a fault to PREFIX with more behind it. No input of that length is
# a reason for much memory. What fatal() leaves to exit is not a leak.
fuzz() {
	leaks=1
	longest=2048
	case $2 in
	servconf) leaks=0 ;;
	kdftime) leaks=0 longest=63 ;;
	esac
	mkdir -p "$tmp/found-$2"
	ASAN_OPTIONS=log_path=stderr:detect_leaks=$leaks \
	    "$1/regress/misc/fuzz-harness/$2_fuzz" "$3" -max_len="$longest" \
	    -timeout="$wait_limit" -malloc_limit_mb=64 -print_final_stats=1 \
	    -artifact_prefix="$4" "$tmp/found-$2" "$top/tests/fuzz/$2" \
	    >"$tmp/$2.log" 2>&1 </dev/null
}

# statistic NAME STATISTIC: a number.
statistic() {
	awk -v s="stat::$2:" '$1 == s { n = $2 } END { print n + 0 }' "$tmp/$1.log"
}

# limits: "NAME LIMIT" of each.
limits() {
	echo "$fuzzers" | while read -r name runs; do
		if [ -n "${HUSH_FULL-}" ]; then
			echo "$name -runs=$runs"
		else
			echo "$name -max_total_time=$seconds"
		fi
	done
}

# run_all: two at a time, whatever becomes of them.
run_all() {
	for odd in 0 1; do
		limits | awk -v odd="$odd" 'NR % 2 == odd' |
		    while read -r name limit; do
			fuzz "$sound" "$name" "$limit" \
			    "$work/log/fuzz-$name-" || :
		done &
	done
	wait
}

# clean NAME: it ran, to its end, and found nothing.
clean() {
	inputs=$(statistic "$1" number_of_executed_units)
	if [ "$inputs" -gt 0 ] && grep -q '^Done [1-9][0-9]* runs' "$tmp/$1.log"
	then
		pass "$1: no fault"
	else
		fail "$1: no fault"
		diag_file "$tmp/$1.log" 60
		cp "$tmp/$1.log" "$work/log/fuzz-$1.log"
		diag "the whole log, with the name of the input: $work/log/fuzz-$1.log"
	fi
	diag "$1: $inputs inputs, $(statistic "$1" average_exec_per_sec) a second"
	total=$((total + inputs))
}

# planted NAME FILE SED PATTERN: with SED done to FILE of the tree, it is found, and
# in no longer than a few thousand inputs, for what is in tests/fuzz/ leads there.
planted() {
	cp "$tree/$2" "$tmp/unchanged"
	sed -i "$3" "$tree/$2"
	ok "planted fault in $2" make -C "$tree" -f Makefile \
	    -f regress/misc/fuzz-harness/hush.mk "STOCK=$stock" \
	    "regress/misc/fuzz-harness/$1_fuzz"
	if cmp -s "$tree/$2" "$tmp/unchanged"; then
		fail "$2 is not as it was"
	fi
	fuzz "$tree" "$1" -runs=20000 "$tmp/" || :
	ok "it is found" grep "$4" "$tmp/$1.log"
}

sound=$work/10.0p1-sanitize
stock=$work/10.0p1-stock
built_base 10.0p1 --sanitize || skip_all "10.0p1 could not be built"
only_full "fuzz: 10^7 inputs instead of $seconds s each" || :
run_all
total=0
for name in $(echo "$fuzzers" | cut -d' ' -f1); do
	clean "$name"
done
[ -z "${HUSH_FULL-}" ] || ok "$total inputs" test "$total" -ge 10000000
planted servconf servconf.c \
    's/^\t    SSHCFG_HOST_INCLUDE|SSHCFG_EARLY);/\t    SSHCFG_HOST_INCLUDE);/' \
    '^FAULT: the early pass'
planted bcrypt_pbkdf openbsd-compat/bcrypt_pbkdf.c \
    's/(count - 1) + lane;/(count - 1) + (lanes - 1 - lane);/' 'deadly signal'
done_testing
