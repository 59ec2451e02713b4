#	Placed in the Public Domain.

tid="private keys with every cipher"

key=$OBJ/cipher-key
log=$OBJ/cipher.log

# Few rounds, as there are many keys.
rounds=2

SSH_ASKPASS=$OBJ/cipher-askpass
SSH_ASKPASS_REQUIRE=force
export SSH_ASKPASS SSH_ASKPASS_REQUIRE
cat > $SSH_ASKPASS << 'EOF'
#!/bin/sh
# Once: a passphrase that does not fit is asked for again.
if test -f "$ASKPASS_DONE"; then
	exit 1
fi
touch "$ASKPASS_DONE"
echo "$ASKPASS_PASSPHRASE"
EOF
chmod +x $SSH_ASKPASS
ASKPASS_DONE=$OBJ/cipher-asked
export ASKPASS_DONE

eval `${SSHAGENT} ${EXTRA_AGENT_ARGS} -s` > /dev/null || \
    fatal "could not start ssh-agent"
trap "${SSHAGENT} -k > /dev/null" EXIT

keygen() {
	${SSHKEYGEN} -q "$@" -f $key < /dev/null > $log 2>&1 || \
	    fail "$what: ssh-keygen $*: `cat $log`"
}

# add PASSPHRASE
add() {
	rm -f $ASKPASS_DONE
	ASKPASS_PASSPHRASE=$1 ${SSHADD} $key > $log 2>&1
}

# opens PASSPHRASE: with it, and no other, the key can be read and added to
# an agent, and it is the same key.
opens() {
	${SSHKEYGEN} -y -P "$1" -f $key < /dev/null 2> $log | \
	    cut -d' ' -f1,2 | cmp -s - $key.blob || \
	    fail "$what: read: `cat $log`"
	${SSHKEYGEN} -y -P "not $1" -f $key < /dev/null > $log 2>&1 && \
	    fail "$what: read with another passphrase"
	grep "incorrect passphrase" $log > /dev/null || fail "$what: `cat $log`"
	add "not $1" && fail "$what: added with another passphrase"
	add "$1" || fail "$what: ssh-add: `cat $log`"
	${SSHADD} -L 2>/dev/null | cut -d' ' -f1,2 | cmp -s - $key.blob || \
	    fail "$what: ssh-add -L: `${SSHADD} -L`"
	${SSHADD} -D > /dev/null 2>&1
}

encrypted_with() {
	${SSHKEYGEN} -l -v -f $key 2>/dev/null | tail -n 1 | \
	    grep " cipher $1, KDF bcrypt, $rounds rounds\$" > /dev/null || \
	    fail "$what: not $1: `${SSHKEYGEN} -l -v -f $key`"
}

ciphers=`${SSH} -Q cipher`
for t in rsa ecdsa ed25519; do
	${SSH} -Q key | grep "$t" > /dev/null || continue
	verbose "$t: `echo $ciphers`"
	for c in $ciphers; do
		what="$t, $c"
		rm -f $key $key.pub
		bits=
		test $t = rsa && bits="-b 1024"
		keygen -t $t $bits -N secret -Z $c -a $rounds -C one
		cut -d' ' -f1,2 $key.pub > $key.blob
		encrypted_with $c
		opens secret
		keygen -p -P secret -N other -Z $c -a $rounds
		encrypted_with $c
		opens other
		keygen -c -P other -C two -Z $c -a $rounds
		encrypted_with $c
		opens other
		test "`cut -d' ' -f3 $key.pub`" = two || fail "$what: comment"
	done
done

rm -f $key $key.pub $key.blob $log $SSH_ASKPASS $ASKPASS_DONE
