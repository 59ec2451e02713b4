#!/bin/sh
# usage: upstream.sh BASE [part]
# Upstream's whole "make tests" on BASE with the series: everything passes, no
# test that BASE has without it is lost, and ours are there; then those about
# sessions once more with the directive off. It runs in shards, each with a tree
# and a network of its own: most of it sleeps. What a serial run on BASE without
# the series gives is kept in tests/upstream/BASE; with HUSH_FULL that run is
# made as well, and must give that. With "part" and without HUSH_FULL only our
# tests and those of upstream's run that touch what we change.
set -eu
top=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
. "$top/tests/lib/tap.sh"

our_tests='advertise-ping advertise-ping-config keygen-ciphers keygen-kdf-info
    keygen-kdf-time keygen-key-files keygen-rounds'
# A program, and how many tests it has.
our_unit_tests='test_kdf 3'
session_tests='connect proxy-connect transfer rekey stderr-data exit-status
    scp3 sftp dynamic-forward forwarding multiplex proxyjump'
# Upstream's tests of what we change: configuration, key exchange, key files.
touched='connect connect-privsep proto-version rekey reexec reconfigure
    cfgparse cfgmatch cfgmatchlisten servcfginclude match-subsystem addrmatch
    keygen-change keygen-comment keygen-convert brokenkeys agent multiplex
    file-tests unit:test_sshkey unit:test_kex unit:test_kdf'
# The longest first, or two cores would wait for one of them at the end.
longest='rekey keygen-kdf-time unit:test_sshkey keygen-rounds cert-userkey
    putty-ciphers integrity putty-kex'
# As many as keep two cores busy.
shards=8

# unit_programs TREE: of upstream's Makefile, but for one that it leaves out where
# the locale is not one of UTF-8.
unit_programs() {
	(cd "$1/regress/unittests" && find . -name 'test_*' -type f -perm -u+x) |
	    sed 's,.*/,unit:,' | grep -vx unit:test_utf8
}

# items TREE: what "make tests" there consists of, one a line, for
# upstream-item.sh.
items() {
	echo file-tests
	unit_programs "$1"
	make -pn -C "$1/regress" 2>/dev/null |
	    sed -n 's/^\(L\|INTEROP_\|EXTRA_\)TESTS[ :]*=  *//p' |
	    tr -s ' ' '\n'
}

# in_order: standard input, the longest first, each once.
in_order() {
	cat >"$tmp/unordered"
	for i in $longest; do
		grep -x -e "$i" -e "off:$i" "$tmp/unordered" || :
	done >"$tmp/first"
	cat "$tmp/first"
	grep -vxF -f "$tmp/first" "$tmp/unordered" || :
}

# sharded TREE DIR: run the items of standard input, and print "NAME RESULT" for
# each. Some of upstream's tests depend on the time that things take: those that
# fail run again, one at a time, and DIR/again says which.
sharded() {
	mkdir -p "$2/log"
	cat >"$2/items"
	for i in $(seq "$shards"); do
		cp -a "$1" "$2/tree-$i"
	done
	run_items "$shards" "$2" <"$2/items"
	for i in 1 2; do
		failed_items "$2" >"$2/failed"
		cat "$2/failed" >>"$2/again"
		run_items 1 "$2" <"$2/failed"
	done
	rm -rf "$2"/tree-*
	item_results "$2" | sed 's/ [0-9]*$//'
}

run_items() {
	tr '\n' '\0' | xargs -0 -r -n 1 -P "$1" --process-slot-var=slot \
	    sh -c 'HUSH_SHARD=$((slot + 1)) exec "$@"' - \
	    "$top/tests/lib/upstream-item.sh" "$2"
}

# item_results DIR: "NAME RESULT SECONDS" of each that ran.
item_results() {
	cat "$1/log"/* | sed -n 's/^result //p'
}

failed_items() {
	while read -r fi_item; do
		grep -q '^result .* failed [0-9]*$' "$1/log/$fi_item" &&
		    echo "$fi_item"
	done <"$1/items" || :
}

# serial TREE LOG: upstream's own "make tests" with its own targets, and "NAME
# RESULT" for each test in it.
serial() {
	"$top/tests/lib/isolate.sh" "$top/tests/lib/make-in.sh" "$1" -k tests \
	    >"$2" 2>&1 </dev/null || :
	awk '/^run test / { name = $3; sub(/\.sh$/, "", name); next }
	    name != "" && /^ok / { r[name] = "ok"; name = ""; next }
	    name != "" && /^(SKIPPED|Skipped): / { r[name] = "skipped"; name = ""; next }
	    name != "" && /^failed / { r[name] = "failed"; name = ""; next }
	    /^test_[a-z0-9]*: / { unit = $1; sub(/:$/, "", unit) }
	    / [0-9]* tests ok$/ { r[unit] = $(NF - 2) " ok" }
	    /^all file-tests passed/ { r["file-tests"] = "ok" }
	    END { for (name in r) print name, r[name] }' "$2"
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

# report NAME DIR: one result for all items there, and the logs of those that
# failed.
report() {
	failed_items "$2" >"$2/failed"
	is "$1" '' "$(cat "$2/failed")"
	while read -r f; do
		cp "$2/log/$f" "$work/log/upstream-$base-$f.log"
		diag "$f: the whole log is $work/log/upstream-$base-$f.log"
		grep -v 'could not open .*moduli' "$2/log/$f" >"$tmp/shown" || :
		diag_file "$tmp/shown" 30
	done <"$2/failed"
	[ ! -s "$2/again" ] || diag "failed at first: $(tr '\n' ' ' <"$2/again")"
	diag "the longest: $(item_results "$2" | awk '{ print $1, $NF }' | sort -k2 -nr | head -n 6 |
	    sed 's/$/ s/' | tr '\n' ',')"
}

# expected: "NAME RESULT" of what is kept and of ours.
expected() {
	for t in $our_tests "$our_unit_tests"; do
		echo "$t ok"
	done | sort - "$kept"
}

# stock_serial: with HUSH_FULL, while the rest runs.
stock_serial() {
	built_base "$base" --stock || return 0
	serial "$tree" "$work/log/upstream-$base-stock.log" | sort \
	    >"$work/log/upstream-$base.results"
}

base=$1
part=${2-}
built_base "$base" || skip_all "$base could not be had or built"
ours=$tree
kept=$top/tests/upstream/$base
if only_full "upstream-$base: a serial run without the series, to compare with${part:+; all that does not touch what we change}; units that are not in their fast mode"; then
	part=
	stock_serial &
	stock_pid=$!
fi
items "$ours" >"$tmp/all"
expected >"$tmp/expected"
for t in $session_tests; do
	[ -n "$part" ] || ! grep -qx "$t" "$tmp/all" || echo "off:$t"
done >"$tmp/off"
for t in $our_tests $touched; do
	echo "$t"
done | sort >"$tmp/part"
if [ -n "$part" ]; then
	sort "$tmp/all" | comm -12 - "$tmp/part" >"$tmp/chosen"
	sed 's/^unit://' "$tmp/chosen" | sort | join - "$tmp/expected" >"$tmp/e"
	mv "$tmp/e" "$tmp/expected"
else
	cp "$tmp/all" "$tmp/chosen"
fi
cat "$tmp/chosen" "$tmp/off" | in_order |
    sharded "$ours" "$tmp/ours" | grep -v '^off:' | sort >"$tmp/results"
report "${part:+those that touch what we change, of }make tests, $base with the series, and sessions with AdvertisePing no" "$tmp/ours"
ok "no result lost, and ours are there" differ "$tmp/expected" "$tmp/results"
is "no others" '' "$(cut -d' ' -f1 "$tmp/expected" >"$tmp/names"
    cut -d' ' -f1 "$tmp/results" | comm -13 "$tmp/names" -)"
diag "skipped by upstream: $(sed -n 's/ skipped$//p' "$tmp/results" | tr '\n' ' ')"
if [ -n "${HUSH_FULL-}" ]; then
	wait "$stock_pid"
	ok "tests/upstream/$base is what a serial run without the series gives" \
	    diff "$kept" "$work/log/upstream-$base.results"
	cmp -s "$kept" "$work/log/upstream-$base.results" ||
	    diag "to keep these: cp $work/log/upstream-$base.results $kept"
fi
done_testing
