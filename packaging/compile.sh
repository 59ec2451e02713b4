#!/bin/sh
# usage: compile.sh BASE|--from PATH[@COMMIT] [--stock | --sanitize]
# Make the tree of BASE (see tree.sh) if need be, configure it with what
# Debian's package has and the distribution's hardening, and build it in
# place. Prints the path. With --sanitize it is built with address and undefined
# behaviour sanitizers instead of hardening, and so that fuzzers can use its
# objects.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/packaging/lib.sh"

configure_options='
	--prefix=/usr
	--sysconfdir=/etc/ssh
	--libexecdir=/usr/lib/openssh
	--with-privsep-path=/run/sshd
	--with-pid-dir=/run
	--with-mantype=doc
	--disable-strip
	--with-4in6
	--with-pam
	--with-libedit
	--with-kerberos5=/usr
	--with-ssl-engine
	--with-selinux
	--with-audit=linux
	--with-security-key-builtin'

# hardened: the distribution's flags.
hardened() {
	DEB_BUILD_MAINT_OPTIONS=hardening=+all
	export DEB_BUILD_MAINT_OPTIONS
	CFLAGS=$(dpkg-buildflags --get CFLAGS) \
	    CPPFLAGS=$(dpkg-buildflags --get CPPFLAGS) \
	    LDFLAGS=$(dpkg-buildflags --get LDFLAGS)
}

# sanitized: any report ends the process, and goes to a file: a daemon has no other
# place for it, and sshd hands no variable down to a session. As upstream does it for
# this, there is no sandbox, in which no report could be made, no chroot, out of which
# it would not be found, and no getspnam(), whose result is not the sanitizer's.
sanitized() {
	CC=clang
	LDFLAGS='-fsanitize=address,undefined -fno-sanitize-recover=all'
	CFLAGS="-g -O1 -fno-omit-frame-pointer $LDFLAGS -fsanitize=fuzzer-no-link"
	CPPFLAGS=-Dchroot=chdir
	echo 'const char *__asan_default_options(void);
	    const char *__asan_default_options(void) {
		return "detect_leaks=0:log_path=/tmp/sanitizer"; }' |
	    $CC -x c -c - -o sanitizer-options.o
	LDFLAGS="$LDFLAGS sanitizer-options.o"
	export CC
	configure_options="$configure_options --with-sandbox=no --without-hardening
	    --without-stackprotect --without-shadow"
}

configure_tree() {
	cd "$tree"
	# Debian patches configure.ac, and git has no configure.
	if [ -e debian/control ] || [ ! -e configure ]; then
		was_edited=$(edited . || :)
		autoreconf -f -i
		if [ -z "$was_edited" ]; then
			manifest >../manifest.$$
			mv ../manifest.$$ .hush-manifest
		fi
	fi
	if [ -e debian/control ]; then
		configure_options="$configure_options --with-tcp-wrappers"
	fi
	"$flags"
	export CFLAGS CPPFLAGS LDFLAGS
	# shellcheck disable=SC2086 # a list
	./configure $configure_options
	sha256_of "$top/packaging/compile.sh" >.hush-configured
}

build_tree() {
	cd "$tree"
	make -j"$(nproc)"
}

case ${1-} in
'') die "usage: compile BASE|--from PATH[@COMMIT] [--stock | --sanitize]" ;;
--from) ;;
*) base_fields "$1" ;;
esac
need build-essential autoconf pkgconf libssl-dev zlib1g-dev libfido2-dev libpam0g-dev \
    libedit-dev libselinux1-dev libaudit-dev libkrb5-dev libwrap0-dev
# Their paths are configured in, and upstream's interop tests use them.
need putty-tools dropbear-bin
tree=$("$top/packaging/tree.sh" "$@")
name=$(basename "$tree")
flags=hardened
case $name in
*-sanitize)
	need clang libclang-rt-dev
	flags=sanitized ;;
esac
if [ "$(cat "$tree/.hush-configured" 2>/dev/null)" != \
    "$(sha256_of "$top/packaging/compile.sh")" ]; then
	step "configure $name" "$work/log/configure-$name.log" configure_tree
fi
step "compile $name" "$work/log/compile-$name.log" build_tree
echo "$tree"
