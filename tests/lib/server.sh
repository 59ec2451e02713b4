# A server under test that shows both modes in one run. Source it after
# packaging/lib.sh and wait.sh, and use it inside isolate.sh only: it takes port
# 22.
# shellcheck shell=sh

# start_server TREE DIR [LINE...]: start the sshd of the built TREE, with LINEs
# added to its configuration. On port 22 it advertises ping@openssh.com, on
# port 2222 it does not. DIR gets its files: the key DIR/id for any user whose
# account lets him in and who can read DIR/id.pub, hostkey, sshd.log, pid, and
# ssh_config, in which the hosts "advertised" and "withheld" are the two ports.
start_server() {
	ss_tree=$1
	ss_dir=$2
	shift 2
	"$ss_tree/ssh-keygen" -q -t ed25519 -N '' -f "$ss_dir/hostkey"
	"$ss_tree/ssh-keygen" -q -t ed25519 -N '' -f "$ss_dir/id"
	cat >"$ss_dir/sshd_config" <<-EOF_CONFIG
		Port 22
		Port 2222
		HostKey "$ss_dir/hostkey"
		PidFile "$ss_dir/pid"
		AuthorizedKeysFile "$ss_dir/id.pub"
		StrictModes no
		PermitRootLogin yes
		PrintMotd no
		PrintLastLog no
		LogLevel VERBOSE
		SshdSessionPath "$ss_tree/sshd-session"
		SshdAuthPath "$ss_tree/sshd-auth"
		$(printf '%s\n' "$@")

		Match LocalPort 2222
			AdvertisePing no
	EOF_CONFIG
	cat >"$ss_dir/ssh_config" <<-EOF_CONFIG
		Host advertised
			Port 22
		Host withheld
			Port 2222
		Host *
			HostName 127.0.0.1
			IdentityFile "$ss_dir/id"
			IdentitiesOnly yes
			StrictHostKeyChecking no
			UserKnownHostsFile /dev/null
	EOF_CONFIG
	"$ss_tree/sshd" -f "$ss_dir/sshd_config" -E "$ss_dir/sshd.log"
	# It listens only after it has gone to the background.
	wait_for test -s "$ss_dir/pid" || { cat "$ss_dir/sshd.log" >&2; return 1; }
}
