# What tests and benches of bcrypt_pbkdf share. Source it with $top set to the
# top-level directory, after packaging/lib.sh.
# shellcheck shell=sh disable=SC2034,SC2154

# What tests/kdf.t and tests/bench/kdf.sh need, for "need".
kdf_test_packages='gcc clang python3-bcrypt qemu-user gcc-arm-linux-gnueabihf
    libc6-dev-armhf-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross'
kdf_bench_packages='gcc clang hyperfine jq datamash gnuplot-nox fonts-dejavu-core john'

# distribution_flags CC: the flags that code of OpenSSH is compiled with in a
# distribution's package (the distribution's and those that upstream's
# configure adds), as far as CC knows them, on one line.
distribution_flags() {
	df_cc=$1
	# shellcheck disable=SC2046 # lists
	set -- $(DEB_BUILD_MAINT_OPTIONS=hardening=+all \
	    dpkg-buildflags --get CFLAGS) \
	    $(dpkg-buildflags --get CPPFLAGS) \
	    -fPIE -fno-strict-aliasing -ftrapv -fzero-call-used-regs=used \
	    -ftrivial-auto-var-init=zero -fno-builtin-memset
	df_flags=
	for df_flag; do
		case $df_flag in
		-ffile-prefix-map=*|-fdebug-prefix-map=*) continue ;;
		esac
		if echo 'int unused;' | "$df_cc" -Werror -O2 -Wformat "$df_flag" \
		    -x c -c - -o /dev/null 2>/dev/null; then
			df_flags="$df_flags $df_flag"
		fi
	done
	echo "${df_flags# }"
}

# build_kdf [--short] NAME CC [FLAG...]: build $tmp/NAME, see
# tests/tools/kdf/build.sh, from the trees of 10.0p1.
build_kdf() {
	bk_short=
	if [ "$1" = --short ]; then
		bk_short=--short
		shift
	fi
	bk_name=$1
	shift
	"$top/tests/tools/kdf/build.sh" $bk_short "$work/10.0p1" \
	    "$work/10.0p1-stock" "$tmp/$bk_name" "$@" -Wall -Wextra -Werror \
	    -Wno-pointer-sign -Wno-unused-parameter -Wno-sign-compare
}
