#	Placed in the Public Domain.

tid="cipher, KDF and rounds shown by ssh-keygen -l -v"

# What the line says for encrypted keys is compared with their headers in
# keygen-rounds.sh.

umask 077
key=$OBJ/info-key
log=$OBJ/info.log

generate() {
	rm -f $key $key.pub
	${SSHKEYGEN} -q "$@" -f $key < /dev/null || fatal "ssh-keygen $*"
}

# shows WHAT LINE: -l -v prints all that -l does, the randomart, and LINE,
# which is one of its kind, and asks for nothing.
shows() {
	if ! ${SSHKEYGEN} -l -v -f $key < /dev/null > $log 2> $log.err; then
		fail "$1: -l -v failed: `tail -n 1 $log.err`"
		return
	fi
	test "x`tail -n 1 $log`" = "x$2" || \
	    fail "$1: expected \"$2\", got \"`tail -n 1 $log`\""
	test "`grep -c 'key: ' $log`" -eq 1 || fail "$1: not one line: `cat $log`"
	${SSHKEYGEN} -l -f $key < /dev/null > $log.l || fail "$1: -l failed"
	head -n `wc -l < $log.l` $log | cmp - $log.l || fail "$1: not as -l"
	test "`grep -c '^[|+]' $log`" -eq 11 || fail "$1: no randomart"
	grep "Enter .*passphrase" $log $log.err && fail "$1: asked for a passphrase"
}

# refused WHAT MESSAGE: -l -v fails with that line.
refused() {
	${SSHKEYGEN} -l -v -f $key < /dev/null > $log 2> $log.err && \
	    fail "$1: -l -v succeeded"
	tail -n 1 $log.err | grep "$2" > /dev/null || \
	    fail "$1: expected \"$2\", got \"`tail -n 1 $log.err`\""
	grep '^Private key: ' $log && fail "$1: something was shown"
}

for t in $SSH_KEYTYPES; do
	verbose "encrypted $t key, with and without public key"
	generate -t $t -N secret -a 3
	line="Private key: OpenSSH format, cipher aes256-ctr, KDF bcrypt, 3 rounds"
	shows "$t" "$line"
	mv $key.pub $key.moved
	shows "$t without .pub" "$line"
	mv $key.moved $key.pub
	verbose "$t key without a passphrase"
	${SSHKEYGEN} -q -p -P secret -N '' -f $key > /dev/null || fatal "-p"
	shows "$t" "Private key: OpenSSH format, not encrypted, no KDF"
done

if ${SSH} -Q key | grep '^ssh-rsa$' > /dev/null; then
	for m in PEM PKCS8; do
		verbose "$m"
		line="Private key: PEM, encrypted, no bcrypt_pbkdf rounds"
		generate -t rsa -N secret -m $m
		shows "encrypted $m" "$line"
		mv $key.pub $key.moved
		${SSHKEYGEN} -l -v -f $key < /dev/null > $log 2> $log.err && \
		    fail "encrypted $m without .pub: -l -v succeeded"
		grep "^$line\$" $log > /dev/null || \
		    fail "encrypted $m: `cat $log`"
		grep "^There is no $key.pub to take" $log.err > /dev/null || \
		    fail "encrypted $m: `cat $log.err`"
		rm -f $key.moved
		line="Private key: PEM or PKCS8 format, no bcrypt KDF"
		generate -t rsa -N '' -m $m
		shows "$m" "$line"
	done
fi

verbose "public keys"
generate -t ed25519 -N secret -a 3
cp $key $key.private
line="Public key: not encrypted, no KDF"
mv $key.pub $key
shows "public key" "$line"
cat $key $key > $key.two
sed 's/^/host.example /' $key.two > $key
${SSHKEYGEN} -l -v -f $key 2>/dev/null | grep -c '^Public key: ' > $log
test "`cat $log`" -eq 1 || fail "one line for a file with two keys"
${SSHKEYGEN} -l -v -f - < $key.two 2>/dev/null | grep "^$line\$" > /dev/null \
    || fail "public keys on standard input"

verbose "truncated and damaged keys"
cp $key.private $key
rm -f $key.pub
lines=`wc -l < $key.private`
n=1
while test $n -lt $lines; do
	head -n $n $key.private > $key
	refused "first $n lines" "is not a key file"
	${SSHKEYGEN} -y -P secret -f $key > $log 2>&1 && fail "-y: $n lines"
	grep 'invalid format' $log > /dev/null || \
	    fail "-y, first $n lines: `cat $log`"
	n=`expr $n + 1`
done
generate -t ed25519 -N secret -a 3
head -n 3 $key > $key.part
cp $key.part $key
refused "truncated, with .pub" "Load key .*: invalid format"
${SSHKEYGEN} -l -f $key > /dev/null || fail "-l of truncated key with .pub"
sed 's/$/	/' $key.private | tr '\t' '\r' > $key
refused "DOS line endings" "Load key .*: invalid format"
echo > $key
refused "empty line" "is not a public key file"

verbose "names in the file do not reach the terminal as they are"
generate -t ed25519 -N secret -a 3
OPENSSL_BIN="${OPENSSL_BIN:-openssl}"
if have_prog $OPENSSL_BIN || test -x $OPENSSL_BIN; then
	grep -v '^-----' $key | $OPENSSL_BIN base64 -d > $key.bin
	(echo "-----BEGIN OPENSSH PRIVATE KEY-----"
	(dd if=$key.bin bs=1 count=19; printf 'aes\033[7mctr'
	dd if=$key.bin bs=1 skip=29) 2>/dev/null | $OPENSSL_BIN base64
	echo "-----END OPENSSH PRIVATE KEY-----") > $key.esc
	cp $key.esc $key
	${SSHKEYGEN} -l -v -f $key < /dev/null > $log 2>/dev/null
	tail -n 1 $log | grep 'cipher aes\\033\[7mctr, ' > /dev/null || \
	    fail "escape sequence: `tail -n 1 $log`"
fi

rm -f $key $key.* $log $log.*
