# What the benches share. Source it with $top set to the top-level directory,
# after packaging/lib.sh.
#
# A bench is tests/bench/NAME.sh. It measures what it compares in one run,
# side by side, and leaves a directory of raw data (CSV), a table (table.md) and
# plots (SVG and PNG), with the machine they were made on (machine.md). It
# asserts nothing. With --smoke it is as short as can be: only to see that it
# works, its numbers mean nothing.
# shellcheck shell=sh disable=SC2034,SC2154

. "$top/tests/lib/wait.sh"

# The script of a bench runs twice: outside, where it gets what it needs and
# writes the report, and inside isolate.sh, where it measures. measure_inside
# starts the second, which finds that inside is set.
inside=${HUSH_BENCH_INSIDE-}
smoke=
into=

# common_option OPTION: those that every bench has.
common_option() {
	case $1 in
	--smoke) smoke=yes ;;
	--into=?*) into=$(readlink -m "${1#*=}") ;;
	*) die "no such option: $1; $usage" ;;
	esac
}

# number OPTION=N: print N, or stop if it is none from 1 on.
number() {
	case ${1#*=} in
	''|0*|*[!0-9]*) die "not a number from 1 on: $1" ;;
	esac
	echo "${1#*=}"
}

# results_begin NAME: set $results to an empty directory for the results, with
# machine.md in it. It becomes out/bench/NAME-DATE in results_end, or what
# --into says; what fails before leaves nothing.
results_begin() {
	rb_name=$1
	re_dir=${into:-$out/bench/$rb_name-$(date -u +%Y%m%dT%H%M%SZ)}
	# Only earlier results of the same bench may be replaced, or brought back.
	for rb_old in "$re_dir" "$(former "$re_dir")"; do
		if [ -e "$rb_old" ] && { [ -z "$into" ] ||
		    ! grep -qsxF -e "- bench: $rb_name" "$rb_old/machine.md"; }; then
			die "$rb_old is there already, and not results of bench $rb_name; name another"
		fi
	done
	recover "$re_dir"
	# To be told that after half an hour would be late.
	if ! mkdir -p "$(dirname "$re_dir")" 2>/dev/null ||
	    [ ! -w "$(dirname "$re_dir")" ]; then
		die "cannot write to $(dirname "$re_dir")"
	fi
	results=$tmp/results
	mkdir "$results"
	machine >"$results/machine.md"
}

# results_end: publish the results, print the table and where they are.
results_end() {
	# Complete beside the old ones, and then in their place. It takes no time,
	# and a signal would leave half of it.
	trap '' HUP INT TERM
	re_new=$(mktemp -d "$(dirname "$re_dir")/.$(basename "$re_dir").XXXXXX") ||
	    die "cannot write to $(dirname "$re_dir")"
	if ! cp -a "$results/." "$re_new" ||
	    ! chown -R --reference="$top" "$re_new"; then
		rm -rf "$re_new"
		die "cannot write $re_dir"
	fi
	publish "$re_new" "$re_dir"
	cat "$re_dir/table.md"
	note "the results are in $re_dir"
}

# measure_inside "$@": run this script again, inside isolate.sh, with $tmp and
# $results. What else it needs to know has to be exported.
measure_inside() {
	HUSH_BENCH_INSIDE=$tmp
	export HUSH_BENCH_INSIDE
	supervise "$top/tests/lib/isolate.sh" "$0" "$@" ||
	    die "measuring failed"
}

# begin_inside: set $tmp and $results there, and $run, a directory for what
# accounts other than root's need to read. The account "player" is only there.
# Set $server_core and $client_cores, as taskset wants them: where there are
# two, servers have one to themselves. What moves between cores costs more, and
# not always the same; and clients are on another machine in real life.
begin_inside() {
	tmp=$inside/inside
	results=$inside/results
	run=/run/bench
	mkdir "$tmp" "$run"
	echo "player:x:65532:65534::$run:/bin/sh" >>/etc/passwd
	allowed=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)
	server_core=${allowed%%[-,]*}
	case ${allowed#"$server_core"} in
	-*) client_cores=$((server_core + 1))-${allowed#*-} ;;
	,*) client_cores=${allowed#*,} ;;
	*) client_cores=$server_core ;;
	esac
}

# on_cores CORES: this script, and what it starts from now on, runs on these.
on_cores() {
	taskset -c -p "$1" $$ >/dev/null || die "taskset cannot choose cores $1"
}

# keep_awake: a process for each core that runs when no other wants to. To wake a
# core that sleeps costs whoever wakes it, on a virtual machine as much as a fifth
# of all that a session costs; and the fewer sessions, the more often one sleeps.
# Each has a session of its own, with the least weight there is: with autogroup,
# "when no other wants to" holds among the processes of one session only.
# They are gone with the namespace.
keep_awake() {
	chrt -i 0 true || die "chrt cannot run what keeps the cores awake"
	for _ in $(seq "$(nproc)"); do
		setsid chrt -i 0 sh -c '
			! [ -e /proc/self/autogroup ] || echo 19 >/proc/self/autogroup
			while :; do :; done' &
	done
}

# quantile Q: that quantile (0 to 1) of the numbers on standard input, one a
# line, or "-" if there are none.
quantile() {
	sort -g | awk -v q="$1" '{ v[NR] = $1 } END {
		if (NR == 0) { print "-"; exit }
		h = q * (NR - 1)
		i = int(h)
		x = v[i + 1]
		if (h > i)
			x += (h - i) * (v[i + 2] - x)
		printf "%.6g\n", x
	}'
}

# For awk -F, on a CSV file: what follows it sees each row but the first, with
# its fields as f["HEADER"].
named_fields='FNR == 1 { for (i = 1; i <= NF; i++) h[i] = $i; next }
    { for (i = 1; i <= NF; i++) f[h[i]] = $i }'

# column FILE.csv NAME [CONDITION]: the fields in the column with that header,
# of the rows for which CONDITION (awk, see named_fields) holds.
column() {
	awk -F, -v c="$2" "$named_fields"' '"${3:-1}"' { print f[c] }' "$1"
}

# markdown: the CSV on standard input as a Markdown table.
markdown() {
	sed -e 's/,/ | /g' -e 's/^/| /' -e 's/$/ |/' \
	    -e '1{p;s/[^|]\{1,\}/ --- /g;}'
}

# plot NAME [WIDTH,HEIGHT]: run the gnuplot commands on standard input, in
# $results, for NAME.svg and NAME.png of that size in pixels.
plot() {
	p_size=${2:-800,500}
	cat >"$tmp/plot"
	for p_format in svg png; do
		{
			case $p_format in
			svg) echo "set terminal svg size $p_size font 'DejaVu Sans,12' background 'white'" ;;
			png) echo "set terminal pngcairo size $p_size font 'DejaVu Sans,11'" ;;
			esac
			echo "set output '$1.$p_format'"
			echo "set datafile separator ','"
			echo "set grid lc rgb '#dddddd'; set border 3; set tics nomirror"
			echo "set key above vertical maxcols 1"
			cat "$tmp/plot"
		} >"$tmp/plot.$p_format"
		(cd "$results" && gnuplot "$tmp/plot.$p_format") ||
		    die "gnuplot failed for $1.$p_format"
	done
}

# machine: what the numbers were made on, as Markdown.
machine() {
	echo "Made on $(date -u +%Y-%m-%d) with openssh-hush $(git -C "$top" \
	    describe --always --dirty 2>/dev/null || echo 'of unknown commit')."
	echo
	echo "- bench: $rb_name"
	echo "- CPU: $(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo |
	    head -n 1), $(nproc) cores"
	echo "- memory: $(awk '/^MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' \
	    /proc/meminfo)"
	echo "- kernel: $(uname -srm)"
	echo "- system: $(. /etc/os-release && echo "$PRETTY_NAME")"
	echo "- compiler: $(cc --version 2>/dev/null | head -n 1)"
}
