#!/bin/sh
# One keystroke on the wire, counted: the patched server with AdvertisePing
# on one port of two, stock clients at hand (cases 1 and 2).
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/keystroke.sh"
. "$top/tests/lib/server.sh"

need putty-tools dropbear-bin
isolate "$@"
built_base 10.0p1 || skip_all "10.0p1 could not be built"
server=$tree
ok "build keystroke" build_keystroke

ok "sshd starts" start_server "$server" "$tmp"

# openssh CLIENT HOST: packets for a key with that ssh, to a HOST of server.sh.
openssh() {
	case $2 in
	advertised) port=22 ;;
	withheld) port=2222 ;;
	esac
	rm -f "$tmp/client.log"
	keystroke_packets "$port" "$1" -F "$tmp/ssh_config" -vvv \
	    -E "$tmp/client.log" -tt "root@$2" "$remote_command"
}

# The client log proves that it is chaff, or that it is not there.
chaff_sent() {
	sed -n 's/.* (\([0-9]*\) chaff packets sent).*/\1/p' "$tmp/client.log" |
	    awk '{ n += $1 } END { print n + 0 }'
}

test_openssh() {
	version=$("$1" -V 2>&1 | sed 's/,.*//')
	case $2 in
	chaff)
		# On an idle machine some 250 and 120. Where the client does not get
		# to run in time it sends fewer.
		n=$(most_packets 100 openssh "$1" advertised)
		between "$version, advertised: packets" 21 1000 "$n"
		between "$version, advertised: chaff in the log" 10 500 \
		    "$(chaff_sent)" ;;
	*)
		n=$(openssh "$1" advertised) || n=
		between "$version, which has no chaff, advertised: packets" 1 6 "$n" ;;
	esac
	n=$(openssh "$1" withheld) || n=
	between "$version, withheld: packets" 1 6 "$n"
	is "$version, withheld: chaff in the log" 0 "$(chaff_sent)"
	is "$version, withheld: no mention of ping@openssh.com" 0 \
	    "$(grep -c ping@openssh.com "$tmp/client.log" || :)"
}

# The host's own client is stock, of whatever version; those from 9.5 on chaff.
has_chaff() {
	if "$1" -G -F none -o ObscureKeystrokeTiming=no x >/dev/null 2>&1; then
		echo chaff
	else
		echo none
	fi
}

test_openssh /usr/bin/ssh "$(has_chaff /usr/bin/ssh)"
for b in 10.0p1 10.3p1; do
	if built_base "$b" --stock; then
		test_openssh "$tree/ssh" chaff
	else
		skip "stock ssh $b" "$b could not be built"
	fi
done

# Others do not know the extension; they must neither see nor miss it.
puttygen "$tmp/id" -O private -o "$tmp/id.ppk"
dropbearconvert openssh dropbear "$tmp/id" "$tmp/id.dropbear" 2>/dev/null
fingerprint=$("$server/ssh-keygen" -l -f "$tmp/hostkey.pub" | cut -d' ' -f2)
for port in 22 2222; do
	n=$(keystroke_packets "$port" plink -batch -t -i "$tmp/id.ppk" \
	    -hostkey "$fingerprint" -P "$port" root@127.0.0.1 \
	    "$remote_command") || n=
	between "plink, port $port: packets" 1 6 "$n"
	n=$(keystroke_packets "$port" dbclient -y -y -t -i "$tmp/id.dropbear" \
	    -p "$port" root@127.0.0.1 "$remote_command") || n=
	between "dbclient, port $port: packets" 1 6 "$n"
done

ok "one line at startup says so" \
    grep -q 'AdvertisePing: withholding ping@openssh.com from connections selected by Match' \
    "$tmp/sshd.log"
is "nothing is logged per connection" 1 \
    "$(grep -ci ping "$tmp/sshd.log")"
done_testing
