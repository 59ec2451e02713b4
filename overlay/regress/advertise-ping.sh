#	Placed in the Public Domain.

tid="AdvertisePing on the wire"

EXT_INFO=$OBJ/misc/ext-info/ext-info
test -x $EXT_INFO || fatal "$EXT_INFO has not been built"

PORT2=`expr $PORT + 1`
cp $OBJ/sshd_config $OBJ/sshd_config.orig
id=$OBJ/ssh-ed25519

# As start_sshd, which does not keep the log of a daemon.
start_logging_sshd() {
	PIDFILE=$OBJ/pidfile
	$SUDO rm -f $OBJ/advertise-ping.log
	$SUDO env ${TEST_SSH_SSHD_ENV} ${SSHD} -f $OBJ/sshd_config "$@" \
	    -E $OBJ/advertise-ping.log || fatal "sshd did not start"
	tries=0
	while [ ! -f $PIDFILE ]; do
		sleep 1
		tries=`expr $tries + 1`
		test $tries -gt 300 && fatal "no sshd running on port $PORT"
	done
}

logged() {
	$SUDO cat $OBJ/advertise-ping.log | grep "$1" > /dev/null
}

# Restart sshd on two ports with additional configuration from stdin.
restart_sshd() {
	stop_sshd
	(cat $OBJ/sshd_config.orig; echo "Port $PORT2"; cat) > $OBJ/sshd_config
	start_logging_sshd
}

# What a real client is offered: "yes" or "no".
ssh_offer() {
	if ! ${SSH} -vvv -F $OBJ/ssh_config "$@" somehost true \
	    > /dev/null 2>&1; then
		echo "ssh $* failed"
	elif grep 'ping@openssh.com=<' $TEST_SSH_LOGFILE > /dev/null; then
		echo yes
	else
		echo no
	fi
}

# What is in EXT_INFO: "yes" or "no".
ext_info_offer() {
	if $EXT_INFO "$@" > $OBJ/ext-info.log; then
		if grep '^entry ping@openssh.com=0$' $OBJ/ext-info.log \
		    > /dev/null; then
			echo yes
		else
			echo no
		fi
	else
		echo "ext-info $* failed"
	fi
}

# What sshd says it will do.
config_offer() {
	${SUDO} ${SSHD} -T -f $OBJ/sshd_config -C "$1" | \
	    awk 'tolower($1) == "advertiseping" { print $2 }'
}

expect() {
	test "x$2" = "x$3" || fail "$1: expected $2, got $3"
}

# expect_wire description expected port [client-address]
# The client and the message have to agree.
expect_wire() {
	src=${4:-127.0.0.1}
	expect "$1: ssh" $2 "`ssh_offer -p $3 -b $src`"
	expect "$1: EXT_INFO" $2 "`ext_info_offer -b $src 127.0.0.1 $3`"
}

# The same, and sshd -T.
expect_all() {
	expect_wire "$@"
	spec="lport=$3,addr=$src,host=$src,laddr=127.0.0.1,user=$USER"
	expect "$1: sshd -T -C $spec" $2 "`config_offer $spec`"
}

# Reach our own sshd through a forwarding.
forward() {
	${SSH} -F $OBJ/ssh_config -p $PORT2 -W 127.0.0.1:$PORT somehost \
	    < /dev/null 2> /dev/null | grep '^SSH-2.0-' > /dev/null
}

# The entries other than ping, and the count that goes with them.
others() {
	grep '^entry' $OBJ/ext-info.log | grep -v '^entry ping@openssh.com='
}
count() {
	sed -n 's/^count //p' $OBJ/ext-info.log
}

# The probe does not get as far as the Match pass that is always there.
pass='config reprocess config'
lookup='trying to reverse map address'

verbose "no work without AdvertisePing in Match, no DNS without Match Host"
restart_sshd << EOD
AdvertisePing no
UseDNS yes
Match LocalPort $PORT
	PermitTTY no
Match Host nosuchhost.example.com
	PermitTTY no
EOD
expect "no pass" no "`ext_info_offer 127.0.0.1 $PORT`"
logged "$pass" && fail "Match was evaluated without need"
logged "$lookup" && fail "name look-up without need"
restart_sshd << EOD
UseDNS yes
Match LocalPort $PORT
	AdvertisePing no
	PermitTTY no
EOD
expect "pass" no "`ext_info_offer 127.0.0.1 $PORT`"
logged "$pass" || fail "Match was not evaluated"
logged "$lookup" && fail "name look-up without Match Host"
logged "reprocess config:[0-9]* setting AdvertisePing no" || \
    fail "AdvertisePing was not set early"
logged "setting PermitTTY" && fail "another option was set early"
printf 'AdvertisePing no\nPermitTTY no\n' > $OBJ/advertise-ping.inc
restart_sshd << EOD
UseDNS yes
Match Host nosuchhost.example.com
	PermitTTY no
Match LocalPort $PORT
	Include $OBJ/advertise-ping.inc
EOD
expect "pass, included" no "`ext_info_offer 127.0.0.1 $PORT`"
logged "advertise-ping.inc:1 setting AdvertisePing" || \
    fail "AdvertisePing was not set early (included)"
logged "advertise-ping.inc:2 setting PermitTTY" && \
    fail "another option was set early (included)"
logged "$lookup" && fail "name look-up for a block without AdvertisePing"

verbose "not set"
restart_sshd < /dev/null
expect_all "not set" yes $PORT
grep '^payload' $OBJ/ext-info.log > $OBJ/ext-info.unset
others > $OBJ/ext-info.others
entries=`count`
trace "$entries entries by default"
forward || fail "forwarding does not work"

verbose "yes"
restart_sshd << EOD
AdvertisePing yes
EOD
expect_all "yes" yes $PORT
grep '^payload' $OBJ/ext-info.log | cmp - $OBJ/ext-info.unset || \
    fail "yes differs from unset"
logged 'AdvertisePing: withholding' && \
    fail "withholding announced though nothing is withheld"

verbose "no"
restart_sshd << EOD
AdvertisePing no
EOD
expect_all "no" no $PORT
others | cmp - $OBJ/ext-info.others || fail "no changes other entries"
expect "count" `expr $entries - 1` "`count`"
logged 'AdvertisePing: withholding .* from all connections' || \
    fail "no announcement at startup"
logged 'debug1: withholding ping@openssh.com' || \
    fail "no debug1 message for the connection"

verbose "no: ping is answered all the same"
$EXT_INFO -l $USER -i $id 127.0.0.1 $PORT > $OBJ/ext-info.log || \
    fail "ext-info with authentication failed"
grep '^entry ping' $OBJ/ext-info.log && fail "ping was offered"
grep '^pong$' $OBJ/ext-info.log > /dev/null || fail "no pong"

verbose "no: through a jump host, and over a persistent connection"
${SSH} -F $OBJ/ssh_config -J 127.0.0.1:$PORT2 somehost true \
    2> /dev/null || fail "ssh -J failed"
make_tmpdir
ctl=$SSH_REGRESS_TMP/ctl-ping
${SSH} -F $OBJ/ssh_config -S $ctl -o ControlMaster=auto \
    -o ControlPersist=60 somehost true || fail "first session failed"
test "`${SSH} -F $OBJ/ssh_config -S $ctl somehost echo shared`" = shared || \
    fail "session over a persistent connection failed"
${SSH} -F $OBJ/ssh_config -S $ctl -O exit somehost 2>/dev/null || \
    fail "there was no persistent connection"

verbose "no EXT_INFO for a client that does not ask for it"
expect "no, not asked" no "`ext_info_offer -n 127.0.0.1 $PORT`"
grep '^payload' $OBJ/ext-info.log && fail "EXT_INFO was sent (no)"
restart_sshd < /dev/null
expect "unset, not asked" no "`ext_info_offer -n 127.0.0.1 $PORT`"
grep '^payload' $OBJ/ext-info.log && fail "EXT_INFO was sent (unset)"

verbose "Match LocalPort among user-dependent blocks"
restart_sshd << EOD
Match User nosuchuser
	PermitTTY no
Match Group nosuchgroup
	PermitTTY no
Match Invalid-User
	PermitTTY no
Match LocalPort $PORT2
	AdvertisePing no
Match User $USER
	PermitOpen none
Match Group nosuchgroup
	PermitTTY no
EOD
expect_all "matching port" no $PORT2
expect_all "other port" yes $PORT
logged 'AdvertisePing: withholding .* from connections selected by Match' || \
    fail "no announcement at startup"

verbose "options of other blocks keep their time and meaning"
forward && fail "PermitOpen in Match User was lost"

verbose "Match overrides the global value, and the first match wins"
cat > $OBJ/advertise-ping.inc << EOD
Match LocalPort $PORT2
	AdvertisePing no
EOD
restart_sshd << EOD
AdvertisePing no
Match LocalPort $PORT Address 127.0.0.0/8,!127.0.0.3
	AdvertisePing yes
	AdvertisePing no
Match Address 127.0.0.2
	AdvertisePing no
Match all
	Include $OBJ/advertise-ping.inc
Match LocalPort=$PORT2 LocalAddress=127.0.0.1
	AdvertisePing yes
EOD
expect_all "first match" yes $PORT
expect_all "first of two matches" yes $PORT 127.0.0.2
expect_all "negated" no $PORT 127.0.0.3
expect_all "included" no $PORT2

verbose "Include inside and outside Match"
restart_sshd << EOD
Include $OBJ/advertise-ping.inc
Match LocalPort $PORT
	Include $OBJ/advertise-ping.inc
EOD
expect_all "included outside" no $PORT2
expect_all "included inside a block for another port" yes $PORT
echo "AdvertisePing no" > $OBJ/advertise-ping.inc
restart_sshd << EOD
Match Address 127.0.0.2
	Include $OBJ/advertise-ping.inc
EOD
expect_all "included inside, matching" no $PORT 127.0.0.2
expect_all "included inside, not matching" yes $PORT

verbose "Match Host without and with DNS, Version, all"
restart_sshd << EOD
Match Host 127.0.0.2
	AdvertisePing no
EOD
expect_all "host" no $PORT 127.0.0.2
expect_all "other host" yes $PORT
restart_sshd << EOD
UseDNS yes
Match Host nosuchhost.example.com
	AdvertisePing no
EOD
expect "DNS" yes "`ext_info_offer 127.0.0.1 $PORT`"
logged "$lookup" || fail "no name look-up for Match Host"
restart_sshd << EOD
AdvertisePing no
Match Version OpenSSH_*
	AdvertisePing yes
EOD
expect_all "version" yes $PORT
restart_sshd << EOD
AdvertisePing yes
Match all
	AdvertisePing no
EOD
expect_all "all" no $PORT

verbose "command line"
stop_sshd
cp $OBJ/sshd_config.orig $OBJ/sshd_config
start_logging_sshd -o AdvertisePing=no
expect_wire "-o" no $PORT
verbose "RDomain"
restart_sshd << EOD
AdvertisePing no
Match RDomain nosuchdomain
	AdvertisePing yes
EOD
expect_all "other routing domain" no $PORT

verbose "rekeying in mid-session"
# More than a few windows: what is under way before a rekeying does not count.
test "`${SSH} -vvv -F $OBJ/ssh_config -o RekeyLimit=1M somehost \
    'dd if=/dev/zero bs=1048576 count=16 2>/dev/null' | wc -c`" \
    -eq 16777216 || fail "data lost"
test `grep -c 'NEWKEYS sent' $TEST_SSH_LOGFILE` -ge 3 || fail "no rekeying"
grep 'ping@openssh.com' $TEST_SSH_LOGFILE && fail "offered on rekeying"

verbose "SIGHUP"
(cat $OBJ/sshd_config.orig; echo "AdvertisePing yes") > $OBJ/sshd_config
$SUDO kill -HUP `$SUDO cat $PIDFILE`
tries=0
while [ "`ext_info_offer 127.0.0.1 $PORT 2>/dev/null`" != "yes" ]; do
	sleep 1
	tries=`expr $tries + 1`
	test $tries -gt 300 && fatal "yes is not in effect after SIGHUP"
done
expect_all "SIGHUP" yes $PORT

verbose "IPv6"
if [ "x$TEST_SSH_IPV6" = "xno" ]; then
	verbose "IPv6: not supported here"
else
	stop_sshd
	(grep -v -i -e AddressFamily -e ListenAddress $OBJ/sshd_config.orig
	echo "ListenAddress ::1"
	echo "Match Address ::1 LocalAddress ::1"
	echo "AdvertisePing no") > $OBJ/sshd_config
	start_logging_sshd
	expect "IPv6" no "`ext_info_offer ::1 $PORT`"
	expect "IPv6 -T" no \
	    "`config_offer lport=$PORT,addr=::1,laddr=::1,host=::1,user=x`"
fi

verbose "sshd -i"
for v in yes no; do
	cp $OBJ/sshd_proxy $OBJ/sshd_proxy.orig
	echo "AdvertisePing $v" >> $OBJ/sshd_proxy
	expect "sshd -i" $v "`ssh_offer -F $OBJ/ssh_proxy`"
	mv $OBJ/sshd_proxy.orig $OBJ/sshd_proxy
done
cp $OBJ/sshd_proxy $OBJ/sshd_proxy.orig
cat >> $OBJ/sshd_proxy << EOD
Match Address 192.0.2.1
	AdvertisePing yes
Match all
	AdvertisePing no
EOD
expect "sshd -i with Match" no "`ssh_offer -F $OBJ/ssh_proxy`"
mv $OBJ/sshd_proxy.orig $OBJ/sshd_proxy
cp $OBJ/sshd_proxy $OBJ/sshd_proxy.orig
cat >> $OBJ/sshd_proxy << EOD
Match LocalPort $PORT
	AdvertisePing no
EOD
expect "sshd -i, which has no port" yes "`ssh_offer -F $OBJ/ssh_proxy`"
mv $OBJ/sshd_proxy.orig $OBJ/sshd_proxy

stop_sshd
$SUDO rm -f $OBJ/advertise-ping.log
rm -f $OBJ/advertise-ping.inc $OBJ/ext-info.*
