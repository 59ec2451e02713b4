#!/bin/sh
# usage: run.sh [--quick] [NAME...]
# Build what the tests need, run them under prove and print a summary. With
# NAMEs only tests/NAME.t; with --quick those that take under three minutes
# together once everything is built. Runs as root, or with sudo.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/packaging/lib.sh"

quick_tests='check build wire regress'
# The long ones first: prove starts them in this order.
all_tests='upstream-10.0p1 upstream-10.3p1 debian-13 check build wire regress'
jobs=4

# Build BASE with and without the series; a base that cannot be had is left
# out, and its tests say so.
build_base() {
	if ! "$top/packaging/fetch.sh" "$1" >/dev/null 2>"$tmp/fetch"; then
		note "$1 is left out: $(tail -n 1 "$tmp/fetch")"
		return 0
	fi
	"$top/packaging/compile.sh" "$1" >/dev/null
	"$top/packaging/compile.sh" "$1" --stock >/dev/null
	for t in "$1" "$1-stock"; do
		step "compile the tests of $t" "$work/log/regress-$t.log" \
		    make -C "$work/$t" -j"$(nproc)" regress-binaries \
		    regress-unit-binaries
	done
}

# What "$@" (names of tests) need.
build() {
	for name; do
		case $name in
		upstream-*) build_base "${name#upstream-}" ;;
		wire|regress) build_base 10.0p1 ;;
		debian-13)
			"$top/packaging/packages.sh" debian-13
			"$top/packaging/root.sh" trixie-test >/dev/null ;;
		esac
	done
}

count() {
	grep -c "$@" "$HUSH_RESULTS" || :
}

summary() {
	skipped=$(count ' # SKIP')
	passed=$(($(count '^ok ') - skipped))
	failed=$(count '^not ok ')
	if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then
		failed=1
	fi
	sed -n 's/^ok [0-9]*\( - \)*\(.*\) # SKIP \(.*\)/skipped: \2: \3/p' \
	    "$HUSH_RESULTS"
	echo "$passed passed, $failed failed, $skipped skipped"
}

names=
tests=$all_tests
while [ $# -gt 0 ]; do
	case $1 in
	--quick) tests=$quick_tests ;;
	-*) die "no such option: $1; see ./build.sh help" ;;
	*)
		[ -e "$top/tests/$1.t" ] || die "no such test: tests/$1.t"
		names="$names $1" ;;
	esac
	shift
done
tests=${names:-$tests}
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null ||
	    die "the tests make namespaces and need root; run as root or install sudo"
	# shellcheck disable=SC2086 # a list
	exec sudo --preserve-env=OFFLINE,DEBIAN_MIRROR,DEBIAN_SECURITY_MIRROR \
	    "$0" $tests
fi
# Most tests need these; the others say themselves what they need.
need perl build-essential iproute2 tcpdump openssh-client
scratch
# shellcheck disable=SC2086 # a list
build $tests
HUSH_RESULTS=$tmp/results
export HUSH_RESULTS
: >"$HUSH_RESULTS"
status=0
cd "$top"
# shellcheck disable=SC2046,SC2086 # lists
prove --merge --timer -j "$jobs" -e '' $(printf 'tests/%s.t ' $tests) || status=$?
summary
exit "$status"
