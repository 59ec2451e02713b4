#!/bin/sh
# bcrypt_pbkdf() of two lanes: the same as upstream's and as another
# implementation's for all kinds of input, with two compilers, under
# sanitizers, on a 32-bit and on a big-endian architecture, and what it takes
# and leaves on the stack.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/kdf.sh"

tools=$top/tests/tools/kdf
# More stack than upstream's code takes, in bytes.
stack_limit=12288

# everything NAME PROGRAM STEP: what each build goes through. PROGRAM-short is
# the same with one of 64 key expansions, for key lengths in steps of STEP.
everything() {
	ok "$1: stored vectors" "$2" vectors
	ok "$1: refusals, and no memory" "$2" refusals
	ok "$1: as upstream for key lengths 1 to 1024 in steps of $3" \
	    "$2-short" lengths "$3"
}

# stack_field CODE N: a number of what "kdf stack" printed.
stack_field() {
	awk -v code="$1" -v n="$2" '$1 == code { print $n }' "$tmp/stack"
}

# native CC STEP
native() {
	flags="$(distribution_flags "$1") -static"
	# shellcheck disable=SC2086 # a list
	ok "build with $1" build_kdf "$1" "$1" $flags
	# shellcheck disable=SC2086 # a list
	ok "build with $1, short" build_kdf --short "$1-short" "$1" $flags
	everything "$1" "$tmp/$1" "$2"
	seed=$(date +%s)
	ok "$1: as upstream for random inputs (seed $seed)" \
	    "$tmp/$1" random 40 "$seed"
	"$tmp/$1" stack >"$tmp/stack"
	while read -r code used nonzero secret; do
		diag "$1, $code: $used bytes of stack, $nonzero of them not zero afterwards, $secret words of secrets"
	done <"$tmp/stack"
	between "$1: additional stack" 0 "$stack_limit" \
	    $(($(stack_field ours 2) - $(stack_field stock 2)))
	is "$1: words of secrets left" 0 "$(stack_field ours 4)"
	# Upstream leaves the hash of the passphrase: they would be found.
	ok "$1: what is left would be found" \
	    test "$(stack_field stock 4)" -gt 0
}

sanitizers() {
	set -- gcc -g -O1 -fsanitize=address,undefined \
	    -fno-sanitize-recover=all -fno-omit-frame-pointer
	ok "build with sanitizers" build_kdf sanitized "$@"
	ok "build with sanitizers, short" build_kdf --short sanitized-short "$@"
	everything sanitizers "$tmp/sanitized" 13
}

# foreign ARCHITECTURE QEMU CC WHAT
foreign() {
	ok "build for $1" build_kdf "$1-program" "$3" -O2 -static
	ok "build for $1, short" build_kdf --short "$1-program-short" "$3" -O2 \
	    -static
	is "$1 is $4" "$4" "$(readelf -h "$tmp/$1-program" | sed -n \
	    's/^ *\(Class\|Data\): *//p' | tr '\n' ' ')"
	for p in "$1" "$1-short"; do
		printf '#!/bin/sh\nexec %s %s "$@"\n' "$2" \
		    "$tmp/$1-program${p#"$1"}" >"$tmp/$p"
		chmod +x "$tmp/$p"
	done
	everything "$1" "$tmp/$1" 29
}

independent() {
	/usr/bin/python3 "$tools/vectors.py" header >"$tmp/vectors.h"
	ok "the stored vectors are what python3-bcrypt makes" diff "$tmp/vectors.h" \
	    "$top/overlay/regress/unittests/kdf/vectors.h"
	seed=$(date +%s)
	ok "as python3-bcrypt for random inputs (seed $seed)" \
	    /usr/bin/python3 "$tools/vectors.py" compare 300 "$seed" \
	    "$tmp/gcc" stdin
}

# A fault in the order of the output bytes is found by what everything does.
planted() {
	broken=$tmp/broken
	mkdir "$broken"
	for f in crypto_api.h hash.c includes.h openbsd-compat regress; do
		cp -a "$work/10.0p1/$f" "$broken/"
	done
	sed -i 's/(count - 1) + lane;/(count - 1) + (lanes - 1 - lane);/' \
	    "$broken/openbsd-compat/bcrypt_pbkdf.c"
	"$tools/build.sh" "$broken" "$work/10.0p1-stock" "$tmp/planted" gcc -O2 \
	    -w >/dev/null
	refused "planted fault: vectors" "another key" "$tmp/planted" vectors
	refused "planted fault: comparison" "not the same" \
	    "$tmp/planted" random 20 1
}

# shellcheck disable=SC2086 # a list
need $kdf_test_packages
native gcc 1
native clang 13
independent
planted
sanitizers
foreign armhf qemu-arm arm-linux-gnueabihf-gcc \
    "ELF32 2's complement, little endian "
foreign s390x qemu-s390x s390x-linux-gnu-gcc \
    "ELF64 2's complement, big endian "
done_testing
