#!/bin/sh
# usage: run.sh [--quick | --full] [NAME...]
# Build what the tests need, run them under prove and print a summary. With
# NAMEs only tests/NAME.t; with --quick those that take under three minutes
# together once everything is built; with --full also what would not fit into the
# hour that CI should take: the summary of a run without it says what that is.
# Runs as root, or with sudo.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/packaging/lib.sh"
. "$top/tests/lib/kdf.sh"
. "$top/tests/lib/readers.sh"

quick_tests='check build outdated wire regress'
# The long ones first: prove starts them in this order. What regress has is in
# upstream-10.0p1 as well.
all_tests='replace upstream-10.0p1 build upstream-10.3p1 check lintian bench
    step-aside sanitize fuzz debian-13 piuparts kdf repo wire outdated bench-kdf'
only_full_tests='autopkgtest keys reproducible'
jobs=4

# Build BASE with and without the series.
build_base() {
	side_by_side "compile $1" "compile $1 --stock"
	for t in "$1" ${HUSH_FULL:+"$1-stock"}; do
		compile_tests "$t" regress-binaries regress-unit-binaries
	done
}

# The tree of BASE with sanitizers, what its tests need, and the fuzzers.
build_sanitized() {
	supervise compile "$1" --sanitize >/dev/null
	supervise "$top/packaging/tree.sh" "$1" --stock >/dev/null
	compile_tests "$1-sanitize" -f Makefile \
	    -f regress/misc/fuzz-harness/hush.mk "STOCK=$work/$1-stock" \
	    regress-binaries fuzzers
}

# compile_tests NAME ARGUMENT...: make, in the tree NAME.
compile_tests() {
	ct_name=$1
	shift
	step "compile the tests of $ct_name" "$work/log/regress-$ct_name.log" \
	    make -C "$work/$ct_name" -j"$(nproc)" "$@"
}

compile() {
	"$top/packaging/compile.sh" "$@"
}

build_packages() {
	"$top/packaging/packages.sh" debian-13
}

build_bases() {
	for b; do
		build_base "$b"
	done
}

# side_by_side COMMAND COMMAND: each is words, or nothing. What is built often
# uses one core.
side_by_side() {
	$1 >/dev/null &
	sbs_pid=$!
	sbs_status=0
	$2 >/dev/null || sbs_status=$?
	wait "$sbs_pid" || sbs_status=$?
	return "$sbs_status"
}

# What "$@" (names of tests) need, each of it once.
build() {
	bases=''
	packages=''
	roots=''
	extra=''
	sanitized=''
	sources=''
	for name; do
		case $name in
		upstream-*) bases="$bases ${name#upstream-}" ;;
		wire|regress) bases="$bases 10.0p1" ;;
		sanitize|fuzz) sanitized=1 ;;
		keys)
			bases="$bases 10.0p1"
			extra="$extra $readers_packages" ;;
		kdf)
			bases="$bases 10.0p1"
			extra="$extra $kdf_test_packages" ;;
		bench-kdf)
			bases="$bases 10.0p1"
			extra="$extra $kdf_bench_packages" ;;
		bench)
			bases="$bases 10.0p1"
			packages=1 roots="$roots trixie-test"
			extra="$extra tshark gnuplot-nox fonts-dejavu-core putty-tools dropbear-bin" ;;
		check|build) sources=1 ;;
		repo)
			packages=1
			extra="$extra apt-utils gpg-agent" ;;
		debian-13) packages=1 roots="$roots trixie-test" ;;
		replace|step-aside) packages=1 roots="$roots trixie-guest" ;;
		lintian) packages=1 roots="$roots trixie-qa" ;;
		piuparts)
			packages=1 roots="$roots trixie-base"
			extra="$extra piuparts" ;;
		autopkgtest) packages=1 roots="$roots trixie-autopkgtest" ;;
		reproducible) packages=1 roots="$roots trixie-build" ;;
		esac
	done
	# At once: tests that run side by side cannot install.
	# shellcheck disable=SC2086 # a list
	need $extra
	for b in ${sources:+$(all_bases)}; do
		have_base "$b" || :
	done
	# An optional base that cannot be had is left out, and its tests say so.
	have=''
	for b in $(words_once "$bases"); do
		! have_base "$b" || have="$have $b"
	done
	supervise side_by_side "build_bases $have" "${packages:+build_packages}"
	[ -z "$sanitized" ] || build_sanitized 10.0p1
	for r in $(words_once "$roots"); do
		supervise "$top/packaging/root.sh" "$r" >/dev/null
	done
}

words_once() {
	echo "$1" | tr -s ' ' '\n' | sort -u
}

# places: what is where things are left behind. But for the home directory these
# are this run's own.
places() {
	find /tmp /var/tmp /run "$HOME" -mindepth 1 -maxdepth 1 | sort
}

# nothing_left NAME FILE: a result: FILE is empty.
nothing_left() {
	if [ ! -s "$2" ]; then
		echo "ok - $1" >>"$HUSH_RESULTS"
		return
	fi
	echo "not ok - $1" >>"$HUSH_RESULTS"
	echo "failed: $1"
	sed 's/^/    /' "$2"
	status=1
}

count() {
	grep -c "$@" "$HUSH_RESULTS" || :
}

summary() {
	skipped=$(count ' # SKIP')
	passed=$(($(count '^ok ') - skipped))
	failed=$(count '^not ok ')
	echo "seconds, of what was built and tested, in part side by side:"
	sort -nr "$HUSH_TIMES" | sed 's/^\([0-9]*\) /\1\t/'
	[ "$tests" != "$all_tests" ] ||
	    echo "only with --full: the tests $only_full_tests"
	sed -n 's/^full /only with --full: /p' "$HUSH_RESULTS"
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
	--full)
		tests="$only_full_tests $all_tests"
		HUSH_FULL=1
		export HUSH_FULL ;;
	-*) die "no such option: $1; see ./build.sh help" ;;
	*)
		[ -e "$top/tests/$1.t" ] || die "no such test: tests/$1.t"
		names="$names $1" ;;
	esac
	shift
done
tests=${names:-$tests}
# shellcheck disable=SC2086 # a list
become_root $tests
# What is left in /tmp, /var/tmp and /run is not left in the host's.
# shellcheck disable=SC2086 # a list
[ -n "${HUSH_PRIVATE-}" ] ||
    exec env HUSH_PRIVATE=1 "$top/tests/lib/private.sh" "$0" $tests
unset HUSH_PRIVATE
# Most tests need these; the others say themselves what they need.
need perl build-essential iproute2 mount procps tcpdump openssh-client \
    quilt patch dpkg-dev xz-utils gpg gpgv shellcheck mandoc
scratch
HUSH_TIMES=$tmp/times
HUSH_RESULTS=$tmp/results
HUSH_LEFT=$tmp/left
export HUSH_TIMES HUSH_RESULTS HUSH_LEFT
: >"$HUSH_TIMES"
: >"$HUSH_RESULTS"
places >"$tmp/places"
# shellcheck disable=SC2086 # a list
build $tests
# What the tests unpack and remove, again and again.
in_memory "$tmp/memory" 12
HUSH_MEMORY=$tmp/memory
export HUSH_MEMORY
status=0
cd "$top"
# shellcheck disable=SC2046,SC2086 # lists
supervise "$top/tests/lib/prove.sh" --failures --comments --merge --timer \
    -j "$jobs" -e "$top/tests/lib/timed.sh" \
    $(printf 'tests/%s.t ' $tests) || status=$?
nothing_left "no process of a test is left, so nothing listens" "$HUSH_LEFT"
places | diff "$tmp/places" - >"$tmp/new" || :
nothing_left "nothing is left in /tmp, /var/tmp, /run and $HOME" "$tmp/new"
summary
if [ "$passed" -eq 0 ] && [ "$status" -eq 0 ]; then
	die "no test ran"
fi
exit "$status"
