#!/bin/sh
# usage: readers.sh [--smoke] [--into=DIR]
# Which foreign programs and libraries read private keys with how many KDF
# rounds, and how long they take: a table of readers (rows) and rounds
# (columns) in seconds of CPU time, program start included, so that it does not
# matter much what else the machine does. Keys are written by the patched
# 10.0p1, with the default cipher; what is read must be the public key, and must
# not be with another passphrase.
set -eu
top=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
. "$top/packaging/lib.sh"
. "$top/tests/bench/lib.sh"
. "$top/tests/lib/readers.sh"

default_rounds=128
rounds='24 32 64 100 128 255 256'

# The keys: Ed25519 with all rounds, others with the default.
make_keys() {
	for n in $rounds; do
		"$tree/ssh-keygen" -q -t ed25519 -a "$n" -N secret \
		    -f "$tmp/ed25519-$n"
	done
	for t in rsa ecdsa; do
		"$tree/ssh-keygen" -q -t "$t" -a "$default_rounds" -N secret \
		    -f "$tmp/$t-$default_rounds"
	done
	"$tree/ssh-keygen" -q -t ed25519 -N '' -f "$tmp/ed25519-none"
}

# What a reader said when it refused: the first line that looks like a reason.
reason() {
	grep -i -m 1 -e 'error\|exception\|not supported\|invalid\|fail' \
	    "$tmp/read.err" | tr -d '",' | sed 's/^[[:space:]]*//' | sed "s,$tmp/*,,g" | cut -c1-120 ||
	    echo 'no message'
}

# measure READER KEY PASSPHRASE: a line of readers.csv, and $result.
measure() {
	if (m_status=0
	read_key "$1" "$tmp/$2" "$3" || m_status=1
	times >"$tmp/times"
	exit "$m_status"); then
		result='read'
		m_reason=
	else
		result=refused
		m_reason=$(reason)
	fi
	seconds=$(awk -F '[ms ]+' 'NR == 2 {
	    printf "%.2f", ($1 + $3) * 60 + $2 + $4 }' "$tmp/times")
	echo "$reader_name,${2%-*},${2#*-},$3,$result,$seconds,$m_reason" \
	    >>"$results/readers.csv"
}

# What kind of key a reader reads of those that have the default rounds.
other_types() {
	ot=
	for t in rsa ecdsa; do
		measure "$1" "$t-$default_rounds" secret
		[ "$result" = refused ] || ot="$ot $t"
	done
	case $ot in
	' rsa ecdsa') echo yes ;;
	'') echo no ;;
	*) echo "only$ot" ;;
	esac
}

row() {
	reader_name=$(reader_name "$1")
	cells=
	for n in $rounds; do
		measure "$1" "ed25519-$n" secret
		case $result in
		read) cells="$cells $seconds |" ;;
		*) cells="$cells no |" ;;
		esac
	done
	others=$(other_types "$1")
	measure "$1" "ed25519-${rounds%% *}" wrong
	[ "$result" = refused ] ||
	    die "$reader_name reads a key with a wrong passphrase, so it does not decrypt it"
	echo "| $reader_name |$cells $others |" >>"$results/table.md"
}

# Those that read nothing: is it the format, or the passphrase?
notes() {
	for r in $readers; do
		name=$(reader_name "$r")
		grep -q "^$name,.*,secret,refused," "$results/readers.csv" ||
		    continue
		why=$(sed -n "s|^$name,\([^,]*\),.*,secret,refused,[^,]*,|\1: |p" \
		    "$results/readers.csv" | sort -u | head -n 3 | tr '\n' ';')
		if grep -q "^$name,.*,secret,read," "$results/readers.csv"; then
			echo "- $name refuses some: ${why%;}"
		elif read_key "$r" "$tmp/ed25519-none" ''; then
			echo "- $name reads the format, but no encrypted keys: ${why%;}"
		else
			echo "- $name does not read the format: ${why%;}"
		fi
	done
}

usage='usage: bench readers [--smoke] [--into=DIR]'
for o; do
	common_option "$o"
done
if [ -n "$smoke" ]; then
	rounds='2 3'
	default_rounds=3
fi
become_root "$@"
scratch
tree=$("$top/packaging/compile.sh" 10.0p1)
readers_begin "$tree"
results_begin readers
make_keys
echo 'reader,key,rounds,passphrase,result,seconds,reason' \
    >"$results/readers.csv"
{
	echo "| Ed25519, rounds: | $(echo "$rounds" | sed 's/ / | /g') | RSA and ECDSA, $default_rounds |"
	echo "$rounds" | sed 's/[0-9]* */ --: |/g; s/.*/| --- |& --- |/'
} >"$results/table.md"
for r in $readers; do
	if reader_is_here "$r"; then
		row "$r"
	fi
done
{
	echo
	echo "Seconds of CPU time, program start included; \"no\": the key is refused."
	echo
	notes
	cat <<-'EOF_NOTES'

		Not measured, because neither Debian nor npm has them; their limits are hearsay:
		Apache MINA SSHD refuses more than 255 rounds, Citadel more
		than 32, kage more than 1000.
	EOF_NOTES
} >>"$results/table.md"
results_end
