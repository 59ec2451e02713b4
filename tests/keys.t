#!/bin/sh
# Private keys (cases 15 to 22): what ours writes, others read, and the other
# way round: the unpatched base, this host's own OpenSSH, and foreign readers.
# Then our regress tests for ssh-keygen once more, with a build that has
# address and undefined behaviour sanitizers.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/readers.sh"

built_base 10.0p1 || skip_all "10.0p1 could not be built"
ours=$tree
built_base 10.0p1 --stock || skip_all "unpatched 10.0p1 could not be built"
stock=$tree
host=/usr/bin
host_version=$(ssh -V 2>&1 | sed 's/,.*//')
keys=$tmp/keys
mkdir "$keys"

# write_keys BY: keys of each type with each cipher, few rounds, and one of
# each type as it comes.
write_keys() {
	for t in rsa ecdsa ed25519; do
		for c in $("$1/ssh" -Q cipher); do
			"$1/ssh-keygen" -q -t "$t" -N secret -Z "$c" -a 2 \
			    -f "$keys/$t-$c" || return 1
		done
		"$1/ssh-keygen" -q -t "$t" -N secret -f "$keys/$t-default" ||
		    return 1
	done
}

# same FILE KEY: its first line is the public key of KEY.
same() {
	[ "$(head -n 1 "$1" | cut -d' ' -f1,2)" = "$(cut -d' ' -f1,2 "$2.pub")" ]
}

# each_key COMMAND...: COMMAND on every key; prints those that it fails for.
each_key() {
	ek_status=0
	for k in "$keys"/*.pub; do
		"$@" "${k%.pub}" && continue
		echo "${k##*/}: $*"
		ek_status=1
	done
	return "$ek_status"
}

# read_by BIN KEY, refused_by BIN KEY: by ssh-keygen -y.
read_by() {
	"$1/ssh-keygen" -y -P secret -f "$2" >"$tmp/pub" && same "$tmp/pub" "$2"
}

refused_by() {
	! "$1/ssh-keygen" -y -P wrong -f "$2" >"$tmp/pub" 2>&1
}

# added_by BIN KEY: by ssh-add, to the agent at hand.
added_by() {
	"$1/ssh-add" -q "$2" </dev/null && "$1/ssh-add" -L >"$tmp/pub" &&
	    same "$tmp/pub" "$2" && "$1/ssh-add" -q -D
}

# changed_by BIN KEY: the passphrase there and back.
changed_by() {
	"$1/ssh-keygen" -q -p -P secret -N other -a 2 -f "$2" >/dev/null &&
	    "$1/ssh-keygen" -q -p -P other -N secret -a 2 -f "$2" >/dev/null
}

# with_agent BIN COMMAND...
with_agent() {
	wa_bin=$1
	shift
	SSH_ASKPASS=$tmp/askpass
	SSH_ASKPASS_REQUIRE=force
	export SSH_ASKPASS SSH_ASKPASS_REQUIRE
	printf '#!/bin/sh\necho secret\n' >"$SSH_ASKPASS"
	chmod +x "$SSH_ASKPASS"
	# A short path: that of a checkout may be too long for a socket.
	wa_dir=$(mktemp -d)
	eval "$("$wa_bin/ssh-agent" -s -a "$wa_dir/agent")" >/dev/null
	wa_status=0
	"$@" || wa_status=$?
	"$wa_bin/ssh-agent" -k >/dev/null
	rm -r "$wa_dir"
	return "$wa_status"
}

ok "write keys with every cipher" write_keys "$ours"
between "keys" 20 100 "$(find "$keys" -name '*.pub' | wc -l)"
ok "unpatched 10.0p1 reads them" each_key read_by "$stock"
ok "$host_version reads them" each_key read_by "$host"
ok "and none with a wrong passphrase" each_key refused_by "$host"
ok "unpatched ssh-add adds them" with_agent "$stock" each_key added_by "$stock"
ok "ssh-add of $host_version adds them" with_agent "$host" each_key added_by "$host"
ok "ours adds them to the agent of $host_version" \
    with_agent "$host" each_key added_by "$ours"
ok "$host_version changes their passphrases" each_key changed_by "$host"
ok "ours reads them then" each_key read_by "$ours"
rm -r "$keys"
mkdir "$keys"
ok "$host_version writes keys with every cipher" write_keys "$host"
ok "ours reads them" each_key read_by "$ours"
ok "ours adds them" with_agent "$ours" each_key added_by "$ours"
ok "ours changes their passphrases" each_key changed_by "$ours"
ok "$host_version reads them then" each_key read_by "$host"

# Foreign readers. Dropbear has no passphrases; the others must read what we
# write by default, but for Net::SSH, which reads RSA with no number of rounds
# on OpenSSL 3. "build.sh bench readers" has other numbers.
rm -r "$keys"
mkdir "$keys"
readers_begin "$stock"
"$ours/ssh-keygen" -q -t ed25519 -N secret -f "$keys/ed25519"
# Some take a minute for that. Whether they read a type, few rounds tell.
for t in rsa ecdsa; do
	"$ours/ssh-keygen" -q -t "$t" -N secret -a 2 -f "$keys/$t"
done
for r in $readers; do
	name=$(reader_name "$r")
	if ! reader_is_here "$r"; then
		skip "$name" "it cannot be installed here"
		continue
	fi
	for t in rsa ecdsa ed25519; do
		case $r:$t in
		dropbear:*|net-ssh:rsa)
			if read_key "$r" "$keys/$t" secret; then
				fail "$name reads $t: the table of readers is out of date"
			fi
			continue ;;
		esac
		ok "$name reads $t" read_key "$r" "$keys/$t" secret
	done
done

# The objects of the built tree once more, with sanitizers.
san=$tmp/sanitized
reports=$tmp/reports
build_sanitized() {
	cp -a "$ours" "$san"
	cd "$san"
	find . -name '*.[oa]' -delete
	rm -f ssh-keygen ssh-add ssh-agent
	make -j"$(nproc)" ssh-keygen ssh-add ssh-agent \
	    CFLAGS="$(sed -n 's/^CFLAGS=//p' Makefile) -fsanitize=address,undefined -fno-sanitize-recover=undefined" \
	    LDFLAGS="$(sed -n 's/^LDFLAGS=//p' Makefile) -fsanitize=address,undefined"
	cp ssh-keygen ssh-add ssh-agent "$ours"
}

# silent: no sanitizer has reported anything. Programs that are meant to
# fail would hide it otherwise. What is not freed at exit is left alone.
silent() {
	cat "$reports"/* 2>/dev/null && return 1
	return 0
}

ok "build ssh-keygen, ssh-add and ssh-agent with sanitizers" build_sanitized
mkdir "$reports"
ASAN_OPTIONS=detect_leaks=0:log_path=$reports/asan
UBSAN_OPTIONS=print_stacktrace=1:log_path=$reports/ubsan
export ASAN_OPTIONS UBSAN_OPTIONS
ok "they are" grep -q __asan_report "$ours/ssh-keygen"
for t in keygen-kdf-info keygen-ciphers keygen-rounds; do
	ok "sanitized: regress/$t.sh" "$top/tests/lib/isolate.sh" \
	    "$top/tests/lib/make-in.sh" "$ours" t-exec LTESTS="$t"
done
for a in 1ms 1s; do
	rm -f "$keys/time" "$keys/time.pub"
	ok "sanitized: -a $a" "$ours/ssh-keygen" -q -t ed25519 -N secret \
	    -a "$a" -f "$keys/time"
done
refused "sanitized: -a 9999999999s" "too large" "$ours/ssh-keygen" -a 9999999999s
ok "no sanitizer reported anything" silent
done_testing
