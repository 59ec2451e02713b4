#!/bin/sh
# Debian's own autopkgtests of its openssh source package, run on our packages
# on a Debian 13 with its own systemd: regress, ssh-gssapi, socket-activation,
# xinetd. Takes a quarter of an hour.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/guest.sh"

built_packages
made_root trixie-autopkgtest
isolate "$@"

root=$tmp/root
mkdir "$root"
tar -xf "$root_tar" --numeric-owner -C "$root"
mkdir "$root/hush"
cp "$packages"/*.deb "$packages"/*.dsc "$packages"/*.tar.* "$root/hush/"
# The tests start the one they need themselves.
ln -s /dev/null "$root/etc/systemd/system/dropbear.service"
guest_boot "$root"
guest useradd -m -G sudo -s /bin/sh tester
# shellcheck disable=SC2016 # for the shell in there
guest sh -c 'echo "tester ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/tester
	# All is offline: what the tests depend on is in the root.
	rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/* /var/lib/apt/lists/*
	ls /hush/*.deb | grep -v -e dbgsym -e askpass >/hush/debs
	status=0
	# The tester has sudo, and the guest is for nothing else.
	autopkgtest --user tester \
	    --ignore-restrictions isolation-container,needs-sudo \
	    --no-built-binaries --output-dir /hush/log /hush/openssh_*.dsc $(cat /hush/debs) \
	    -- null >/hush/out 2>&1 || status=$?
	echo $status >/hush/status'
guest_off
# "summary" has a line for each test: its name, PASS, FAIL or SKIP, and why.
while read -r name result why; do
	case $result in
	PASS) pass "$name" ;;
	SKIP) skip "$name" "$why" ;;
	*)
		fail "$name $result $why"
		diag_file "$root/hush/log/$name-stdout" 40 ;;
	esac
done <"$root/hush/log/summary"
for name in regress ssh-gssapi socket-activation xinetd; do
	ok "$name is among them" grep -q "^$name " "$root/hush/log/summary"
done
[ "$tap_failed" -eq 0 ] || diag_file "$root/hush/out" 40
done_testing
