#!/bin/sh
# usage: unset.sh [--smoke] [--into=DIR] [--logins=N] [--copies=N] [--idle=N]
# What our package costs those who do not use the directive: the suite's stock
# openssh-server and ours, each installed in a root of Debian 13, both running
# at once with their package's own sshd_config, used by the same stock client. N
# logins to each in turn (default 600), N times 1 GiB copied from all at once
# (default 15), N idle sessions (default 20). A second stock server shows how
# much of a difference is chance. Runs as root, or with sudo. Leaves logins.csv,
# bulk.csv, cpu.csv, memory.csv, table.md, and the plot ratios.
set -eu
top=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
. "$top/packaging/lib.sh"
. "$top/tests/bench/lib.sh"

usage='usage: bench unset [--smoke] [--into=DIR] [--logins=N] [--copies=N] [--idle=N]'

# unpack_roots: $tmp/root, in memory, has the client; in it are those of the
# three servers. Each has files of its own, so that none shares memory with
# another.
unpack_roots() {
	in_memory "$tmp/root"
	tar -xf "$root_tar" --numeric-owner -C "$tmp/root"
	mkdir "$tmp/root/hush"
	cp "$top/tests/lib/unset-inside.sh" "$top/tests/lib/wait.sh" "$tmp/root/hush/"
	for p in openssh-client openssh-server openssh-sftp-server; do
		cp "$out/debian-13/${p}"_*.deb "$tmp/root/hush/"
	done
	for s in $servers; do
		mkdir "$tmp/root/$s"
		tar -xf "$root_tar" --numeric-owner -C "$tmp/root/$s"
	done
}

measure() {
	begin_inside
	unpack_roots
	keep_awake
	on_cores "$client_cores"
	"$top/packaging/enter.sh" "$tmp/root" sh /hush/unset-inside.sh \
	    "$server_core" "$logins" "$copies" "$idle" "$mib" \
	    >"$log" 2>&1 </dev/null || {
		tail -n 20 "$log" >&2
		die "measuring inside the root failed; the whole log is $log"
	}
	for f in logins:seconds bulk:seconds cpu:ms memory:KiB; do
		{
			echo "server,number,${f#*:}"
			cat "$tmp/root/hush/${f%:*}.csv"
		} >"$results/${f%:*}.csv"
	done
	cp "$tmp/root/hush"/version-* "$inside/"
	drop_memory
}

# values FILE SERVER: one a line, in the order in which they were measured.
values() {
	sed -n "s/^$2,[0-9]*,//p" "$results/$1"
}

# ratios FILE SERVER BLOCK POWER: SERVER to stock, of the medians of each block
# of that many values, one a line, to the power of 1 or -1.
ratios() {
	values "$1" "$2" >"$tmp/theirs"
	values "$1" stock | paste -d, "$tmp/theirs" - | split -l "$3" - "$tmp/block."
	for b in "$tmp"/block.*; do
		echo "$(cut -d, -f1 "$b" | quantile 0.5) $(cut -d, -f2 "$b" | quantile 0.5)"
	done | awk -v p="$4" '{ printf "%.5f\n", ($1 / $2) ^ p }'
	rm "$tmp"/block.*
}

# row WHAT FILE BLOCK SCALE POWER: medians of the servers, as SCALE times
# median to the power of 1 or -1, and the ratios with quartiles of the blocks.
row() {
	printf %s "$1"
	for s in $servers; do
		printf ',%s' "$(values "$2" "$s" | quantile 0.5 |
		    awk -v scale="$4" -v p="$5" '{ printf "%.1f", scale * $1 ^ p }')"
	done
	for s in stock-again ours; do
		ratios "$2" "$s" "$3" "$5" >"$tmp/ratios"
		printf ',%.3f (%.3f to %.3f)' "$(quantile 0.5 <"$tmp/ratios")" \
		    "$(quantile 0.25 <"$tmp/ratios")" "$(quantile 0.75 <"$tmp/ratios")"
	done
	echo
}

login_block=20

summary() {
	echo 'what,stock,stock again,ours,stock again : stock,ours : stock'
	row 'logins one after another (per second)' logins.csv "$login_block" 1 -1
	row 'copying (MiB/s)' bulk.csv 1 "$mib" -1
	row 'CPU of the server for a GiB of it (ms)' cpu.csv 1 1 1
	row 'memory of an idle session (KiB PSS)' memory.csv 1 1 1
}

report() {
	{
		echo '# What the package costs where the directive is not used'
		echo
		echo "Debian 13's openssh-server $(cat "$tmp/version-stock") against"
		echo "$(cat "$tmp/version-ours"), each with its package's own configuration,"
		echo "in one run, with the stock client, servers and clients on a core of their own."
		echo "Medians of $logins logins (\`ssh HOST true\`, in turn), of $copies copies of $mib MiB or more"
		echo "(\`ssh HOST cat\`, default cipher, from all three at once, so that each has a third of"
		echo "the cores), and of 3 times $idle idle sessions. Ratios: the median of ratios of"
		echo "neighbours ($login_block logins, 1 copy) and their quartiles; \"stock again\" is a second"
		echo "installation of the stock package, which shows how much of a ratio is chance. Compare"
		echo "by the ratios: how fast the machine is changes between rounds."
		echo
		summary | markdown
		echo
		cat "$results/machine.md"
	} >"$results/table.md"
	for s in stock-again ours; do
		ratios logins.csv "$s" "$login_block" -1 >"$tmp/plot-$s"
	done
	plot ratios <<-EOF_PLOT
		set title 'Logins per second against stock, directive unset'
		set xlabel 'block of $login_block logins to each, in the order of time'
		set ylabel 'ratio to stock'; set yrange [0.8:1.2]
		plot 1 lc rgb '#888888' notitle, \\
		    '$tmp/plot-stock-again' using 0:1 with linespoints lc rgb '#888888' pt 6 title 'stock again : stock', \\
		    '$tmp/plot-ours' using 0:1 with linespoints lc rgb '#2471a3' lw 2 pt 7 title 'ours : stock'
	EOF_PLOT
}

parse() {
	for o; do
		case $o in
		--logins=*) logins=$(number "$o") ;;
		--copies=*) copies=$(number "$o") ;;
		--idle=*) idle=$(number "$o") ;;
		*) common_option "$o" ;;
		esac
	done
	if [ -n "$smoke" ]; then
		: "${logins:=4}" "${copies:=1}" "${idle:=2}"
		mib=16 login_block=2
	fi
	: "${logins:=600}" "${copies:=15}" "${idle:=20}"
}

servers='stock stock-again ours'
log=$work/log/bench-unset.log
logins='' copies='' idle='' mib=1024
parse "$@"
if [ -n "$inside" ]; then
	measure
	exit
fi
become_root "$@"
need gnuplot-nox fonts-dejavu-core iproute2 mount
scratch
results_begin unset
supervise "$top/packaging/packages.sh" debian-13
root_tar=$("$top/packaging/root.sh" trixie-test)
export root_tar
note "about $((15 + (logins * 3 + copies * 160 + idle * 9) / 8)) s from here"
measure_inside "$@"
report
results_end
