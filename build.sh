#!/bin/sh
# openssh-hush: build and test replacement packages of OpenSSH.
#
# usage: build.sh [VERB [ARG...]], see "build.sh help". Without a verb: packages.
# Exits 0 if the verb did what it says, non-zero with one line that says what
# failed otherwise. One verb at a time runs in a checkout.
set -eu

unset CDPATH
top=$(dirname "$(readlink -f "$0")")
verb=${1-packages}
[ $# -eq 0 ] || shift

# fail MESSAGE: one line, exit 2: 1 is what outdated and others say something by.
fail() {
	echo "build.sh: $1" >&2
	exit 2
}

usage() {
	cat <<'EOF_USAGE'
usage: ./build.sh [VERB [ARG...]]

  packages [TARGET]       build replacement packages into out/TARGET/ (this is
                          the default verb; the default TARGET is this host's own
                          release where list has it, debian-13 elsewhere)
  packages --dsc FILE.dsc [--suite SUITE]
                          the same of any source package of openssh, for SUITE
                          (default: the default target's), into out/FILE/
  outdated [--rebuild [--key ID]] [TARGET]
                          compare out/ and this system with what the suite offers
                          today; exits 1 if ours is behind (--rebuild: build,
                          test and publish what is, also in out/repo/)
  repo [TARGET] [--key ID]
                          make a signed apt repository of out/TARGET in out/repo/
  test [--quick | --full] [NAME...]
                          run the tests, or those of tests/NAME.t
  bench NAME [--smoke] [OPTION...]
                          measure, and leave data, table and plots below
                          out/bench/, or in DIR by --into=DIR (without NAME:
                          which there are)
  check                   lint the series, the scripts and the man pages
  tree BASE [--stock]     unpack BASE, apply the series, lay the overlay in;
                          prints the path (--stock: without series and overlay)
                          (--from PATH[@COMMIT] for BASE: an unpacked release, a
                          tarball or a git repository; so for compile)
  compile BASE [--stock | --sanitize]
                          the same, then configure and make (--sanitize: with the
                          series, and with sanitizers, in a tree of its own)
  refresh BASE            store what was edited in the tree back in patches/
  list                    bases and targets: family, source, state
  clean [--force]         remove work/, with edits in it only by --force;
                          downloads stay in cache/, packages in out/
  help                    this text

environment:
  OFFLINE=1               use what is in cache/ and work/, download nothing
  DEBIAN_MIRROR=URI       Debian archive (default: from this host's apt sources)
  DEBIAN_SECURITY_MIRROR=URI, UBUNTU_MIRROR=URI
                          the same for Debian's security archive, and Ubuntu's
EOF_USAGE
}

case $verb in
help|-h|--help)
	usage
	exit 0 ;;
list)
	exec "$top/packaging/list.sh" "$@" ;;
tree|compile|packages|outdated|repo|refresh|check|clean)
	script=$top/packaging/$verb.sh ;;
test)
	script=$top/tests/run.sh ;;
bench)
	script=$top/tests/bench/${1-}.sh
	if [ ! -x "$script" ]; then
		fail "no such bench: ${1-}; there are: $(cd "$top/tests/bench" &&
		    for b in *.sh; do [ ! -x "$b" ] || printf '%s ' "${b%.sh}"; done)"
	fi
	shift ;;
*)
	fail "no such verb: $verb; see ./build.sh help" ;;
esac

# The lock is inherited: it is held until the last process of the verb is gone.
case $top in
*[\"\'\\]*) fail "quotes and backslashes in the path are too much for apt: $top" ;;
esac
if ! : 2>/dev/null >>"$top/.lock"; then
	fail "cannot write to $top; see whose it is"
fi
exec 9>>"$top/.lock"
if ! flock -n 9; then
	fail "another build.sh is running in $top; wait for it to end"
fi
# So nobody uses these any more.
rm -rf --one-file-system "$top"/work/tmp.* 2>/dev/null ||
    fail "work/ has files of root from a run that was killed; run: sudo ./build.sh clean"
HUSH_SCRATCH=tmp
export HUSH_SCRATCH
exec "$script" "$@"
