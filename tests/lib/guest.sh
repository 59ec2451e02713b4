# Guests: systems with their own systemd, see boot.sh. Source it after tap.sh.
# They end with the test, whatever ends it: it runs isolated.
# shellcheck shell=sh disable=SC2154

# guest_boot ROOT: start it, and wait until it is up. Sets guest_pid (outside)
# and guest_init.
guest_boot() {
	rm -f "$1/usr/sbin/policy-rc.d"
	# None of these has anything to do here.
	for gb_unit in systemd-modules-load.service console-getty.service \
	    unattended-upgrades.service apt-daily.timer apt-daily-upgrade.timer; do
		ln -sf /dev/null "$1/etc/systemd/system/$gb_unit"
	done
	"$top/tests/lib/boot.sh" "$1" >"$1.boot" 2>&1 &
	guest_pid=$!
	if ! wait_for guest_is_up "$1" || ! kill -0 "$guest_pid"; then
		diag_file "$1.boot"
		diag_file "$1.state"
		return 1
	fi
	guest_init=$(($(ps -o pid= --ppid "$guest_pid")))
}

# guest_is_up ROOT: or has ended. "Degraded" is up as well: not all that a package
# brings can run here.
guest_is_up() {
	kill -0 "$guest_pid" || return 0
	guest_init=$(ps -o pid= --ppid "$guest_pid") &&
	    { guest systemctl is-system-running --wait || :; } 2>&1 |
	    tee "$1.state" | grep -qx -e running -e degraded
}

# guest COMMAND...: run it in there, as root.
guest() {
	nsenter -t "$((guest_init))" -a -- env -i HOME=/root LC_ALL=C.UTF-8 \
	    PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@" </dev/null
}

# guest_off: end it.
guest_off() {
	kill -KILL "$guest_pid" 2>/dev/null || :
	wait "$guest_pid" 2>/dev/null || :
}
