#	Placed in the Public Domain.

tid="KDF rounds by time"

# As in sshkey.h and ssh-keygen(1)
default=128

key=$OBJ/time-key
log=$OBJ/time.log
cr=`printf '\015'`

keygen() {
	${SSHKEYGEN} "$@" -f $key < /dev/null > $log 2>&1
}

generate() {
	rm -f $key $key.pub
	keygen -t ed25519 "$@" || fail "ssh-keygen $*: `cat $log`"
}

# Rounds in the file.
rounds() {
	${SSHKEYGEN} -l -v -f $key 2>/dev/null | \
	    sed -n 's/^Private key: .* KDF bcrypt, \([0-9]*\) rounds$/\1/p'
}

printed() {
	sed -n 's/^Using \([0-9]*\) KDF rounds\.$/\1/p' $log
}

verbose "what is no time"
for a in 0ms 0s -1s -500ms 1m 1h ms s "10 ms" "1 s" 1.5s 1,5s 10MS 10S 0.5s 500MS \
    10mss 10msx 10sx 0x10s +10ms " 10ms" "10ms " 3601s 3600001ms \
    99999999999999999999s 99999999999999999999ms 18446744073709551617ms \
    4294967297s "" 10x 0 -1 2147483648 1e3; do
	rm -f $key $key.pub
	keygen -q -t ed25519 -N secret -a "$a" && fail "-a \"$a\" was accepted"
	test "`wc -l < $log`" -eq 1 || fail "-a \"$a\": `cat $log`"
	case "$a" in
	0ms|0s|*[0-9]ms|*[0-9]s)
		m="Invalid \(time\|number\): $a (\(too small\|too large\|invalid\))" ;;
	*)	m="Invalid number: $a (\(too small\|too large\|invalid\))" ;;
	esac
	grep "^$m" $log > /dev/null || fail "-a \"$a\": `cat $log`"
	grep -e "; give a number .*, such as 500ms$cr\$" \
	    -e "; from 1ms to 3600s are allowed$cr\$" $log > /dev/null || \
	    fail "-a \"$a\" does not say what is allowed: `cat $log`"
	test -f $key && fail "-a \"$a\": there is a key"
done

verbose "the last of several counts"
generate -q -N secret -a 2s -a 3
test "`rounds`" -eq 3 || fail "-a 2s -a 3: `rounds`"
generate -N secret -a 3 -a 1ms
test "`rounds`" -eq $default || fail "-a 3 -a 1ms: `rounds`"

verbose "never fewer than the default, which is said"
generate -N secret -a 1ms
test "`rounds`" -eq $default || fail "-a 1ms: `rounds`"
test "`printed`" = "$default" || fail "-a 1ms: `cat $log`"
grep "raised to the default" $log > /dev/null || fail "not said: `cat $log`"
generate -q -N secret -a 1ms
test -s $log && fail "-q is not quiet: `cat $log`"
keygen -p -P secret -N other -a 1ms || fail "-p -a 1ms: `cat $log`"
test "`rounds`" -eq $default || fail "-p -a 1ms: `rounds`"
keygen -c -P other -C x -a 1ms || fail "-c -a 1ms: `cat $log`"
test "`rounds`" -eq $default || fail "-c -a 1ms: `rounds`"
${SSHKEYGEN} -y -P other -f $key > /dev/null || fail "cannot be read"

verbose "-p and -c obey a time"
generate -q -N secret -a 1000
keygen -p -P secret -N other -a 1ms || fail "-p -a 1ms: `cat $log`"
test "`rounds`" -eq $default || fail "-p -a 1ms: `rounds`"

verbose "nothing is measured without a passphrase"
generate -N '' -a 3600s
grep "KDF rounds\.\$" $log && fail "measured"
grep "has no effect without a passphrase" $log > /dev/null || \
    fail "no warning: `cat $log`"
test -z "`rounds`" || fail "encrypted"
keygen -p -N '' -a 3600s || fail "-p without passphrase: `cat $log`"
grep "KDF rounds\.\$" $log && fail "measured"

verbose "no time for formats without rounds"
for m in PEM PKCS8; do
	rm -f $key $key.pub
	keygen -q -t ecdsa -N secret -m $m -a 1s && fail "$m accepted"
	grep "Cannot use -a with a time for PEM or PKCS8 format" $log \
	    > /dev/null || fail "$m: `cat $log`"
done

# The CPU time (ms) that it takes to unlock the key, the best of three: what
# else the machine does should not count.
unlock_ms() {
	for i in 1 2 3; do
		(${SSHKEYGEN} -y -P secret -f $key < /dev/null > /dev/null
		times) | tail -n 1
	done | awk '{
		split($1, user, /[ms]/)
		split($2, sys, /[ms]/)
		t = (user[1] + sys[1]) * 60000 + (user[2] + sys[2]) * 1000
		if (NR == 1 || t < best)
			best = t
	    } END { printf "%d\n", best }'
}

# about A B: they are the same, give or take a quarter of B.
about() {
	test "`expr $1 '*' 4`" -ge "`expr $2 '*' 3`" && \
	test "`expr $1 '*' 4`" -le "`expr $2 '*' 5`"
}

# All of it is compared with what was measured a moment ago, and tried again:
# the machine may change its pace.
tries="1 2 3 4 5"

verbose "unlock time is linear in the rounds"
for try in $tries; do
	generate -q -N secret -a 64
	t1=`unlock_ms`
	generate -q -N secret -a 256
	t2=`unlock_ms`
	trace "64 rounds: $t1 ms, 256: $t2 ms"
	about $t2 `expr $t1 '*' 4` && break
done
about $t2 `expr $t1 '*' 4` || fail "64 rounds: $t1 ms, 256: $t2 ms"

# A time, in seconds, that is more than the default takes here.
generate -q -N secret
s=`unlock_ms`
s=`expr $s '*' 2 / 1000 + 1`

# One cipher that takes one block of bcrypt_pbkdf output, and others.
for cipher in aes256-ctr aes128-ctr chacha20-poly1305@openssh.com; do
	verbose "$cipher: a time of ${s}s is met"
	for try in $tries; do
		generate -N secret -Z $cipher -a ${s}s
		n=`rounds`
		test "$n" = "`printed`" || fail "$n rounds: `cat $log`"
		grep raised $log > /dev/null && fail "`cat $log`"
		t=`unlock_ms`
		trace "$n rounds: $t ms"
		about $t ${s}000 && break
	done
	about $t ${s}000 || fail "$cipher: $n rounds for ${s}s take $t ms"
done

verbose "-p -a ${s}000ms: as many rounds as for ${s}s"
for try in $tries; do
	generate -q -N secret -a ${s}s
	n1=`rounds`
	keygen -p -P secret -N other -a ${s}000ms || fail "-p: `cat $log`"
	n2=`rounds`
	test "$n2" = "`printed`" || fail "-p: $n2 rounds: `cat $log`"
	trace "${s}s: $n1 rounds, ${s}000ms: $n2"
	about $n2 $n1 && break
done
about $n2 $n1 || fail "${s}s: $n1 rounds, ${s}000ms: $n2"

verbose "a busy machine makes no difference"
n1=`rounds`
busy=
for i in 1 2; do
	(while :; do :; done) &
	busy="$busy $!"
done
for try in $tries; do
	generate -N secret -a ${s}s
	n2=`rounds`
	trace "idle: $n1 rounds, busy: $n2"
	about $n2 $n1 && break
done
kill $busy
wait $busy 2>/dev/null
about $n2 $n1 || fail "idle: $n1 rounds, busy: $n2"

rm -f $key $key.pub $log
