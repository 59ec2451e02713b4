#!/bin/sh
# "bench kdf" works: a run as short as can be leaves all that it says it does.
# What its numbers are is not tested.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/tests/lib/tap.sh"

# Not by build.sh, which runs these tests and holds its lock.
if "$top/tests/bench/kdf.sh" --smoke >"$tmp/log" 2>&1; then
	pass "bench kdf --smoke"
else
	fail "bench kdf --smoke"
	diag_file "$tmp/log"
	done_testing
fi
results=$(sed -n 's/^kdf: the results are in //p' "$tmp/log")
for f in machine.md table.md rounds.csv unlock.csv in-process.csv \
    expansions.csv rounds.svg rounds.png; do
	ok "$f is there" test -s "$results/$f"
done
for f in rounds.csv unlock.csv in-process.csv; do
	ok "$f has both codes, and no empty field" awk -F, -v file="$f" '
	    { for (i = 1; i <= NF; i++) { seen[$i] = 1; if ($i == "") exit 1 } }
	    END { exit !(seen["stock"] && seen["ours"]) }' "$results/$f"
done
is "rows of the tables" 18 "$(grep -c '^| .*[0-9)] |$' "$results/table.md")"
rm -rf "$results"
done_testing
