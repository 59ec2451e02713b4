#!/bin/bash
# usage: replace-interrupted-inside.sh SERVICE
# The part of tests/replace.t in a guest in which something goes wrong while
# packages replace each other: dpkg is killed, the disk is full, /etc/ssh is
# read-only, a file cannot be changed. SERVICE as for replace-inside.sh.
set -eu
service=$1
tmp=/hush/tmp
mkdir -p "$tmp"
# shellcheck source=tests/lib/inside.sh
. /hush/inside.sh
ssh=/root/stock-ssh
export ssh
drop_in=/etc/ssh/sshd_config.d/hush.conf

logins() {
	for _ in 1 2 3; do login 22 || return 1; done
}

offered() {
	client -v player@127.0.0.1 true 2>&1 | grep -c 'ping@openssh.com=' || :
}

back_to_ours() {
	dpkg -i --force-downgrade /repo/ours0/*.deb >"$tmp/out" 2>&1 </dev/null || {
		echo "fail $1: back to ours"
		tail -n 20 "$tmp/out" | sed 's/^/# /'
	}
	ok "$1: back with ours, logins work" wait_for logins
	is "$1: back with ours, withheld" 0 "$(offered)"
	is "$1: back with ours, the file is as before" "$before" \
	    "$(sha256sum <$drop_in)"
}

now() {
	echo "${EPOCHREALTIME/./}"
}

# killed NINTHS COMMAND...: run it, and kill it and its children after as many
# ninths of the time that it takes. Sets $after, in seconds.
killed() {
	after=$(awk -v n="$1" -v took="$took" 'BEGIN { printf "%.3f", n * took / 9e6 }')
	shift
	setsid "$@" >"$tmp/out" 2>&1 </dev/null &
	k=$!
	sleep "$after"
	kill -KILL -- -$k 2>/dev/null || return 0
	wait $k 2>/dev/null || :
}

# configured [REASON]: "dpkg --configure -a" ends well, but for packages that it
# leaves to a later dpkg -i because they depend on one of the same version that was
# not unpacked yet, or for REASON, which is in what it says.
configured() {
	dpkg --configure -a >"$tmp/configure" 2>&1 </dev/null && return
	# The reason is in the line after.
	awk -v reason="${1:-dependency problems}" '
	    /^dpkg: error processing package/ { errors++; getline
		if ($0 !~ "dependency problems" && $0 !~ reason) bad = 1 }
	    END { exit bad || !errors }' "$tmp/configure" || {
		tail -n 5 "$tmp/configure" | sed 's/^/# /'
		return 1
	}
}

# said PATTERN: by the last dpkg.
said() {
	grep "$1" "$tmp/out" || {
		cat "$tmp/out"
		return 1
	}
}

# given_up: systemd has given up on a service that fails, however long a try takes.
# As long as it has not, a socket keeps who connects waiting: nobody refuses him.
given_up() {
	printf '[Unit]\nStartLimitIntervalSec=1d\nStartLimitBurst=3\n' \
	    >/run/systemd/system/ssh.service.d/limit.conf
	systemctl daemon-reload
	! login 22 2>/dev/null && wait_for systemctl -q is-failed ssh.service
}

half_written() {
	find /etc/ssh -name '.*openssh-hush'
}

dpkg -i /repo/ours0/*.deb >"$tmp/out" 2>&1 </dev/null
if [ "$service" = ssh.socket ]; then
	systemctl disable --now ssh.service
	systemctl enable --now ssh.socket
fi
lift_limits
printf 'AdvertisePing no\n' >$drop_in
before=$(sha256sum <$drop_in)
systemctl reload-or-restart ssh.service
ok "to begin with, logins work" wait_for logins
is "to begin with, withheld" 0 "$(offered)"

began=$(now)
dpkg -i /repo/stock1/*.deb >"$tmp/out" 2>&1 </dev/null
took=$(($(now) - began))
back_to_ours "to begin with"

# dpkg killed on the way to stock, at any point.
bad=0
for n in $(seq 8); do
	killed "$n" dpkg -i /repo/stock1/*.deb
	wait_for logins >"$tmp/why" || {
		bad=$((bad + 1))
		echo "# killed after $after s, no login: $(dpkg-query -W -f '${Version} ${Status}' openssh-server), $(systemctl show -P Result ssh.service)"
		tail -n 3 "$tmp/why" | sed 's/^/# /'
	}
	# It may have been in the middle of unpacking, as with any package.
	configured 'very bad inconsistent state' || bad=$((bad + 1))
	wait_for logins >"$tmp/why" || {
		bad=$((bad + 1))
		echo "# killed after $after s, configured, no login"
	}
	dpkg -i /repo/stock1/*.deb >"$tmp/again" 2>&1 </dev/null || bad=$((bad + 1))
	wait_for logins >"$tmp/why" && [ "$(offered)" = 1 ] || bad=$((bad + 1))
	# And on the way back.
	killed "$n" dpkg -i --force-downgrade /repo/ours0/*.deb
	wait_for logins >"$tmp/why" || {
		bad=$((bad + 1))
		echo "# killed after $after s on the way back, no login"
	}
	# It may have been in the middle of unpacking, as with any package.
	configured 'very bad inconsistent state' || bad=$((bad + 1))
	dpkg -i --force-downgrade /repo/ours0/*.deb >"$tmp/again" 2>&1 </dev/null || bad=$((bad + 1))
	wait_for logins >"$tmp/why" || bad=$((bad + 1))
	[ "$(sha256sum <$drop_in)" = "$before" ] || bad=$((bad + 1))
	[ -z "$(half_written)" ] || bad=$((bad + 1))
done
is "dpkg killed 16 times: nothing was lost" 0 $bad
is "withheld at the end" 0 "$(offered)"

# Ours is unpacked, but not configured, when stock comes: dpkg runs no prerm.
for how in dpkg apt; do
	dpkg --unpack /repo/ours0b/openssh-server_*.deb >"$tmp/out" 2>&1
	case $how in
	dpkg) dpkg -i /repo/stock1/*.deb >>"$tmp/out" 2>&1 </dev/null || : ;;
	apt)
		echo "deb [trusted=yes] file:/repo/stock1 ./" >/etc/apt/sources.list
		apt-get update >>"$tmp/out" 2>&1
		apt-get -y -f install >>"$tmp/out" 2>&1 </dev/null || :
		apt-get -y --allow-downgrades install openssh-server \
		    openssh-client openssh-sftp-server >>"$tmp/out" 2>&1 </dev/null || : ;;
	esac
	ok "unpacked only, then $how: logins work" wait_for logins
	is "unpacked only, then $how: stock" "$(dpkg-deb -f /repo/stock1/openssh-server_*.deb Version) installed" \
	    "$(installed openssh-server)"
	is "unpacked only, then $how: offered" 1 "$(offered)"
	back_to_ours "unpacked only, then $how"
done

# What had failed before, and for other reasons, is not started.
printf '[Service]\nExecStart=/usr/sbin/sshd -D -p 2400 -f /etc/ssh/none-such\n' \
    >/etc/systemd/system/emergency-ssh.service
systemctl daemon-reload
systemctl start emergency-ssh.service
wait_for systemctl -q is-failed emergency-ssh.service
cp /etc/ssh/sshd_config /etc/ssh/none-such
dpkg -i /repo/stock1/*.deb >"$tmp/out" 2>&1 </dev/null
back_to_ours "a unit that had failed"
is "a unit that had failed: is not started" failed \
    "$(systemctl is-active emergency-ssh.service || :)"
rm /etc/systemd/system/emergency-ssh.service /etc/ssh/none-such

# /etc/ssh is full, then read-only.
cp -a /etc/ssh /etc/ssh.copy
mount -t tmpfs -o size=1300k tmpfs /etc/ssh
cp -a /etc/ssh.copy/. /etc/ssh/
dd if=/dev/zero of=/etc/ssh/full bs=4k >/dev/null 2>&1 || :
dpkg -i /repo/stock1/*.deb >"$tmp/out" 2>&1 </dev/null || :
ok "full disk: it says so" said 'could NOT be switched off'
ok "full disk: logins work" wait_for logins
is "full disk: nothing half-written" '' "$(half_written)"
rm /etc/ssh/full
ok "full disk: with space, dpkg --configure -a" configured
ok "full disk: then logins work" wait_for logins
back_to_ours "full disk"
mount -o remount,ro /etc/ssh
dpkg -i /repo/stock1/*.deb >"$tmp/out" 2>&1 </dev/null || :
ok "read-only: it says so" said 'could NOT be switched off'
ok "read-only: logins work" wait_for logins
mount -o remount,rw /etc/ssh
ok "read-only: writable again, dpkg --configure -a" configured
ok "read-only: then logins work" wait_for logins
back_to_ours "read-only"
umount /etc/ssh
rm -r /etc/ssh.copy

# A mistake in the configuration: our next version must not stop the daemon.
echo Nonsense yes >/etc/ssh/sshd_config.d/mistake.conf
dpkg -i /repo/ours0b/*.deb >"$tmp/out" 2>&1 </dev/null || echo "# dpkg: $?"
if [ "$service" = ssh.service ]; then
	ok "a mistake: the old daemon goes on, logins work" logins
fi
ok "a mistake: what to mend is said" said 'Bad configuration option: Nonsense'
rm /etc/ssh/sshd_config.d/mistake.conf
systemctl restart ssh.service
back_to_ours "a mistake"

# An immutable file: this is what cannot be helped, and is said. The stock sshd
# fails until systemd gives up; ours brings it back all the same.
if chattr +i $drop_in; then
	dpkg -i /repo/stock1/*.deb >"$tmp/out" 2>&1 </dev/null || :
	ok "immutable file: it says that nobody can log in" \
	    said 'NOBODY CAN LOG IN'
	ok "immutable file: systemd gives up" given_up
	echo "# immutable file, stock sshd: $(systemctl is-failed ssh.service ssh.socket | tr '\n' ' ')"
	back_to_ours "immutable file"
	chattr -i $drop_in
else
	echo "# no immutable files here"
fi
