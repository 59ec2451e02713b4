#!/bin/sh
# Our regress tests, and with --full all of upstream's for the shell, on 10.0p1 with
# address and undefined behaviour sanitizers: no process reports anything. A report
# ends its process, but that may be one that is meant to fail, or a daemon, so what
# counts is whether there is a file with one. Leaks are not looked for: upstream's
# programs leave it to exit to free what they have.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/tests/lib/tap.sh"

# Most of their time is bcrypt_pbkdf, which kdf.t has under sanitizers.
slow_tests='keygen-rounds keygen-kdf-time'
# Needs the chroot that this build does not do.
skip_tests=sftp-chroot

# in_tree ARGUMENT...: upstream's Makefile.
in_tree() {
	"$top/tests/lib/make-in.sh" "$tree" "$@" >"$tmp/log" 2>&1 </dev/null
}

# silent: nothing was reported. /tmp is this test's own.
silent() {
	! cat /tmp/sanitizer.* 2>/dev/null
}

# sanitized NAME: regress/NAME.sh.
sanitized() {
	regress_test "$1"
	ok "regress/$1.sh: no report" silent
	rm -f /tmp/sanitizer.*
}

# fault FILE WHERE STATEMENT: put it after the line WHERE of a file of the tree.
fault() {
	sed -i "s/^\t$2\$/&\n\t$3/" "$tree/$1"
	grep -qF "$3" "$tree/$1"
}

# planted NAME FILE WHERE STATEMENT PROGRAM TEST REPORT: it is found in TEST.
planted() {
	cp "$tree/$2" "$tmp/sound"
	ok "planted fault, $1" fault "$2" "$3" "$4"
	in_tree "$5" || diag_file "$tmp/log"
	in_tree t-exec LTESTS="$6" || :
	ok "it is reported" grep -q "$7" /tmp/sanitizer.*
	rm -f /tmp/sanitizer.*
	cp "$tmp/sound" "$tree/$2"
}

isolate "$@"
built_base 10.0p1 --sanitize || skip_all "10.0p1 could not be built"
for t in "$top"/overlay/regress/*.sh; do
	name=$(basename "$t" .sh)
	case " $slow_tests " in
	*" $name "*) only_full "sanitize: regress/$name.sh" || continue ;;
	esac
	sanitized "$name"
done
if only_full "sanitize: upstream's tests of the shell"; then
	ok "upstream's tests of the shell" in_tree -k t-exec \
	    SKIP_LTESTS="$skip_tests $slow_tests"
	cp "$tmp/log" "$work/log/sanitize-upstream.log"
	ok "upstream's tests of the shell: no report" silent
	rm -f /tmp/sanitizer.*
fi
# The process before authentication is the one that is most confined.
planted "sshd-auth writes too far" sshd-auth.c 'kex = ssh->kex;' \
    '{ volatile char *p = malloc(8); p[8] = 1; }' sshd-auth connect \
    'heap-buffer-overflow'
planted "ssh overflows a number" ssh.c 'pw = getpwuid(getuid());' \
    '{ volatile int i = 2147483647; i++; }' ssh connect 'signed integer overflow'
done_testing
