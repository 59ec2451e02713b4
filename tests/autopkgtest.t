#!/bin/sh
# Debian's own autopkgtests of its openssh source package, run on our packages,
# each on a Debian 13 of its own with its own systemd: regress, ssh-gssapi,
# socket-activation, xinetd. Takes a quarter of an hour.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/guest.sh"

built_packages
made_root trixie-autopkgtest
isolate "$@"

# In memory, which an isolated test has there.
guests=/run/guests
mkdir "$guests"

# one_test NAME: run it. The log is $work/log/autopkgtest-NAME.log.
one_test() {
	ot_root=$guests/$1
	mkdir "$ot_root"
	tar -xf "$root_tar" --numeric-owner -C "$ot_root"
	mkdir "$ot_root/hush"
	cp "$packages"/*.deb "$packages"/*.dsc "$packages"/*.tar.* "$ot_root/hush/"
	# The tests start the one they need themselves.
	ln -s /dev/null "$ot_root/etc/systemd/system/dropbear.service"
	guest_boot "$ot_root" || return 1
	guest useradd -m -G sudo -s /bin/sh tester
	# shellcheck disable=SC2016 # for the shell in there
	guest sh -c 'echo "tester ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/tester
		# All is offline: what the tests depend on is in the root.
		rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/* /var/lib/apt/lists/*
		ls /hush/*.deb | grep -v -e dbgsym -e askpass >/hush/debs
		# The tester has sudo, and the guest is for nothing else.
		autopkgtest --user tester --test-name "$1" \
		    --ignore-restrictions isolation-container,needs-sudo \
		    --no-built-binaries --output-dir /hush/log /hush/openssh_*.dsc \
		    $(cat /hush/debs) -- null >/hush/out 2>&1' - "$1" || :
	guest_off
	cp "$ot_root/hush/out" "$work/log/autopkgtest-$1.log"
	[ -e "$ot_root/hush/log/summary" ] || return 1
	cp "$ot_root/hush/log/summary" "$tmp/$1.summary"
	rm -rf "$ot_root"
}

for name in regress ssh-gssapi socket-activation xinetd; do
	: >"$tmp/$name.summary"
	one_test "$name" || diag "$name did not run"
	# A line with the name, PASS, FAIL or SKIP, and why.
	result=$(sed -n "s/^$name  *//p" "$tmp/$name.summary")
	case $result in
	PASS*) pass "$name" ;;
	SKIP*) skip "$name" "${result#SKIP}" ;;
	*)
		fail "$name $result"
		diag_file "$work/log/autopkgtest-$name.log" 60 ;;
	esac
done
done_testing
