#!/bin/sh
# usage: build.sh [--short] TREE STOCK OUTPUT CC [FLAG...]
# Build OUTPUT, the program of kdf.c, with bcrypt_pbkdf() of the source trees
# TREE and STOCK; objects and what the compiler writes beside them go to
# OUTPUT.d/. Neither tree has to be configured. With --short one hash takes 1
# key expansion and encryption where it has 64, in both: so that many inputs
# can be gone through.
set -eu
here=$(dirname "$(readlink -f "$0")")

short=
if [ "${1-}" = --short ]; then
	short=1
	shift
fi
if [ $# -lt 4 ]; then
	echo "usage: build.sh [--short] TREE STOCK OUTPUT CC [FLAG...]" >&2
	exit 2
fi
ours=$(readlink -f "$1") stock=$(readlink -f "$2") output=$3
shift 3
mkdir -p "$output.d"
cd "$output.d"

# upstream OBJECT SOURCE [FLAG...]: compile a file of upstream's.
cat >upstream <<EOF
#!/bin/sh
set -eu
object=\$1 source=\$2
shift 2
exec $* -include "$here/includes.h" "-I$ours" "-I$ours/openbsd-compat" \\
    "\$@" -c "\$source" -o "\$object"
EOF
chmod +x upstream
# pbkdf NAME TREE: compile the bcrypt_pbkdf() of TREE as NAME.
pbkdf() {
	cp "$2/openbsd-compat/bcrypt_pbkdf.c" "$1.c"
	if [ -n "$short" ]; then
		sed -i 's/i < 64;/i < 1;/' "$1.c"
		grep -q 'i < 1;' "$1.c"
	fi
	./upstream "$1.o" "$1.c" "-Dbcrypt_pbkdf=$1"
}

pbkdf ours "$ours"
pbkdf stock "$stock"
./upstream blowfish.o "$ours/openbsd-compat/blowfish.c"
./upstream sha2.o "$ours/openbsd-compat/sha2.c"
./upstream hash.o "$ours/hash.c"
"$@" "-I$ours/regress/unittests/kdf" -c "$here/kdf.c" -o kdf.o
"$@" -o program ours.o stock.o blowfish.o sha2.o hash.o kdf.o
mv program "$output"
