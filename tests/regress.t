#!/bin/sh
# Our regress tests inside upstream's harness, on the patched 10.0p1.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/tests/lib/tap.sh"

isolate "$@"
built_base 10.0p1 || skip_all "10.0p1 could not be built"
for t in "$top"/overlay/regress/*.sh; do
	name=$(basename "$t" .sh)
	if "$top/tests/lib/make-in.sh" "$tree" t-exec LTESTS="$name" \
	    >"$tmp/log" 2>&1 </dev/null &&
	    grep -q '^ok ' "$tmp/log"; then
		pass "regress/$name.sh"
	else
		fail "regress/$name.sh"
		diag_file "$tmp/log" 40
	fi
done
done_testing
