#!/bin/sh
# Our regress tests inside upstream's harness, on the patched 10.0p1.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/tests/lib/tap.sh"

isolate "$@"
built_base 10.0p1 || skip_all "10.0p1 could not be built"
for t in "$top"/overlay/regress/*.sh; do
	regress_test "$(basename "$t" .sh)"
done
done_testing
