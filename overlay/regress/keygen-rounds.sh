#	Placed in the Public Domain.

tid="KDF rounds of private keys"

# As in sshkey.h and ssh-keygen(1)
default=128

key=$OBJ/rounds-key
OPENSSL_BIN="${OPENSSL_BIN:-openssl}"
have_prog $OPENSSL_BIN || test -x $OPENSSL_BIN || skip "no openssl(1)"

# Cipher, KDF and its rounds, from the header of an OpenSSH format private key:
# magic, then strings: cipher, KDF, KDF options (salt string, rounds).
kdf_header() {
	grep -v '^-----' $1 | $OPENSSL_BIN base64 -d | od -An -v -tu1 | \
	    awk '{ for (i = 1; i <= NF; i++) b[n++] = $i }
	    function u32() {
		p += 4
		return ((b[p-4] * 256 + b[p-3]) * 256 + b[p-2]) * 256 + b[p-1]
	    }
	    function string(len, s, i) {
		len = u32()
		s = ""
		for (i = 0; i < len; i++)
			s = s sprintf("%c", b[p + i])
		p += len
		return s
	    }
	    END {
		p = 15
		cipher = string()
		kdf = string()
		if (kdf == "none") {
			print cipher, "none"
			exit
		}
		u32(); p += u32()
		printf "%s %s %.0f\n", cipher, kdf, u32()
	    }'
}

# expect WHAT KDF [ROUNDS]: what the header says, and -l -v from it.
expect() {
	what=$1
	shift
	set -- "$what" "$*" `kdf_header $key`
	test "x$4${5:+ $5}" = "x$2" || fail "$1: expected $2, got $4 $5"
	if test "x$4" = "xnone"; then
		info="not encrypted, no KDF"
	else
		info="cipher $3, KDF $4, $5 rounds"
	fi
	${SSHKEYGEN} -l -v -f $key < /dev/null 2>/dev/null | tail -n 1 | \
	    grep "^Private key: OpenSSH format, $info\$" > /dev/null || \
	    fail "$1: -l -v does not say: $info"
}

keygen() {
	${SSHKEYGEN} -q "$@" -f $key < /dev/null > $OBJ/rounds.log 2>&1 || \
	    fail "ssh-keygen $* failed: `cat $OBJ/rounds.log`"
}

no_effect="has no effect without a passphrase"
warned() {
	test "`grep -c \"$no_effect\" $OBJ/rounds.log`" -eq $2 || \
	    fail "$1: expected $2 warning(s): `cat $OBJ/rounds.log`"
}

generate() {
	rm -f $key $key.pub
	keygen "$@"
}

# The key must still open with the passphrase, and be the same key.
readable() {
	${SSHKEYGEN} -y -P "$1" -f $key > $OBJ/rounds.pub || \
	    fail "key cannot be read with passphrase \"$1\""
	cut -d' ' -f1,2 $OBJ/rounds.pub > $OBJ/rounds.a
	cut -d' ' -f1,2 $key.pub > $OBJ/rounds.b
	cmp $OBJ/rounds.a $OBJ/rounds.b || fail "key is another one"
}

for t in $SSH_KEYTYPES; do
	verbose "default rounds: $t"
	generate -t $t -N secret
	expect "new $t key" bcrypt $default
	readable secret
done

verbose "default rounds: ssh-keygen(1)"
man=`dirname ${SRC}`/ssh-keygen.1
if test -f $man; then
	grep "^The default is $default rounds\.$" $man > /dev/null || \
	    fail "ssh-keygen(1) does not say $default"
else
	verbose "default rounds: ssh-keygen(1) is not at hand"
fi

verbose "rounds that were asked for"
generate -t ed25519 -N secret -a 16
expect "-a 16" bcrypt 16
readable secret
warned "-a 16" 0

verbose "rounds without a passphrase"
generate -t ed25519 -N '' -a 100
expect "-a 100 without passphrase" none
warned "-a 100 without passphrase" 1
keygen -c -C comment -a 100
warned "-c -a 100 without passphrase" 1
keygen -p -N '' -a 100
warned "-p -a 100 without passphrase" 1
keygen -p -N ''
expect "-p without passphrase" none
warned "-p without passphrase" 0
keygen -p -N secret -a 100
expect "-p -a 100" bcrypt 100
warned "-p -a 100" 0

verbose "-p and -c keep more rounds than the default"
generate -t ed25519 -N secret -a 256
keygen -p -P secret -N other
expect "-p" bcrypt 256
readable other
keygen -c -P other -C comment
expect "-c" bcrypt 256
readable other

verbose "-p and -c obey -a"
keygen -p -P other -N secret -a 24
expect "-p -a 24" bcrypt 24
keygen -c -P secret -C "other comment" -a 30
expect "-c -a 30" bcrypt 30
readable secret

verbose "-p and -c raise fewer rounds to the default"
keygen -c -P secret -C "third comment"
expect "-c" bcrypt $default
generate -t ed25519 -N secret -a 16
keygen -p -P secret -N other
expect "-p" bcrypt $default
readable other

verbose "passphrase removed and added"
generate -t ed25519 -N secret -a 200
keygen -p -P secret -N ''
expect "removed" none
readable ''
keygen -p -P '' -N secret
expect "added" bcrypt $default
readable secret

verbose "other cipher"
generate -t ed25519 -N secret -a 200 -Z aes256-gcm@openssh.com
keygen -p -P secret -N other
expect "other cipher" bcrypt 200
readable other

if ${SSH} -Q key | grep '^ssh-rsa$' > /dev/null; then
	verbose "PEM"
	generate -t rsa -N secret -m PEM
	keygen -p -P secret -N other
	expect "PEM to OpenSSH" bcrypt $default
	readable other
	keygen -p -P other -N secret -m PEM
	readable secret
fi

# A key whose header claims the rounds given as four octal bytes.
generate -t ed25519 -N secret -a 1
grep -v '^-----' $key | $OPENSSL_BIN base64 -d > $OBJ/rounds.bin
cp $key $OBJ/rounds.whole
claim_rounds() {
	# They are after magic, cipher, KDF and 16 bytes of salt.
	off=`expr 15 + 4 + 10 + 4 + 6 + 4 + 4 + 16`
	(dd if=$OBJ/rounds.bin bs=1 count=$off; printf "$1"
	dd if=$OBJ/rounds.bin bs=1 skip=`expr $off + 4`) 2>/dev/null \
	    > $OBJ/rounds.claim
	(echo "-----BEGIN OPENSSH PRIVATE KEY-----"
	$OPENSSL_BIN base64 -in $OBJ/rounds.claim
	echo "-----END OPENSSH PRIVATE KEY-----") > $key
	cp $key $OBJ/rounds.copy
}

verbose "no rounds at all are invalid"
claim_rounds '\0\0\0\0'
test "`kdf_header $key`" = "aes256-ctr bcrypt 0" || fatal "key is not patched"
for args in "-y -P secret" "-p -P secret -N other" "-c -P secret -C x" \
    "-p -P secret -N other -a 16" "-l -v"; do
	${SSHKEYGEN} $args -f $key < /dev/null > $OBJ/rounds.log 2>&1 && \
	    fail "$args: key with 0 rounds was accepted"
	grep "invalid format" $OBJ/rounds.log > /dev/null || \
	    fail "$args: 0 rounds: `cat $OBJ/rounds.log`"
	cmp $key $OBJ/rounds.copy || fail "$args: key was changed"
done

# What does not need the passphrase must not compute rounds.
verbose "4294967295 rounds: nothing hangs without a passphrase"
claim_rounds '\377\377\377\377'
expect "2^32-1" bcrypt 4294967295
for args in "-l" "-l -v" "-B" "-L" "-e -P ''"; do
	rm -f $OBJ/rounds.done
	(eval ${SSHKEYGEN} $args -f $key < /dev/null > $OBJ/rounds.log 2>&1
	touch $OBJ/rounds.done) &
	pid=$!
	n=0
	while test ! -f $OBJ/rounds.done && test $n -lt 300; do
		sleep 1
		n=`expr $n + 1`
	done
	test -f $OBJ/rounds.done || fail "$args hangs"
	kill $pid 2>/dev/null
	wait $pid 2>/dev/null
done

# SIGINT, unless it is ignored already, as in the background of a shell.
signal=INT
sh -c 'kill -INT $$; exit 0' && signal=TERM
verbose "4294967295 rounds: interruptible by SIG$signal"
for args in "-y -P secret" "-p -P secret -N other" "-c -P secret -C x"; do
	rm -f $OBJ/rounds.pid $OBJ/rounds.late
	(n=0
	while test ! -s $OBJ/rounds.pid && test $n -lt 300; do
		sleep 1
		n=`expr $n + 1`
	done
	sleep 1
	kill -$signal `cat $OBJ/rounds.pid`
	n=0
	while test $n -lt 300; do
		sleep 1
		n=`expr $n + 1`
	done
	kill -KILL `cat $OBJ/rounds.pid` 2>/dev/null && \
	    touch $OBJ/rounds.late) > /dev/null 2>&1 &
	killer=$!
	sh -c 'echo $$ > $0; exec "$@"' $OBJ/rounds.pid \
	    ${SSHKEYGEN} $args -f $key < /dev/null > $OBJ/rounds.log 2>&1
	r=$?
	case $r in
	130|143) ;;
	*) fail "$args: exit code $r: `cat $OBJ/rounds.log`" ;;
	esac
	kill $killer 2>/dev/null
	wait $killer 2>/dev/null
	test -f $OBJ/rounds.late && fail "$args: not interruptible"
	cmp $key $OBJ/rounds.copy || fail "$args: key was changed"
done

rm -f $key $key.pub $OBJ/rounds.*
