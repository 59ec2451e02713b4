#	Placed in the Public Domain.

tid="AdvertisePing in sshd_config"

conf=$OBJ/advertise-ping.conf
inc=$OBJ/advertise-ping.inc
log=$OBJ/advertise-ping.log

# These take the configuration as an argument, with \n: at the end of a
# pipeline a failure would be lost in a subshell.
write_config() {
	(echo "HostKey $OBJ/host.ssh-ed25519"; printf "$1") > $conf
}

# accept description config
accept() {
	write_config "$2"
	${SUDO} ${SSHD} -t -f $conf > $log 2>&1 || \
	    fail "$1: refused: `cat $log`"
}

# refuse description file line config
# Must name the file and line, and the reason.
refuse() {
	write_config "$4"
	${SUDO} ${SSHD} -t -f $conf > $log 2>&1 && fail "$1: accepted"
	grep "^$2 line $3: Directive 'AdvertisePing' is not allowed .* User" \
	    $log > /dev/null || fail "$1: message is `cat $log`"
}

# value description expected [sshd-options]
value() {
	desc=$1; expected=$2; shift; shift
	v=`${SUDO} ${SSHD} -T -f $conf "$@" 2>$log | \
	    awk 'tolower($1) == "advertiseping" { print $2 }'`
	test "x$v" = "x$expected" || \
	    fail "$desc: expected $expected, got $v: `cat $log`"
}

verbose "values"
accept "unset" ""
value "unset" yes
for v in yes no; do
	accept "$v" "AdvertisePing $v\n"
	value "$v" $v
	value "$v" $v -G
	accept "other spelling of $v" "advertisePING=\"$v\" # comment\n"
	value "other spelling of $v" $v
	accept "command line" ""
	value "command line" $v -o AdvertisePing=$v
done
accept "repeated" 'AdvertisePing no\nAdvertisePing yes\n'
value "repeated" no
value "command line comes first" yes -o AdvertisePing=yes

verbose "bad values are treated like those of other keywords"
for arg in "" maybe 1 "yes no" "no extra" '""' '"no'; do
	for k in TCPKeepAlive AdvertisePing; do
		write_config "$k $arg\n"
		${SUDO} ${SSHD} -t -f $conf > $log.$k 2>&1
		echo "exit $?" >> $log.$k
	done
	sed 's/TCPKeepAlive/AdvertisePing/g' $log.TCPKeepAlive | \
	    cmp - $log.AdvertisePing || \
	    fail "\"$arg\": `cat $log.AdvertisePing`"
	grep 'exit 0' $log.AdvertisePing > /dev/null && \
	    fail "\"$arg\": accepted"
done

verbose "blocks that do not depend on the user"
for m in all "Address 192.0.2.0/24,!192.0.2.1,2001:db8::/32" \
    "LocalAddress 192.0.2.1" "LocalPort 2222" "RDomain *" "Version *" \
    "Host *.example.com" "LocalPort=2222 Address=192.0.2.0/24" \
    "LocalPort 2222 # User x"; do
	accept "$m" "Match $m\nAdvertisePing no\n"
done

verbose "blocks that depend on the user"
for m in "User x" "User=x" "USER x" "Group x" "group=x" "Invalid-User" \
    "invalid-user LocalPort 2222" "LocalPort 2222 User x" \
    "Address 192.0.2.0/24 Group x" "User !x,*" "User user LocalPort 2222"; do
	refuse "$m" $conf 4 "Match $m\nPermitTTY no\nAdvertisePing no\n"
	refuse "$m, yes" $conf 3 "Match $m\nAdvertisePing yes\n"
done

verbose "values of criteria that look like criteria"
for m in "Address 192.0.2.1 Host user" "Host group,user" "RDomain user"; do
	accept "$m" "Match $m\nAdvertisePing no\n"
done

verbose "end of a user-dependent block"
accept "block after a user-dependent one" \
    "Match User x\nPermitTTY no\nMatch LocalPort 1\nAdvertisePing no\n"
accept "all after a user-dependent one" \
    "Match User x\nPermitTTY no\nMatch all\nAdvertisePing no\n"
value "all after a user-dependent one" no
# Appended by someone who took the end of the file for the global section.
refuse "appended" $conf 6 \
    "PermitTTY yes\nMatch Group sftp\nPermitTTY no\n\nAdvertisePing no\n"
grep "A Match block extends to the next" $log > /dev/null || \
    fail "appended: the message does not explain itself"

verbose "included files"
echo "AdvertisePing no" > $inc
refuse "included" $inc 1 "Match User x\nInclude $inc\n"
accept "included in a block for a port" \
    "Match LocalPort 1\nInclude $inc\nMatch User x\nPermitTTY no\n"
printf 'Match LocalPort 1\nAdvertisePing no\n' > $inc
refuse "nested block" $inc 2 "Match User x\nInclude $inc\n"
accept "included before a user-dependent block" \
    "Include $inc\nMatch User x\nPermitTTY no\n"
refuse "second file" $inc 2 "Match User x\nInclude /nonexistent $inc\n"
printf 'Match User x\nPermitTTY no\n' > $inc
accept "after a file that ends in a user-dependent block" \
    "Include $inc\nAdvertisePing no\n"
value "after a file that ends in a user-dependent block" no
accept "the same inside a block for a port" \
    "Match LocalPort 1\nInclude $inc\nAdvertisePing no\n"
value "the same inside a block for a port" no -C lport=1
value "the same inside a block for a port" yes -C lport=2

verbose "sshd -T with partial and without connection parameters"
accept "port and address" \
    "Match LocalPort 2222 Address 192.0.2.0/24\nAdvertisePing no\n"
value "none" yes
value "port only" yes -C lport=2222
value "address only" yes -C addr=192.0.2.1
value "both" no -C lport=2222,addr=192.0.2.1
value "other address" yes -C lport=2222,addr=192.0.3.1
accept "host" "Match Host *.example.com\nAdvertisePing no\n"
value "host" no -C host=a.example.com
accept "laddr" "Match LocalAddress 2001:db8::/32\nAdvertisePing no\n"
value "laddr" no -C laddr=2001:db8::1
accept "rdomain" "Match RDomain blue,!red\nAdvertisePing no\n"
value "rdomain" no -C rdomain=blue
value "rdomain" yes -C rdomain=red

rm -f $conf $inc $log $log.*
