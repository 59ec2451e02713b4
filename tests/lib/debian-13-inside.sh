#!/bin/sh
# usage: debian-13-inside.sh VERSION STOCK-VERSION
# The part of tests/debian-13.t that runs inside a root of Debian 13, offline,
# with our packages in /hush. Prints "pass NAME", "fail NAME" and "# TEXT".
set -eu
version=$1
stock_version=$2
tmp=/hush/tmp
mkdir -p "$tmp"
keystroke=/hush/keystroke
# shellcheck source=tests/lib/keystroke.sh
. /hush/keystroke.sh
# shellcheck source=tests/lib/inside.sh
. /hush/inside.sh

# Everything that is an administrator's or a host's own. What dpkg and ucf
# keep of their own is not.
local_files() {
	find /etc/ssh /etc/pam.d/sshd /etc/default/ssh /home/player/.ssh -type f \
	    -exec sha256sum {} + | sort -k 2
	find /etc/ssh /home/player/.ssh -exec stat -c '%n %U %G %a' {} + | sort
}

start_sshd() {
	mkdir -p /run/sshd
	/usr/sbin/sshd -E "$tmp/sshd.log"
	wait_for test -s /run/sshd.pid
}

# Ends the listener alone: sessions go on.
stop_sshd() {
	kill "$(cat /run/sshd.pid)"
	wait_for test ! -e /run/sshd.pid
}

banner() {
	ssh-keyscan -p 22 -t ed25519 127.0.0.1 2>&1 | sed -n 's/^# [^ ]* //p' |
	    head -n 1
}

# The KDF rounds in the header of a key: after magic, cipher, KDF and salt.
rounds() {
	sed '/^-----/d' "$1" | base64 -d | od -An -tu4 --endian=big -j 63 -N 4 |
	    tr -d ' '
}

effective_config() {
	/usr/sbin/sshd -T -f "$1" | grep -v '^advertiseping ' | sort
}

is "stock openssh-server to begin with" "$stock_version installed" \
    "$(installed openssh-server)"
cp /usr/bin/ssh /root/stock-ssh

# A host with a life of its own.
make_player
printf '\n# Edited by hand\nMaxSessions 20\nDebianBanner yes\n' \
    >>/etc/ssh/sshd_config
echo 'ClientAliveInterval 30' >/etc/ssh/sshd_config.d/local.conf
start_sshd
ok "login with stock" login
open_session 22
ok "a session is open" session_answers before
stock_banner=$(banner)
# Every keyword that stock knows, with the value in effect: "sshd -T" prints
# what sshd_config may say, but for these.
/usr/sbin/sshd -T | grep -v -e ' none$' -e '^persourcepenalties ' \
    -e '^persourcenetblocksize ' >/root/all-keywords
effective_config /etc/ssh/sshd_config >"$tmp/stock.config"
local_files >"$tmp/stock.files"

ok "our packages install over stock" apt-get install -y \
    /hush/openssh-client_*.deb /hush/openssh-server_*.deb \
    /hush/openssh-sftp-server_*.deb
for p in openssh-client openssh-server openssh-sftp-server; do
	is "$p is ours" "$version installed" "$(installed $p)"
done
ok "the session survived the installation" session_answers during
local_files >"$tmp/our.files"
ok "no file of the host's own has changed" diff "$tmp/stock.files" "$tmp/our.files"
ok "the configuration passes sshd -t" /usr/sbin/sshd -t
effective_config /etc/ssh/sshd_config >"$tmp/our.config"
ok "all else in effect as with stock" diff "$tmp/stock.config" "$tmp/our.config"
ok "every keyword of stock's sshd -T parses" /usr/sbin/sshd -t -f /root/all-keywords
for k in 'DebianBanner no' 'GSSAPIAuthentication yes' 'GSSAPIKeyExchange yes' \
    'GSSAPICleanupCredentials yes' 'GSSAPIStrictAcceptorCheck no' \
    'GSSAPIStoreCredentialsOnRekey yes' \
    'GSSAPIKexAlgorithms gss-group14-sha256-' 'PermitBlacklistedKeys no' \
    'UsePAM yes' 'KerberosAuthentication no' 'UseDNS yes' \
    'Subsystem sftp internal-sftp' 'IPQoS ef cs1' 'AcceptEnv LANG LC_*'; do
	echo "$k" >/root/one-keyword
	ok "keyword: $k" /usr/sbin/sshd -t -f /root/one-keyword
done

stop_sshd
start_sshd
ok "login with ours" login
is "the banner is stock's" "$stock_banner" "$(banner)"
ssh=/root/stock-ssh
ok "login with the stock client" login
unset ssh
ok "the session survived the restart" session_answers after

# offered NAME: the stock client is offered ping on $port as often as $offer.
offered() {
	ssh=/root/stock-ssh client -v -p "$port" player@127.0.0.1 true \
	    2>"$tmp/client.log"
	is "$1" "$offer" "$(grep -c 'ping@openssh.com=' "$tmp/client.log" || :)"
}

# The README's example, with the one daemon and the one configuration.
cat >/etc/ssh/sshd_config.d/hush.conf <<'EOF_CONFIG'
Port 22
Port 2222
Match LocalPort 2222
    AdvertisePing no
EOF_CONFIG
stop_sshd
start_sshd
for port in 22 2222; do
	case $port in 22) offer=1 ;; *) offer=0 ;; esac
	offered "port $port: what the stock client is offered"
	n=$(most_packets $((offer * 100)) keystroke_packets "$port" \
	    /root/stock-ssh -F none -i /root/id -o StrictHostKeyChecking=no \
	    -o UserKnownHostsFile=/root/known_hosts -p "$port" \
	    -tt player@127.0.0.1 "$remote_command")
	echo "# port $port: $n packets for one key"
	if [ "$offer" -eq 1 ]; then
		ok "port $port: a key of the stock client makes chaff" test "$n" -gt 20
	else
		ok "port $port: a key of the stock client makes none" \
		    test "$n" -gt 0 -a "$n" -le 6
	fi
	is "port $port: the README's check" \
	    "$([ "$offer" -eq 0 ] || printf 'ping@openssh.com= ')server-sig-algs= " \
	    "$(grep -o -e server-sig-algs= -e ping@openssh.com= "$tmp/client.log" |
	    sort -u | tr '\n' ' ')"
	is "port $port: sshd -T agrees" \
	    "advertiseping $([ "$offer" -eq 1 ] && echo yes || echo no)" \
	    "$(/usr/sbin/sshd -T -C "lport=$port" | grep '^advertiseping ')"
done
ok "said at startup" grep -q 'AdvertisePing: withholding' "$tmp/sshd.log"

# Socket activation, as systemd does it: both sockets come from outside.
stop_sshd
systemd-socket-activate -l 127.0.0.1:22 -l 127.0.0.1:2222 \
    /usr/sbin/sshd -D -E "$tmp/sshd.log" 2>"$tmp/activate.log" &
wait_for grep -q 'Listening on .*2222' "$tmp/activate.log"
for port in 22 2222; do
	case $port in 22) offer=1 ;; *) offer=0 ;; esac
	offered "socket activation, port $port: what the client is offered"
done

ssh-keygen -q -t ed25519 -N secret -f /root/new
is "ssh-keygen writes 128 rounds" 128 "$(rounds /root/new)"

close_session
stop_sshd
