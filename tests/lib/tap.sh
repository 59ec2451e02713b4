# TAP for the tests, and what they share. Source it with $top set to the
# top-level directory. Sets $tmp to a directory that is removed at the end.
# shellcheck shell=sh disable=SC2034,SC2154

. "$top/packaging/lib.sh"
. "$top/tests/lib/wait.sh"

tap_count=0
tap_failed=0

# Every result is also noted for the summary of run.sh.
tap_result() {
	echo "$1"
	[ -z "${HUSH_RESULTS-}" ] || echo "$1" >>"$HUSH_RESULTS"
}

# pass NAME, fail NAME, skip NAME REASON: one result.
pass() {
	tap_count=$((tap_count + 1))
	tap_result "ok $tap_count - $1"
}

fail() {
	tap_count=$((tap_count + 1))
	tap_failed=$((tap_failed + 1))
	tap_result "not ok $tap_count - $1"
}

skip() {
	tap_count=$((tap_count + 1))
	tap_result "ok $tap_count - $1 # SKIP $2"
}

# diag TEXT, diag_file FILE [LINES]: for whoever reads a failure.
diag() {
	printf '%s\n' "$1" | sed 's/^/# /'
}

diag_file() {
	tail -n "${2:-20}" "$1" 2>/dev/null | sed 's/^/# /'
}

# ok NAME COMMAND...: passes if COMMAND succeeds; shows its output if not.
ok() {
	ok_name=$1
	shift
	if "$@" >"$tmp/ok.out" 2>&1 </dev/null; then
		pass "$ok_name"
	else
		fail "$ok_name"
		diag "failed: $*"
		diag_file "$tmp/ok.out"
	fi
}

# refused NAME PATTERN COMMAND...: passes if COMMAND fails and its output has
# a line that matches PATTERN.
refused() {
	rf_name=$1
	rf_pattern=$2
	shift 2
	if "$@" >"$tmp/ok.out" 2>&1 </dev/null; then
		fail "$rf_name"
		diag "succeeded: $*"
	elif grep -q -e "$rf_pattern" "$tmp/ok.out"; then
		pass "$rf_name"
	else
		fail "$rf_name"
		diag "no line matches: $rf_pattern"
		diag_file "$tmp/ok.out"
	fi
}

# is NAME EXPECTED GOT
is() {
	if [ "$2" = "$3" ]; then
		pass "$1"
	else
		fail "$1"
		diag "expected: $2"
		diag "got:      $3"
	fi
}

# between NAME LOW HIGH GOT: passes if LOW <= GOT <= HIGH.
between() {
	if [ -n "$4" ] && [ "$4" -ge "$2" ] && [ "$4" -le "$3" ]; then
		pass "$1 ($4)"
	else
		fail "$1"
		diag "expected: $2 to $3"
		diag "got:      $4"
	fi
}

# done_testing: the plan, and the exit status of the test.
done_testing() {
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ] || exit 1
	exit 0
}

# inside_results FILE: what a test inside a root or a guest printed (see
# inside.sh) as results of this one.
inside_results() {
	while read -r ir_result ir_name; do
		case $ir_result in
		pass) pass "$ir_name" ;;
		fail) fail "$ir_name" ;;
		'#') diag "$ir_name" ;;
		esac
	done <"$1"
}

# only_full TEXT: part of this test, which only runs with --full. Succeeds if it is
# to run; otherwise the summary of run.sh names it.
only_full() {
	[ -z "${HUSH_FULL-}" ] || return 0
	[ -z "${HUSH_RESULTS-}" ] || echo "full $1" >>"$HUSH_RESULTS"
	return 1
}

# skip_all REASON: nothing of this test can run here.
skip_all() {
	[ -z "${HUSH_RESULTS-}" ] || echo "ok 1 # SKIP $1" >>"$HUSH_RESULTS"
	echo "1..0 # SKIP $1"
	exit 0
}

# built_packages: set packages to the directory of our packages for Debian 13.
# Without them nothing of this test can run.
built_packages() {
	packages=$out/debian-13
	[ -e "$packages/.stamp" ] || skip_all "there are no packages in out/debian-13"
}

# made_root NAME: the same for root_tar, a root as root.sh makes it.
made_root() {
	root_tar=$work/roots/$1.tar
	[ -e "$root_tar" ] || skip_all "the root $1 could not be made"
}

# isolate "$@": run the rest of this test in namespaces of its own, see
# isolate.sh.
isolate() {
	[ -z "${HUSH_ISOLATED-}" ] || return 0
	rmdir "$tmp"
	exec "$top/tests/lib/isolate.sh" "$0" "$@"
}

# built_base BASE [--stock | --sanitize]: set tree to a private copy of the built
# tree, in which tests can run without being in each other's way (use make-in.sh
# there). Fails if BASE cannot be had here.
built_base() {
	bb=$work/$1${2:+-${2#--}}
	[ -e "$bb/.hush-configured" ] && [ -x "$bb/sshd" ] || return 1
	tree=$tmp/$(basename "$bb")
	cp -a "$bb" "$tree"
}

# regress_test NAME: one result: the test regress/NAME.sh in upstream's harness, in
# $tree. Isolated tests only.
regress_test() {
	if "$top/tests/lib/make-in.sh" "$tree" t-exec LTESTS="$1" \
	    >"$tmp/log" 2>&1 </dev/null && grep -q '^ok ' "$tmp/log"; then
		pass "regress/$1.sh"
	else
		fail "regress/$1.sh"
		diag_file "$tmp/log" 40
	fi
}

scratch_top=${HUSH_MEMORY:-$work}
scratch
