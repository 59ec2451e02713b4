#!/bin/bash
# usage: step-aside-inside.sh
# The part of tests/step-aside.t that runs inside a root of Debian 13, with our
# packages in /hush and stock's in /stock.
set -eu
tmp=/hush/tmp
mkdir -p $tmp
# shellcheck source=tests/lib/inside.sh
. /hush/inside.sh
tool=/usr/lib/openssh/advertise-ping
config=/etc/ssh/sshd_config

# says NAME PATTERN COMMAND...: COMMAND's status goes to $said_status; passes
# if a line of its output matches.
says() {
	name=$1
	pattern=$2
	shift 2
	said_status=0
	"$@" >$tmp/said 2>&1 </dev/null || said_status=$?
	ok "$name" grep -e "$pattern" $tmp/said
}

aside() {
	$tool step-aside >$tmp/said 2>&1
}

back() {
	$tool come-back >$tmp/said 2>&1
}

# Names, owners, modes, links, attributes and bytes of all that could change.
state() {
	find /etc/ssh /srv -printf '%p %y %m %u %g %n %l\n' | sort
	find /etc/ssh /srv -type f -exec sha256sum {} + | sort -k 2
	find /etc/ssh /srv -type f | sort | python3 -c '
import os, sys
for f in sys.stdin:
	f = f.rstrip("\n")
	print(f, [(x, os.getxattr(f, x)) for x in os.listxattr(f)])'
}

stock_accepts() {
	mkdir -p /run/sshd
	$tmp/stock/usr/sbin/sshd -t -f "$1"
}

fresh() {
	rm -rf /etc/ssh /srv/*
	cp -a $tmp/etc-ssh /etc/ssh
}

mkdir $tmp/stock
dpkg-deb -x /stock/openssh-server_*.deb $tmp/stock
dpkg -i /hush/openssh-client_*.deb /hush/openssh-server_*.deb \
    /hush/openssh-sftp-server_*.deb >$tmp/dpkg 2>&1
cp -a /etc/ssh $tmp/etc-ssh
make_player
mkdir -p /run/sshd

# --- What is a line with the directive: whatever a stock sshd refuses ---

spell() {
	python3 - <<'EOF_PYTHON'
import random
random.seed(20261130)
letters = "AdvertisePing"
bits = [" ", "\t", "=", '"', "\r", "#", "\f", "'", "no", "\\", "x"]
lines = ['AdvertisePing no', ' \tadvertiseping=no', '"AdvertisePing" no',
    'Adver"tisePing" no', '=AdvertisePing no', '==AdvertisePing no',
    'AdvertisePing', 'AdvertisePing no # why', '#AdvertisePing no',
    '# AdvertisePing no', 'AdvertisePing#no', '"AdvertisePing no',
    'AdvertisePingno', 'ADVERTISEPING\tNO\r', '"" AdvertisePing no',
    '\fAdvertisePing no', 'AdvertisePing\f', 'Advertise Ping no',
    '"AdvertisePing"no', "'AdvertisePing' no", '\\AdvertisePing no']
for i in range(3000):
    word = "".join(random.choice((c, c.upper(), c.lower())) for c in letters)
    line = list(random.choice(bits[:7]) for _ in range(random.choice((0, 0, 1, 2))))
    line.append(word)
    line += [random.choice(bits) for _ in range(random.randrange(4))]
    for _ in range(random.choice((0, 0, 1, 2))):
        line.insert(random.randrange(len(line) + 1), random.choice(bits))
    text = "".join(line)
    if random.random() < .2:
        at = random.randrange(len(text))
        text = text[:at] + random.choice(bits) + text[at:]
    lines.append(text)
print("\n".join(lines))
EOF_PYTHON
}

# refused: the numbers of the lines that sshd refuses for our word, out of what
# it says.
refused() {
	sed -n -e 's/\r$//' \
	    -e 's/.*line \([0-9]*\): Bad configuration option: /\1|/p' \
	    -e 's/.*line \([0-9]*\): no argument after keyword "\(.*\)"$/\1|\2/p' |
	    grep -i '|advertiseping$' | cut -d'|' -f1 | sort -n
}

fresh
spell >/etc/ssh/spelled
stock_accepts /etc/ssh/spelled 2>$tmp/stock.says || :
refused <$tmp/stock.says >$tmp/refused
$tool list | sed -n 's,^/etc/ssh/spelled line \([0-9]*\): .*,\1,p' |
    sort -n >$tmp/listed
ok "3000 spellings: what stock refuses is what is found" \
    diff $tmp/refused $tmp/listed
ok "that is many, and not all" test "$(wc -l <$tmp/refused)" -gt 300 -a \
    "$(wc -l <$tmp/refused)" -lt 2900
aside
stock_accepts /etc/ssh/spelled 2>$tmp/stock.says || :
is "stepped aside, stock refuses none of them" '' "$(refused <$tmp/stock.says)"
back || :
spell | cmp - /etc/ssh/spelled >$tmp/cmp 2>&1 || :
# It is no configuration that sshd would take, but nobody starts it from there.
is "come back, all bytes are as before" '' "$(cat $tmp/cmp)"

# --- Where: Includes of every kind, links, other files, attributes ---

fresh
mkdir -p "/etc/ssh/sub dir/deep" /srv/game
{
	printf 'Include /srv/game/*.conf "sub dir/a file.conf" hard\r\n'
	printf '  Include=rel.conf\nMatch LocalPort 2222\n\tInclude /srv/matched\n'
	printf '\tAdvertisePing no'
} >>$config
echo 'AdvertisePing no' >/srv/game/one.conf
echo 'AdvertisePing no' >/srv/game/other
echo 'AdvertisePing yes' >"/etc/ssh/sub dir/a file.conf"
echo 'Include /srv/deeper' >/etc/ssh/rel.conf
printf 'Match all\nadvertiseping no\n' >/srv/deeper
echo 'AdvertisePing no' >/srv/matched
printf 'Port 2022\nAdvertisePing no\nInclude /srv/of-another' >"/etc/ssh/sub dir/deep/another"
echo 'AdvertisePing no' >/srv/of-another
echo 'AdvertisePing no' >/srv/linked
ln -s /srv/linked /etc/ssh/link
ln -s "sub dir" /etc/ssh/dirlink
ln -s /nowhere /etc/ssh/dangling
mkfifo /etc/ssh/fifo
echo 'AdvertisePing no' >/etc/ssh/hard
ln /etc/ssh/hard /etc/ssh/hard2
ln /etc/ssh/hard "/etc/ssh/sub dir/hard3"
echo 'Include /etc/ssh/loop' >/etc/ssh/loop
chown daemon:mail /etc/ssh/hard
chmod 640 $config
chgrp mail $config
python3 -c 'import os; os.setxattr("/etc/ssh/sshd_config", "user.note", b"mine")'
state >$tmp/before
ok "step aside" timeout $wait_limit $tool step-aside
ok "a stock sshd accepts what was the main file" stock_accepts $config
ok "and another" stock_accepts "/etc/ssh/sub dir/deep/another"
left=$(grep -rilE '^[^#]*advertiseping' /etc/ssh /srv | sort)
is "nowhere is it in force" /srv/game/other "$left"
state | sed '/^[^ ]* [a-z] /!d' >$tmp/during.names
sed '/^[^ ]* [a-z] /!d' $tmp/before >$tmp/before.names
ok "modes, owners and links stay" diff $tmp/before.names $tmp/during.names
ok "and attributes" python3 -c \
    'import os; assert os.getxattr("/etc/ssh/sshd_config", "user.note") == b"mine"'
cp $config $tmp/once
aside
ok "to step aside twice changes nothing more" cmp $config $tmp/once
ok "come back" timeout $wait_limit $tool come-back
state | diff $tmp/before - >$tmp/diff || :
is "all bytes, modes, owners, links as before" '' "$(cat $tmp/diff)"
ok "come back twice" timeout $wait_limit $tool come-back
state | diff $tmp/before - >$tmp/diff || :
is "changes nothing" '' "$(cat $tmp/diff)"

# --- Lines that somebody changed ---

fresh
printf 'AdvertisePing no\nMatch Address 10.0.0.0/8\nAdvertisePing no\nMatch Address 10.1.0.0/16\nAdvertisePing yes\n' >>$config
cp $config $tmp/before
aside
sed -i '0,/:AdvertisePing no/s//:AdvertisePing yes/' $config
sed -i '/:AdvertisePing yes$/{x;s/^/x/;/^xx$/{x;d};x}' $config
says "a changed line is spoken of" "changed since it was switched off" $tool come-back
is "and stays as it is, as do lines that were removed" 1 \
    "$(grep -c '^#openssh-hush:.*AdvertisePing yes' $config)"
is "the others come back" 1 "$(grep -c '^AdvertisePing' $config)"

# --- What cannot be changed ---

untouched() {
	is "$1: the file is as it was" "$(sha256sum <$tmp/before)" "$(sha256sum <"$2")"
	is "$1: nothing half-written is left" '' \
	    "$(find "$(dirname "$2")" -name '.*openssh-hush')"
}

fresh
echo 'AdvertisePing no' >>$config
cp $config $tmp/before
if chattr +i $config 2>/dev/null; then
	says "immutable file: said loudly" "could NOT be switched off in $config" \
	    $tool step-aside
	is "immutable file: exit status" 3 "$said_status"
	ok "immutable file: what to do" grep "remove the line" $tmp/said
	chattr -i $config
	untouched "immutable file" $config
else
	echo "# no immutable files here"
fi
mount --bind /etc/ssh /etc/ssh
mount -o remount,ro,bind /etc/ssh
says "read-only /etc/ssh: said loudly" "could NOT be switched off.*[Rr]ead-only" \
    $tool step-aside
umount /etc/ssh
untouched "read-only /etc/ssh" $config
mkdir -p /srv/small
mount -t tmpfs -o size=64k tmpfs /srv/small
{ cat $config; yes '# long' | head -n 4000; } >/srv/small/conf
cp /srv/small/conf $tmp/before
echo 'Include /srv/small/conf' >>$config
dd if=/dev/zero of=/srv/small/full bs=4k 2>/dev/null || :
says "full disk: said loudly" "could NOT be switched off in /srv/small/conf: No space" \
    $tool step-aside
untouched "full disk" /srv/small/conf
ok "what could be changed was" grep '^#openssh-hush:.*AdvertisePing' $config
rm /srv/small/full
ok "with space, the next try works" $tool step-aside
ok "and back" $tool come-back
umount /srv/small

fresh
echo 'AdvertisePing no' >>$config
echo 'AdvertisePing no' >/srv/hard
ln /srv/hard /etc/ssh/hard
mkdir /opt/elsewhere
ln /srv/hard /opt/elsewhere/hard
says "a hard link where nobody looks: said" "more hard link(s) elsewhere" \
    $tool step-aside
rm -r /opt/elsewhere

# Killed at any moment: each file is the old or the new one, and the next run
# ends well.
fresh
yes '# long' | head -n 5000 >>$config
echo 'AdvertisePing no' >>$config
for n in 1 2 3 4 5 6; do cp $config /etc/ssh/conf$n; done
old=$(sha256sum <$config)
cp -a /etc/ssh $tmp/interrupted
aside
new=$(sha256sum <$config)
torn=0
cuts=0
rm -rf /etc/ssh
cp -a $tmp/interrupted /etc/ssh
began=${EPOCHREALTIME/./}
aside
took=$((${EPOCHREALTIME/./} - began))
for n in $(seq 40); do
	rm -rf /etc/ssh
	cp -a $tmp/interrupted /etc/ssh
	moment=$((n * took / 40))
	timeout -s KILL "$(printf '%d.%06d' $((moment / 1000000)) $((moment % 1000000)))" $tool step-aside >/dev/null 2>&1 || :
	a=0
	for f in $config /etc/ssh/conf?; do
		case $(sha256sum <"$f") in
		"$old") a=$((a + 1)) ;;
		"$new") ;;
		*) torn=$((torn + 1)) ;;
		esac
	done
	[ $a -eq 0 ] || [ $a -eq 7 ] || cuts=$((cuts + 1))
	aside
	[ "$(sha256sum <$config)" = "$new" ] || torn=$((torn + 1))
	[ -z "$(find /etc/ssh -name '.*openssh-hush')" ] || torn=$((torn + 1))
done
echo "# $cuts of 40 kills were between two files"
is "killed 40 times: no file was torn, and the next run ended well" 0 $torn
rm -rf $tmp/interrupted

# --- What sshd would refuse does not come back ---

fresh
printf 'AdvertisePing no\n' >>$config
aside
cp $config $tmp/before
sed -i 's/^#openssh-hush/Match User nobody\n&/' $config
cp $config $tmp/before
says "in a block where it may not be: said" "sshd refuses $config" $tool come-back
is "exit status" 3 "$said_status"
ok "it stays off" cmp $config $tmp/before
is "and sshd is content" '' "$(/usr/sbin/sshd -t 2>&1)"

# --- Listeners ---

sockets() {
	ss -Hltnp "sport = $1" | sed -n 's/.*pid=\([0-9]*\).*/\1/p' | sort -u
}

# start_listener PORT COMMAND...: COMMAND starts an sshd, which is in the background
# before it listens.
start_listener() {
	started=$1
	shift
	"$@"
	wait_for listens "$started"
}

listens() {
	[ -n "$(sockets "$1")" ]
}

silent() {
	! listens "$1"
}

declare -A pid

# offered PORT: yes or no, or what went wrong.
offered() {
	if ! client -v -p "$1" player@127.0.0.1 true >$tmp/client 2>&1; then
		tail -n 1 $tmp/client
	elif grep -q 'ping@openssh.com=' $tmp/client; then
		echo yes
	else
		echo no
	fi
}

fresh
printf 'AdvertisePing no\n' >>$config
printf 'Port 2222\nUsePAM yes\nPidFile none\nInclude /srv/game.conf\n' >/srv/instance
echo 'AdvertisePing no' >/srv/game.conf
printf 'Port 2223\nUsePAM yes\nPidFile none\n' >/srv/plain
start_listener 22 /usr/sbin/sshd
start_listener 2222 /usr/sbin/sshd -f /srv/instance
start_listener 2223 /usr/sbin/sshd -f /srv/plain -o AdvertisePing=no
# One in a root of its own, as in a container.
mkdir -p /mnt/c
mount --rbind / /mnt/c
mount -t tmpfs tmpfs /mnt/c/etc
cp -a /etc/. /mnt/c/etc/
start_listener 2224 chroot /mnt/c /usr/sbin/sshd -p 2224
for p in 22 2222 2223 2224; do
	is "port $p: withheld to begin with" no "$(offered $p)"
	pid[$p]=$(sockets $p)
done
ss -Hltne 'sport = 2224' | grep -o 'ino:[0-9]*' >$tmp/container
says "a directive on the command line: said" \
    "option on the command line of process ${pid[2223]}" $tool step-aside
is "port 22: offered, the listener has read it" yes "$(offered 22)"
is "port 2222, with a file of its own: offered" yes "$(offered 2222)"
for p in 22 2222 2223 2224; do
	is "port $p: the same process listens" "${pid[$p]}" "$(sockets $p)"
done
ok "the one in a root of its own was left alone" \
    diff $tmp/container <(ss -Hltne 'sport = 2224' | grep -o 'ino:[0-9]*')
ok "its configuration as well" grep '^AdvertisePing' /mnt/c/etc/ssh/sshd_config
kill "${pid[2223]}"
wait_for silent 2223
ok "come back" $tool come-back
is "port 2222: withheld again" no "$(offered 2222)"
is "port 22: withheld again" no "$(offered 22)"

# The listener has it in memory, although the file does not have it any more. The
# times of files and processes are told apart by seconds.
sleep 1.1
sed -i '/^AdvertisePing/d' $config /srv/game.conf
is "nothing to switch off, but a listener to reload: no word" '' \
    "$($tool step-aside 2>&1)"
is "port 22: offered, the listener has read it" yes "$(offered 22)"

# A file that sshd refuses for other reasons: the listener must not be killed.
echo Nonsense >>/srv/instance
echo 'AdvertisePing no' >>/srv/game.conf
says "a file with a mistake: said" "is not reloaded, since sshd refuses that file.*Nonsense" \
    $tool step-aside
is "its listener still listens" "${pid[2222]}" "$(sockets 2222)"
# sshd leaves the directory that it was started in, so it cannot find that file
# again: SIGHUP would kill it.
cd /srv
start_listener 2223 /usr/sbin/sshd -f plain
cd /
says "a relative path of a file: said" "is not reloaded.*No such file" \
    $tool step-aside
ok "its listener still listens" login 2223
for p in 22 2222 2223 2224; do
	kill "$(sockets $p)"
done
umount -R /mnt/c

# Where else an sshd gets its file from.
fresh
mkdir -p "/srv/with blanks"
for f in "with blanks/a file" first last by-unit by-environment; do
	printf 'Port 2225\nUsePAM yes\nPidFile none\nAdvertisePing no\n' >"/srv/$f"
done
printf '[Service]\nExecStart=/usr/sbin/sshd -D -f "/srv/with blanks/a file"\n' \
    >/etc/systemd/system/one.service
printf '[Service]\nExecStart=/usr/sbin/sshd -D -f /srv/by-%%i\n' \
    >/etc/systemd/system/two@.service
echo 'SSHD_OPTS="-p 2226 -o AdvertisePing=no"' >/etc/default/ssh
says "an option where an sshd is started from: said" \
    "/etc/default/ssh has AdvertisePing as an option" $tool step-aside
ok "a path with blanks in a unit" grep '^#openssh' "/srv/with blanks/a file"
ok "a template" grep '^#openssh' /srv/by-unit
rm /etc/systemd/system/one.service /etc/systemd/system/two@.service /etc/default/ssh
back
start_listener 2225 /usr/sbin/sshd -f "/srv/with blanks/a file"
start_listener 2227 /usr/sbin/sshd -p 2227 -f /srv/first -f /srv/last
aside
ok "a path with blanks of a listener" grep '^#openssh' "/srv/with blanks/a file"
ok "the last of two" grep '^#openssh' /srv/last
ok "and not the first" grep '^AdvertisePing' /srv/first
is "which has read it" yes "$(offered 2227)"
back
# Nobody reads what is said.
set +o pipefail
$tool step-aside 2>&1 | true
is "to a closed pipe: it is done all the same" yes "$(offered 2227)"
for p in 2225 2227; do
	kill "$(sockets $p)"
done

# --- Others than root ---

fresh
install -d -o player /etc/ssh/player /home/player/conf
printf 'Port 2228\nUsePAM no\nPidFile none\nHostKey /home/player/conf/key\nInclude /home/player/conf/fifo\nAdvertisePing no\n' \
    >/home/player/conf/sshd_config
echo 'AdvertisePing no' >/etc/ssh/player/conf
ssh-keygen -q -t ed25519 -N '' -f /home/player/conf/key
chown -R player /home/player/conf /etc/ssh/player
sed -i /Include/d /home/player/conf/sshd_config
start_listener 2228 runuser -u player -- /usr/sbin/sshd -f /home/player/conf/sshd_config
printf 'Include /home/player/conf/fifo\n' >>/home/player/conf/sshd_config
mkfifo /home/player/conf/fifo /etc/ssh/player/fifo
truncate -s 200G /etc/ssh/player/huge
echo 'AdvertisePing no' >>$config
is "somebody else's sshd listens" 1 "$(sockets 2228 | wc -l)"
listens=$(ss -Hltne 'sport = 2228' | grep -o 'ino:[0-9]*')
# What lies in wait under the name of the new file.
ln -s $tmp/canary /home/player/conf/.sshd_config.openssh-hush
ln -s $tmp/canary /etc/ssh/player/.conf.openssh-hush
echo secret >$tmp/canary
chmod 600 $tmp/canary
says "a file that not only root can change: said" \
    "/etc/ssh/player/conf has AdvertisePing, but not only root" \
    timeout $wait_limit $tool step-aside
is "with pipes and a huge file there it ends" 3 "$said_status"
ok "root's own is switched off" grep '^#openssh.*AdvertisePing' $config
ok "that file is as it was" grep '^AdvertisePing' /etc/ssh/player/conf
ok "as is the file of that sshd" grep '^AdvertisePing' /home/player/conf/sshd_config
is "which was not reloaded" "$listens" \
    "$(ss -Hltne 'sport = 2228' | grep -o 'ino:[0-9]*')"
is "and what the link points to" 'root 600 secret' \
    "$(stat -c '%U %a' $tmp/canary) $(cat $tmp/canary)"
kill "$(sockets 2228)"

# Also in a file that sshd does read: whoever owns it keeps it, no more.
fresh
echo 'AdvertisePing no' >/home/player/conf/included
chown player /home/player/conf/included
ln -sf $tmp/canary /home/player/conf/.included.openssh-hush
echo 'Include /home/player/conf/included' >>$config
aside
ok "an Included file of a user's" grep '^#openssh' /home/player/conf/included
is "stays his" player "$(stat -c %U /home/player/conf/included)"
is "what the link points to" 'root 600 secret' \
    "$(stat -c '%U %a' $tmp/canary) $(cat $tmp/canary)"

# Many files that Include one another.
fresh
mkdir /etc/ssh/x
for n in $(seq 300); do
	printf 'Include /etc/ssh/x/*\nAdvertisePing no\n' >/etc/ssh/x/"$n"
done
ok "300 files that Include one another" timeout $wait_limit $tool step-aside
is "are all done" 300 "$(grep -l '^#openssh' /etc/ssh/x/* | wc -l)"

# A file that is mounted by itself.
fresh
echo 'AdvertisePing no' >>$config
cp $config $tmp/mounted
mount --bind $tmp/mounted $config
ok "a file that is mounted by itself" $tool step-aside
ok "is changed where it is" grep '^#openssh' $tmp/mounted
ok "and back" $tool come-back
ok "again" grep '^AdvertisePing' $tmp/mounted
umount $config

# --- How it is called ---

says "no verb" '^usage: ' $tool
is "exit status" 2 "$said_status"
says "another verb" '^usage: ' $tool nonsense
