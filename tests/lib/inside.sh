# What the parts of tests that run inside a root or a guest share. Source it
# with $tmp set to a directory. Results are printed as "pass NAME",
# "fail NAME" and "# TEXT", for inside_results of tap.sh.
# shellcheck shell=sh disable=SC2154

# shellcheck source=tests/lib/wait.sh
. /hush/wait.sh

# ok NAME COMMAND...: passes if COMMAND succeeds.
ok() {
	ok_name=$1
	shift
	if "$@" >"$tmp/ok.out" 2>&1 </dev/null; then
		echo "pass $ok_name"
	else
		echo "fail $ok_name"
		sed 's/^/# /' "$tmp/ok.out" | tail -n 20
	fi
}

# is NAME EXPECTED GOT
is() {
	if [ "$2" = "$3" ]; then
		echo "pass $1"
	else
		echo "fail $1"
		echo "# expected: $2"
		echo "# got:      $3"
	fi
}

installed() {
	dpkg-query -W -f '${Version} ${db:Status-Status}' "$1"
}

# make_player: a user who may log in with the key /root/id.
make_player() {
	useradd -m -s /bin/sh player
	ssh-keygen -q -t ed25519 -N '' -f /root/id
	mkdir -p /home/player/.ssh
	cp /root/id.pub /home/player/.ssh/authorized_keys
	chown -R player: /home/player/.ssh
	chmod 700 /home/player/.ssh
}

# client ARGUMENT...: $ssh, or the installed ssh, without anyone's settings. It
# asks nobody, and does not wait for ever for a server that does not answer.
client() {
	"${ssh:-/usr/bin/ssh}" -F none -i /root/id -o IdentitiesOnly=yes \
	    -o BatchMode=yes -o ConnectTimeout="$wait_limit" \
	    -o StrictHostKeyChecking=no -o UserKnownHostsFile=/root/known_hosts \
	    "$@"
}

# login [PORT]
login() {
	[ "$(client -p "${1-22}" player@127.0.0.1 echo hello)" = hello ]
}

# lift_limits: a test starts sshd more often than systemd lets it, which nobody
# does by hand: its limits are not what is tested.
lift_limits() {
	for l in ssh.service sshd-game.service ssh.socket; do
		mkdir -p "/run/systemd/system/$l.d"
		printf '[Unit]\nStartLimitIntervalSec=0\n' \
		    >"/run/systemd/system/$l.d/limit.conf"
	done
	printf '[Socket]\nTriggerLimitIntervalSec=0\n' \
	    >>/run/systemd/system/ssh.socket.d/limit.conf
	systemctl daemon-reload
}

# open_session [PORT]: one that stays open, with its input and output at hand.
open_session() {
	rm -f "$tmp/in" "$tmp/out"
	mkfifo "$tmp/in" "$tmp/out"
	client -p "${1-22}" player@127.0.0.1 cat <"$tmp/in" >"$tmp/out" \
	    2>"$tmp/session.err" &
	exec 3>"$tmp/in" 4<"$tmp/out"
}

session_answers() {
	echo "$1" >&3
	read -r answer <&4 && [ "$answer" = "$1" ]
}

close_session() {
	exec 3>&- 4<&-
}
