#!/bin/bash
# usage: replace-inside.sh WHO SERVICE SETUP
# The part of tests/replace.t that runs in a guest (see replace-prepare.sh for
# what is in it): the packages replace each other in every way that there is,
# while a monitor logs in all the time.
#   WHO      ours: between stock's packages and ours; stock: the same steps
#            between stock's own, to compare with
#   SERVICE  ssh.service or ssh.socket: who listens
#   SETUP    where AdvertisePing is: none drop-in main match include instance
# Prints results as inside.sh does, and for each step
# "count STEP TRIES FAILURES LONGEST": how many logins the monitor tried during
# it, how many failed, and the longest time without one that went well (ms).
set -eu
who=$1
service=$2
setup=$3
tmp=/hush/tmp
mkdir -p "$tmp"
# shellcheck source=tests/lib/inside.sh
. /hush/inside.sh
ssh=/root/stock-ssh
export ssh
port=22
config=/etc/ssh/sshd_config
packages='openssh-client openssh-server openssh-sftp-server'

# debs REPOSITORY: its files, for apt and dpkg.
debs() {
	echo "/repo/$1"/*.deb
}

# offer REPOSITORY: all that apt gets to see.
offer() {
	echo "deb [trusted=yes] file:/repo/$1 ./" >/etc/apt/sources.list
	apt-get update
}

version() {
	dpkg-query -W -f '${Version}' openssh-server
}

# version_in REPOSITORY
version_in() {
	dpkg-deb -f "/repo/$1"/openssh-server_*.deb Version
}

# --- Where the directive is ---

set_up() {
	case $setup in
	none) ;;
	drop-in)
		printf '# Games\nAdvertisePing no\n' >/etc/ssh/sshd_config.d/hush.conf ;;
	main)
		printf '\nAdvertisePing\tno' >>$config ;;
	match)
		printf 'Match Address 127.0.0.0/8\n\tadvertiseping=no\nMatch all\n' >>$config ;;
	include)
		mkdir -p /srv/game
		printf 'AdvertisePing "no" # no chaff\r\n' >/srv/game/ssh.conf
		printf 'Match all\n\tInclude /srv/game/*.conf\n' >>$config ;;
	instance)
		port=2222
		# While the package is gone this listener has no sshd-session to
		# run, and would punish the monitor for that afterwards.
		printf 'Port 2222\nUsePAM yes\nAdvertisePing no\nPidFile /run/game.pid\nPerSourcePenalties no\n' \
		    >/etc/ssh/game_config
		sed -e 's,sshd -D,sshd -D -f /etc/ssh/game_config,' \
		    -e 's,sshd -t,sshd -t -f /etc/ssh/game_config,' \
		    -e '/^Alias/d;/^RuntimeDirectory/d' \
		    /usr/lib/systemd/system/ssh.service \
		    >/etc/systemd/system/sshd-game.service
		systemctl daemon-reload
		systemctl enable --now sshd-game.service ;;
	esac
	systemctl reload-or-restart ssh.service
	wait_for login $port
}

use_socket() {
	systemctl disable --now ssh.service
	systemctl enable --now ssh.socket
}

config_files() {
	find /etc/ssh /srv -type f ! -name '*.ucf-*' -exec sha256sum {} + | sort
	find /etc/ssh /srv -exec stat -c '%n %U %G %a %s' {} + | sort
}

# --- What should be true ---

# settled SINCE: the monitor has logged in five times without a failure, by tries
# that began after that time.
settled() {
	awk -v since="$1" '$1 > since { n = $2 == "ok" ? n + 1 : 0 }
	    END { exit n < 5 }' "$tmp/monitor.log"
}

# withheld: what a stock client is offered on $port. Fails without connection.
withheld() {
	client -v -p $port player@127.0.0.1 true 2>"$tmp/client.log" || {
		tail -n 5 "$tmp/client.log"
		return 2
	}
	! grep -q 'ping@openssh.com=' "$tmp/client.log"
}

off_and_said() {
	[ "$setup" != none ] || return 0
	oas=0
	withheld || oas=$?
	[ $oas -eq 1 ] || return 1
	grep -q 'AdvertisePing is switched off' "$tmp/step.out" &&
	    grep -rqs '^#openssh-hush:' /etc/ssh /srv &&
	    journalctl -q -t openssh-server | grep -q 'AdvertisePing is switched off'
}

as_before() {
	config_files | diff "$tmp/files" -
	[ "$setup" = none ] || withheld
}

daemon_is_well() {
	[ -z "$(systemctl list-units --failed --plain --no-legend 'ssh*')" ] &&
	    for _ in 1 2 3; do login 22 && login $port || return 1; done
}

# check NAME: what went wrong in it, if anything, is one result.
check() {
	check_name="$who, $service, $setup: $1"
	shift
	ok "$check_name" "$@"
}

# --- Steps ---

now() {
	echo "${EPOCHREALTIME/./}"
}

start_monitor() {
	/hush/monitor.sh $port "$tmp/monitor.log" &
	monitor=$!
}

# count FROM TO: from the monitor's log.
count() {
	awk -v from="$1" -v to="$2" '
	    $1 >= from && $1 <= to {
		n++
		if ($2 != "ok") f++
		else { if (last && $1 - last > longest) longest = $1 - last; last = $1 }
	    }
	    END { printf "%d %d %d\n", n, f, longest / 1000 }' "$tmp/monitor.log"
	awk -v from="$1" -v to="$2" '$1 >= from && $1 <= to && $2 != "ok" {
	    $1 = ""; print "#   " $0 }' "$tmp/monitor.log" | sort | uniq -c |
	    sort -rn | head -n 3 | sed 's/^ *\([0-9]*\) #/# \1 times:/' >"$tmp/why"
}

# step NAME VERSION STATE COMMAND...: COMMAND replaces the packages by those of
# VERSION (a repository); STATE is "on" or "off" or "same" of the directive.
step() {
	name=$1
	expected=$(version_in "$2")
	state=$3
	shift 3
	open_session $port
	session_answers before || echo "fail $who, $service, $setup: $name: a session to begin with"
	from=$(now)
	status=0
	"$@" >"$tmp/step.out" 2>&1 </dev/null || status=$?
	wait_for settled "$(now)" || :
	to=$(now)
	if [ $status -ne 0 ] || [ "$(version)" != "$expected" ]; then
		echo "fail $who, $service, $setup: $name: exit $status, $(version), not $expected"
		tail -n 30 "$tmp/step.out" | sed 's/^/# /'
	fi
	check "$name: a session opened before is alive" session_answers after
	close_session
	check "$name: daemons run, new logins work" daemon_is_well
	[ "$who" = ours ] || state=none
	case $state in
	off) check "$name: the directive is off, and that was said" off_and_said ;;
	on) check "$name: the directive is in force, all files as before" as_before ;;
	esac
	numbers=$(count "$from" "$to")
	echo "count $name $numbers"
	cat "$tmp/why"
}

apt_install() {
	apt-get -y --allow-downgrades install "$@"
}

# The ways there.
upgrade() {
	offer "$1" && apt-get -y upgrade
}

full_upgrade() {
	offer "$1" && apt-get -y full-upgrade
}

unattended() {
	offer "$1" && unattended-upgrade -v
}

downgrade() {
	offer "$1"
	v=$(version_in "$1")
	apt_install "openssh-server=$v" "openssh-client=$v" \
	    "openssh-sftp-server=$v"
}

remove_first() {
	apt-get -y remove openssh-server
	offer "$1"
	# shellcheck disable=SC2086 # a list
	apt_install $packages
}

purge_first() {
	apt-get -y purge openssh-server
	offer "$1"
	# shellcheck disable=SC2086 # a list
	apt_install $packages
}

lift_limits
# An administrator edits the file that apt would ask about; nobody answers.
printf '\n# Edited by hand\nMaxSessions 20\nMaxStartups 100\n' >>$config
[ "$service" = ssh.service ] || use_socket
if [ "$who" = ours ]; then
	# shellcheck disable=SC2046 # a list
	apt_install $(debs ours0) >"$tmp/step.out" 2>&1
fi
set_up
config_files >"$tmp/files"
start_monitor
if [ "$who" = ours ]; then
	check "in force to begin with" as_before
	back() {
		# shellcheck disable=SC2046 # a list
		step "back after $1" "ours$2" on apt_install $(debs "ours$2")
	}
	# shellcheck disable=SC2046 # a list
	step install ours0b on apt_install $(debs ours0b)
	step reconfigure ours0b on dpkg-reconfigure openssh-server
else
	back() {
		:
	}
	# shellcheck disable=SC2046 # a list
	step install stock0 off apt_install --reinstall $(debs stock0)
	step reconfigure stock0 off dpkg-reconfigure openssh-server
fi
step upgrade stock1 off upgrade stock1
back upgrade 1
step full-upgrade stock2 off full_upgrade stock2
back full-upgrade 2
step unattended-upgrade stock3 off unattended stock3
back unattended-upgrade 3
step downgrade stock0 off downgrade stock0
back downgrade 0
# shellcheck disable=SC2046 # a list
step dpkg-i stock4 off dpkg -i $(debs stock4)
back dpkg-i 4
step remove stock5 off remove_first stock5
back remove 5
if [ "$who" = ours ] && [ "$service" = ssh.service ]; then
	restarts=0
	for _ in $(seq 20); do
		systemctl restart ssh.service || break
		login 22 || break
		[ "$(ss -Hltn 'sport = 22' | grep -c 0.0.0.0)" -eq 1 ] || break
		restarts=$((restarts + 1))
	done
	is "$who, $service, $setup: twenty restarts, each time ready, one listener" \
	    20 $restarts
fi
# After that the administrator's own configuration is gone.
step purge stock6 gone purge_first stock6
kill $monitor
