#!/bin/sh
# usage: upstream-item.sh DIR ITEM
# One ITEM of upstream's test suite (see upstream.sh), isolated, in the tree of
# this shard, DIR/tree-$HUSH_SHARD. Leaves DIR/log/ITEM, and as the last line of
# that its result: "result ITEM RESULT SECONDS". Always exits 0.
#   file-tests, unit:PROGRAM, NAME (a test of the shell), off:NAME (the same with
#   AdvertisePing off). With HUSH_FULL units are not in their fast mode.
set -eu
lib=$(dirname "$(readlink -f "$0")")
dir=$1
item=$2
tree=$dir/tree-$HUSH_SHARD
log=$dir/log/$item

run() {
	"$lib/isolate.sh" "$@" >"$log" 2>&1 </dev/null
}

# unit PROGRAM: test_NAME, with its data where it has any.
unit() {
	unit_dir=$tree/regress/unittests/${1#test_}
	set -- "$unit_dir/$1"
	[ -n "${HUSH_FULL-}" ] || set -- "$@" -f
	[ ! -d "$unit_dir/testdata" ] || set -- "$@" -d "$unit_dir/testdata"
	run "$@"
}

# The last word of a test of the shell about itself.
shell_result() {
	sed -n -e 's/^ok .*/ok/p' -e 's/^\(SKIPPED\|Skipped\): .*/skipped/p' \
	    -e 's/^failed .*/failed/p' "$log" | tail -n 1
}

start=$(date +%s)
status=0
result=
case $item in
file-tests)
	run "$lib/make-in.sh" "$tree" file-tests || status=$?
	grep -q '^all file-tests passed' "$log" && result=ok ;;
unit:*)
	unit "${item#unit:}" || status=$?
	result=$(sed -n 's/.* \([0-9]*\) tests ok$/\1 ok/p' "$log") ;;
off:*)
	run "$lib/make-in.sh" "$tree" t-exec "LTESTS=${item#off:}" \
	    TEST_SSH_SSHD_CONFOPTS='AdvertisePing no' || status=$?
	grep -q '^AdvertisePing no' "$tree/regress/sshd_config" &&
	    result=$(shell_result) ;;
*)
	run "$lib/make-in.sh" "$tree" t-exec "LTESTS=$item" || status=$?
	result=$(shell_result) ;;
esac || :
[ "$status" -eq 0 ] || result=failed
echo "result ${item#unit:} ${result:-failed} $(($(date +%s) - start))" >>"$log"
