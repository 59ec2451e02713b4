#!/bin/sh
# usage: upstream.sh BASE
# Upstream's whole "make tests" on BASE with the series: everything passes, no
# test that BASE has without it is lost, and ours are there. What BASE gives
# without it is kept in tests/upstream/BASE; with HUSH_FULL its suite runs at
# the same time, and must give that. Then those about sessions once more with
# the directive off.
set -eu
top=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
. "$top/tests/lib/tap.sh"

our_tests='advertise-ping advertise-ping-config keygen-ciphers keygen-kdf-info
    keygen-kdf-time keygen-rounds'
# A program, and how many tests it has.
our_unit_tests='test_kdf 3'
session_tests='connect proxy-connect transfer rekey stderr-data exit-status
    scp3 sftp dynamic-forward forwarding multiplex proxyjump'

# suite LOG TREE TARGET [VARIABLE...]: upstream's tests in TREE. Upstream
# stops at the first that fails.
suite() {
	suite_log=$1
	shift
	"$top/tests/lib/isolate.sh" "$top/tests/lib/make-in.sh" "$@" \
	    >"$suite_log" 2>&1 </dev/null
}

# whole_suite LOG TREE: "make tests". Some of upstream's tests depend on the
# time that things take, and the machine is busy: if one fails, it and what
# comes after it run once more, and LOG says so.
whole_suite() {
	! suite "$1" "$2" tests || return 0
	ws_failed=$(sed -n 's/^run test \(.*\)\.sh \.\.\.$/\1/p' "$1" | tail -n 1)
	ws_rest=$(make -pn -C "$2/regress" 2>/dev/null |
	    sed -n 's/^LTESTS[ :]*= *//p' | head -n 1 | tr -s ' ' '\n' |
	    sed -n "/^$ws_failed\$/,\$p" | tr '\n' ' ')
	[ -n "$ws_rest" ] || return 1
	suite "$1.again" "$2" t-exec interop-tests extra-tests unit \
	    "LTESTS=$ws_rest" || return 1
	echo "failed once: $ws_failed" >>"$1"
	sed 's/^unit tests passed/all tests passed/' "$1.again" >>"$1"
}

# What ran, one "NAME RESULT" a line: shell tests, then programs of unit tests
# with the number of theirs. The last result counts.
results() {
	awk '/^run test / { name = $3; sub(/\.sh$/, "", name); next }
	    name != "" && /^ok / { r[name] = "ok"; name = ""; next }
	    name != "" && /^SKIPPED: / { r[name] = "skipped"; name = ""; next }
	    name != "" && /^failed / { r[name] = "failed"; name = ""; next }
	    END { for (name in r) print name, r[name] }' "$1"
	sed -n 's/^\(test_[a-z]*\): .* \([0-9]*\) tests ok$/\1 \2 ok/p' "$1"
}

# differ WITHOUT WITH: what the results WITH lack of the results WITHOUT. That
# which a host skips for lack of a program may run on another.
differ() {
	awk 'NR == FNR { result[$1] = $0; next }
	    !($1 in result) { print "lost: " $0; next }
	    result[$1] != $0 && !/ skipped$/ {
		print "instead of " $0 ": " result[$1] }' "$2" "$1" >"$tmp/differ"
	cat "$tmp/differ"
	[ ! -s "$tmp/differ" ]
}

# report NAME LOG STATUS: one result, and where upstream stopped if it did.
report() {
	if [ "$3" -eq 0 ] && grep -q '^all .*tests* passed\|^all t-exec passed' "$2"; then
		pass "$1"
		diag "$(grep '^failed once' "$2" || echo none failed)"
	else
		fail "$1"
		diag "stopped at: $(grep '^run test' "$2" | tail -n 1)"
		grep -v 'could not open .*moduli' "$2" >"$tmp/shown" || :
		diag_file "$tmp/shown" 30
		cp "$2" "$work/log/"
		diag "the whole log is $work/log/$(basename "$2")"
	fi
}

base=$1
built_base "$base" || skip_all "$base could not be had or built"
ours=$tree
kept=$top/tests/upstream/$base

if [ -n "${HUSH_FULL-}" ]; then
	built_base "$base" --stock || skip_all "unpatched $base could not be built"
	whole_suite "$tmp/$base-stock.log" "$tree" &
	stock_pid=$!
fi
ours_status=0
whole_suite "$tmp/$base.log" "$ours" || ours_status=$?
report "make tests, patched $base" "$tmp/$base.log" "$ours_status"
results "$tmp/$base.log" | sort >"$tmp/ours.results"
if [ -n "${HUSH_FULL-}" ]; then
	stock_status=0
	wait "$stock_pid" || stock_status=$?
	report "make tests, unpatched $base" "$tmp/$base-stock.log" "$stock_status"
	results "$tmp/$base-stock.log" | sort >"$work/log/upstream-$base.results"
	ok "tests/upstream/$base is what unpatched $base gives" \
	    diff "$kept" "$work/log/upstream-$base.results"
	cmp -s "$kept" "$work/log/upstream-$base.results" ||
	    diag "to keep these: cp $work/log/upstream-$base.results $kept"
fi

for t in $our_tests "$our_unit_tests"; do
	echo "$t ok"
done | sort - "$kept" >"$tmp/expected"
diag "unpatched: $(wc -l <"$kept") results, patched: $(wc -l <"$tmp/ours.results")"
ok "no result lost, and ours are there" differ "$tmp/expected" "$tmp/ours.results"
is "no others" '' "$(cut -d' ' -f1 "$tmp/expected" | sort -u >"$tmp/names"
    cut -d' ' -f1 "$tmp/ours.results" | sort -u | comm -13 "$tmp/names" -)"
between "shell tests that passed" 80 200 \
    "$(grep -c '^[a-z0-9-]* ok$' "$tmp/ours.results")"
diag "skipped by upstream: $(sed -n 's/ skipped$//p' "$tmp/ours.results" | tr '\n' ' ')"

# Sessions work the same when nothing is offered.
for t in $session_tests; do
	[ ! -e "$ours/regress/$t.sh" ] || echo "$t"
done >"$tmp/sessions"
off_status=0
suite "$tmp/$base-off.log" "$ours" t-exec \
    "LTESTS=$(tr '\n' ' ' <"$tmp/sessions")" \
    TEST_SSH_SSHD_CONFOPTS='AdvertisePing no' || off_status=$?
report "sessions with AdvertisePing no: $(tr '\n' ' ' <"$tmp/sessions")" \
    "$tmp/$base-off.log" "$off_status"
ok "the directive was in that configuration" \
    grep -q '^AdvertisePing no' "$ours/regress/sshd_config"
done_testing
