#!/bin/sh
# usage: upstream.sh BASE
# Upstream's whole "make tests" on BASE with the series, and on BASE without,
# at the same time: everything passes, no test is lost, and ours are there.
# Then those about sessions once more with the directive off.
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
built_base "$base" --stock || skip_all "unpatched $base could not be built"
stock=$tree

whole_suite "$tmp/$base-stock.log" "$stock" &
stock_pid=$!
ours_status=0
stock_status=0
whole_suite "$tmp/$base.log" "$ours" || ours_status=$?
wait "$stock_pid" || stock_status=$?
report "make tests, unpatched $base" "$tmp/$base-stock.log" "$stock_status"
report "make tests, patched $base" "$tmp/$base.log" "$ours_status"

results "$tmp/$base-stock.log" | sort >"$tmp/stock.results"
results "$tmp/$base.log" | sort >"$tmp/ours.results"
for t in $our_tests "$our_unit_tests"; do
	echo "$t ok"
done | sort - "$tmp/stock.results" >"$tmp/expected"
diag "unpatched: $(wc -l <"$tmp/stock.results") results, patched: $(wc -l <"$tmp/ours.results")"
ok "same results, none lost, plus ours" diff "$tmp/expected" "$tmp/ours.results"
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
