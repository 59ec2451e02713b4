#	Placed in the Public Domain.

tid="KDF rounds of private keys"

# As in sshkey.h and ssh-keygen(1)
default=128

key=$OBJ/rounds-key
OPENSSL_BIN="${OPENSSL_BIN:-openssl}"
have_prog $OPENSSL_BIN || test -x $OPENSSL_BIN || skip "no openssl(1)"

# The KDF and its rounds, from the header of an OpenSSH format private key:
# magic, then strings: cipher, KDF, KDF options (salt string, rounds).
kdf_rounds() {
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
		string()
		kdf = string()
		if (kdf == "none") {
			print "none"
			exit
		}
		u32(); p += u32()
		print kdf, u32()
	    }'
}

expect() {
	got="`kdf_rounds $key`"
	test "x$got" = "x$2" || fail "$1: expected $2, got $got"
}

keygen() {
	${SSHKEYGEN} -q "$@" -f $key < /dev/null > $OBJ/rounds.log 2>&1 || \
	    fail "ssh-keygen $* failed: `cat $OBJ/rounds.log`"
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
	expect "new $t key" "bcrypt $default"
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
expect "-a 16" "bcrypt 16"
readable secret
generate -t ed25519 -N '' -a 16
expect "-a 16 without passphrase" "none"

verbose "-p and -c keep more rounds than the default"
generate -t ed25519 -N secret -a 256
keygen -p -P secret -N other
expect "-p" "bcrypt 256"
readable other
keygen -c -P other -C comment
expect "-c" "bcrypt 256"
readable other

verbose "-p and -c obey -a"
keygen -p -P other -N secret -a 24
expect "-p -a 24" "bcrypt 24"
keygen -c -P secret -C "other comment" -a 30
expect "-c -a 30" "bcrypt 30"
readable secret

verbose "-p and -c raise fewer rounds to the default"
keygen -c -P secret -C "third comment"
expect "-c" "bcrypt $default"
generate -t ed25519 -N secret -a 16
keygen -p -P secret -N other
expect "-p" "bcrypt $default"
readable other

verbose "passphrase removed and added"
generate -t ed25519 -N secret -a 200
keygen -p -P secret -N ''
expect "removed" "none"
readable ''
keygen -p -P '' -N secret
expect "added" "bcrypt $default"
readable secret

verbose "other cipher"
generate -t ed25519 -N secret -a 200 -Z aes256-gcm@openssh.com
keygen -p -P secret -N other
expect "other cipher" "bcrypt 200"
readable other

if ${SSH} -Q key | grep '^ssh-rsa$' > /dev/null; then
	verbose "PEM"
	generate -t rsa -N secret -m PEM
	keygen -p -P secret -N other
	expect "PEM to OpenSSH" "bcrypt $default"
	readable other
	keygen -p -P other -N secret -m PEM
	readable secret
fi

verbose "no rounds at all are refused"
generate -t ed25519 -N secret -a 1
grep -v '^-----' $key | $OPENSSL_BIN base64 -d > $OBJ/rounds.bin
# Rounds are the four bytes after magic, cipher, KDF and 16 bytes of salt.
off=`expr 15 + 4 + 10 + 4 + 6 + 4 + 4 + 16`
(dd if=$OBJ/rounds.bin bs=1 count=$off; printf '\0\0\0\0'
dd if=$OBJ/rounds.bin bs=1 skip=`expr $off + 4`) 2>/dev/null > $OBJ/rounds.bin0
(echo "-----BEGIN OPENSSH PRIVATE KEY-----"
$OPENSSL_BIN base64 -in $OBJ/rounds.bin0
echo "-----END OPENSSH PRIVATE KEY-----") > $key
expect "patched key" "bcrypt 0"
cp $key $OBJ/rounds.copy
for args in "-y -P secret" "-p -P secret -N other" "-c -P secret -C x"; do
	${SSHKEYGEN} $args -f $key < /dev/null > $OBJ/rounds.log 2>&1 && \
	    fail "$args: key with 0 rounds was accepted"
	cmp $key $OBJ/rounds.copy || fail "$args: key was changed"
done

rm -f $key $key.pub $OBJ/rounds.*
