# What the benches share. Source it with $top set to the top-level directory,
# after packaging/lib.sh.
#
# A bench is tests/bench/NAME.sh. It measures what it compares in one run,
# side by side, and leaves a directory of raw data (CSV), a table (table.md) and
# plots (SVG and PNG), with the machine they were made on (machine.md). It
# asserts nothing. With --smoke it is as short as can be: only to see that it
# works, its numbers mean nothing.
# shellcheck shell=sh disable=SC2034,SC2154

# results_begin NAME: set $results to an empty directory for the results, with
# machine.md in it. It becomes out/bench/NAME-DATE in results_end; what fails
# before leaves nothing.
results_begin() {
	rb_name=$1
	rb_date=$(date -u +%Y%m%dT%H%M%SZ)
	results=$tmp/results
	mkdir -p "$results"
	machine >"$results/machine.md"
}

# results_end: publish the results, and print where they are.
results_end() {
	mkdir -p "$out/bench"
	re_dir=$out/bench/$rb_name-$rb_date
	[ ! -e "$re_dir" ] || die "$re_dir is there already; run it again"
	mv "$results" "$re_dir"
	note "the results are in $re_dir"
}

# machine: what the numbers were made on, as Markdown.
machine() {
	echo "Made on $(date -u +%Y-%m-%d) with openssh-hush $(git -C "$top" \
	    describe --always --dirty 2>/dev/null || echo 'of unknown commit')."
	echo
	echo "- CPU: $(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo |
	    head -n 1), $(nproc) cores"
	echo "- memory: $(awk '/^MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' \
	    /proc/meminfo)"
	echo "- kernel: $(uname -srm)"
	echo "- system: $(. /etc/os-release && echo "$PRETTY_NAME")"
	echo "- compiler: $(cc --version 2>/dev/null | head -n 1)"
}
