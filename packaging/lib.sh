# What the scripts behind build.sh share. Source it with $top set to the
# top-level directory; nothing here depends on the current directory.
# shellcheck shell=sh disable=SC2034,SC2154

LC_ALL=C
export LC_ALL
umask 022
# Nobody's own settings for these tools may change what is built.
for v in $(env | sed -n 's/^\(QUILT_[A-Z_]*\)=.*/\1/p
    s/^\(DEB_[A-Z_]*\(OPTIONS\|APPEND\|PREPEND\|SET\|STRIP\|PROFILES\)\)=.*/\1/p'); do
	unset "$v"
done
case ${HUSH_SOURCES-} in
''|/*) ;;
*) HUSH_SOURCES=$PWD/$HUSH_SOURCES ;;
esac
unset CDPATH TAR_OPTIONS MAKEFLAGS MAKEFILES GREP_OPTIONS CFLAGS CPPFLAGS LDFLAGS

cache=$top/cache
work=$top/work
# HUSH_OUT: where packages go before they are tested, see outdated.sh.
out=${HUSH_OUT:-$top/out}
patches=$top/patches
progname=$(basename "$0" .sh)

# The number of this release of the series on top of a given Debian version,
# and when it was made (RFC 5322): builds of the same sources are the same.
hush_revision=1
hush_date='Mon, 30 Nov 2026 12:00:00 +0000'
hush_maintainer='openssh-hush developers <developers@openssh-hush.invalid>'

# Exit status of fetch.sh for a source that cannot be had.
unavailable=3

# die MESSAGE [STATUS]: one line on standard error, exit 1 or STATUS.
die() {
	printf '%s: %s\n' "$progname" "$1" >&2
	exit "${2:-1}"
}

# note MESSAGE: progress for people, on standard error.
note() {
	printf '%s: %s\n' "$progname" "$1" >&2
}

# Signals. A shell takes one only between its foreground children, so what
# takes long runs in the background and is waited for.
supervised=
tmp=
# A function to call on any exit.
cleanup=

# supervise COMMAND...: run it, return its status, end it with all of its
# descendants if this script is told to end.
supervise() {
	"$@" &
	supervised=$!
	supervise_status=0
	wait "$supervised" || supervise_status=$?
	supervised=
	return "$supervise_status"
}

# Of thousands, it may be: a bench has as many clients.
descendants() {
	ps -e -o pid=,ppid= | awk -v ancestor="$1" '
	    { children[$2] = children[$2] " " $1 }
	    function walk(pid, n, i, child) {
		n = split(children[pid], child)
		for (i = 1; i <= n; i++) { print child[i]; walk(child[i]) }
	    }
	    END { walk(ancestor) }'
}

interrupted() {
	trap '' HUP INT TERM
	if [ -n "$supervised" ]; then
		i_pids="$supervised $(descendants "$supervised")"
		# shellcheck disable=SC2086 # a list
		kill -s TERM $i_pids 2>/dev/null || :
		sleep 1
		# What runs in namespaces heeds only this.
		# shellcheck disable=SC2086 # a list
		kill -s KILL $i_pids 2>/dev/null || :
	fi
	note "interrupted"
	exit "$1"
}

at_exit() {
	ae_status=$?
	trap - EXIT
	[ -z "$cleanup" ] || "$cleanup"
	[ -z "$tmp" ] || rm -rf --one-file-system "$tmp"
	give_back
	exit "$ae_status"
}

# What root made for a user belongs to the owner of the checkout.
give_back() {
	if [ "$(id -u)" -eq 0 ] && [ "$(stat -c %u "$top")" -ne 0 ]; then
		for g in "$cache" "$work" "$out"; do
			[ ! -e "$g" ] || chown -R --reference="$top" "$g"
		done
	fi
}

trap at_exit EXIT
trap 'interrupted 129' HUP
trap 'interrupted 130' INT
trap 'interrupted 143' TERM

# scratch: make the directory $tmp below $scratch_top, which is removed on any
# exit. Below build.sh it has a name by which the next run finds what a run that
# was killed has left.
scratch_top=$work
scratch() {
	mkdir -p "$work/log" ||
	    die "cannot write below $work; see whose it is"
	tmp=$(mktemp -d "$scratch_top/${HUSH_SCRATCH:-by-hand}.XXXXXX") ||
	    die "cannot write below $scratch_top; see whose it is"
}

# in_memory DIR [GIB]: make DIR, and have what is in it in memory if GIB (6) are
# available: a whole root is unpacked and removed far faster there than on many
# disks. One at a time, and only in a mount namespace of this script's own.
in_memory() {
	im_dir=$1
	cleanup=drop_memory
	mkdir -p "$im_dir"
	if awk -v gib="${2-6}" '/^MemAvailable/ { exit $2 < gib * 1048576 }' /proc/meminfo; then
		mount -t tmpfs -o mode=755 tmpfs "$im_dir"
	else
		# A mount point all the same: drop_memory unmounts what is in it.
		mount --bind "$im_dir" "$im_dir"
	fi
}

# drop_memory: end that, with all that is mounted in it.
drop_memory() {
	cleanup=
	umount --recursive --lazy "$im_dir" 2>/dev/null || :
	rm -rf --one-file-system "$im_dir"
}

# own_mounts "$@": run this script again in a mount namespace of its own, so
# that whatever ends it no mount is left.
own_mounts() {
	if [ -z "${HUSH_OWN_MOUNTS-}" ]; then
		exec env HUSH_OWN_MOUNTS=1 unshare --mount "$0" "$@"
	fi
	# What this script runs has none of its own yet.
	unset HUSH_OWN_MOUNTS
}

# as_root COMMAND...: run it as root, through sudo where need be.
as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "this needs root: $*; run it as root or install sudo"
	fi
}

# become_root ARGUMENT...: run this script again as root unless we are.
become_root() {
	[ "$(id -u)" -ne 0 ] || return 0
	command -v sudo >/dev/null ||
	    die "this needs root, for roots and namespaces; run it as root or install sudo"
	mkdir -p "$work/log" "$cache" "$out"
	exec sudo --preserve-env=OFFLINE,DEBIAN_MIRROR,DEBIAN_SECURITY_MIRROR,UBUNTU_MIRROR,HUSH_SCRATCH,HUSH_FULL,HUSH_SOURCES,http_proxy,https_proxy,no_proxy \
	    "$0" "$@"
}

can_be_root() {
	[ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null ||
	    { [ -t 0 ] && command -v sudo >/dev/null && sudo -v; }
}

# need PACKAGE...: install the Debian packages that are missing, or print the
# one command that would and stop.
need() {
	if [ ! -e /etc/debian_version ] || ! command -v apt-get >/dev/null; then
		die "this host is not Debian 12 or 13 or a derivative; build on one that is"
	fi
	missing=$(not_installed "$@")
	[ -n "$missing" ] || return 0
	[ -z "${OFFLINE-}" ] || die "OFFLINE: not installed: $missing"
	can_be_root || die "missing packages; run: apt-get install $missing"
	step "install $missing" "$work/log/apt-install.log" \
	    install_packages "$missing"
}

not_installed() {
	for p; do
		dpkg-query -W -f '${db:Status-Status}\n' "$p" 2>/dev/null |
		    grep -qx installed || echo "$p"
	done | tr '\n' ' ' | sed 's/ $//'
}

# apt does not wait for another apt. Scripts that run side by side take turns;
# what the other one has installed does not matter to it.
install_packages() {
	exec 8>"$work/apt-install.lock"
	flock 8
	# shellcheck disable=SC2086 # a list
	set -- $1
	# A service that is started must not hold the lock.
	as_root apt-get update 8>&-
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y \
	    --no-install-recommends "$@" 8>&-
}

# step LABEL LOG COMMAND...: run COMMAND with its output in LOG; on a terminal
# say how long it has been running. If it fails, show the end of LOG and stop.
# The seconds that it took go to the file $HUSH_TIMES, if that is set.
step() {
	step_label=$1
	step_log=$2
	shift 2
	mkdir -p "$(dirname "$step_log")"
	step_start=$(date +%s)
	step_ticker=
	if [ -t 2 ]; then
		step_tick &
		step_ticker=$!
	else
		note "$step_label ..."
	fi
	# Not "|| step_status=$?": some shells then ignore set -e inside.
	set +e
	supervise step_run "$@"
	step_status=$?
	set -e
	if [ -n "$step_ticker" ]; then
		kill "$step_ticker" 2>/dev/null || :
		wait "$step_ticker" 2>/dev/null || :
		printf '\r\033[K' >&2
	fi
	if [ "$step_status" -eq 0 ]; then
		step_took=$(($(date +%s) - step_start))
		note "$step_label: done in $step_took s"
		[ -z "${HUSH_TIMES-}" ] || echo "$step_took $step_label" >>"$HUSH_TIMES"
		return 0
	fi
	tail -n 20 "$step_log" | sed 's/^/    /' >&2
	die "$step_label failed; the whole log is $step_log"
}

step_run() {
	set -e
	"$@" >"$step_log" 2>&1 </dev/null
}

step_tick() {
	while kill -0 $$ 2>/dev/null; do
		printf '\r\033[K%s: %s ... %d s' "$progname" "$step_label" \
		    "$(($(date +%s) - step_start))" >&2
		sleep 1
	done
}

# base_fields BASE: set family, kind, state and pin from packaging/bases.
base_fields() {
	base=$1
	# shellcheck disable=SC2046 # five words
	set -- $(awk -v b="$base" '$1 == b' "$top/packaging/bases")
	[ $# -eq 5 ] || die "no such base: $base; see ./build.sh list"
	family=$2 kind=$3 state=$4 pin=$5
}

# all_bases: their names, one a line.
all_bases() {
	awk '/^[^#]/ { print $1 }' "$top/packaging/bases"
}

# targets: the bases that packages are built of, one a line.
targets() {
	awk '/^[^#]/ && $3 != "upstream" { print $1 }' "$top/packaging/bases"
}

# is_target TARGET [STATUS]: stop, with STATUS, unless it is one of those.
is_target() {
	targets | grep -qxF -e "$1" ||
	    die "no such target: $1; see ./build.sh list" "${2-1}"
}

# default_target: this host's own release where it is one, or debian-13.
default_target() {
	dt=$(sed -n 's/^\(ID\|VERSION_ID\)=//p' /etc/os-release 2>/dev/null |
	    tr -d '"' | sort -r | paste -sd -)
	targets | grep -xF -e "$dt" || echo debian-13
}

# family_of VERSION: the newest family that does not begin after it, or nothing.
family_of() {
	for fo_s in "$patches"/series.*; do
		fo_f=${fo_s##*/series.}
		! dpkg --compare-versions "$fo_f" le "$1" || echo "$fo_f"
	done | sort -V | tail -n 1
}

# source_family DSC: set family to that of the version of DSC, unless it is set.
source_family() {
	[ "${family:--}" = - ] || return 0
	sf_version=$(sed -n 's/^Version: \([0-9]*:\)*//p' "$1" | head -n 1)
	family=$(family_of "$sf_version")
	[ -n "$family" ] || die "there is no series for openssh $sf_version"
	note "openssh $sf_version: the series of family $family"
}

# listed_files FILE: what a .dsc or .changes names, one a line.
listed_files() {
	sed -n '/^Checksums-Sha256:/,/^[^ ]/s/^ [0-9a-f]* [0-9]* //p' "$1"
}

# publish DIR PLACE: the complete directory DIR, on the same file system, takes
# the place PLACE. Between the two renames, where only a SIGKILL can stop it, what
# was there has another name, from which recover PLACE, to be called before
# anything else, brings it back.
publish() {
	mkdir -p "$(dirname "$2")"
	rm -rf "$(former "$2")"
	(
		trap '' HUP INT TERM
		{ [ ! -e "$2" ] || mv "$2" "$(former "$2")"; } && mv "$1" "$2"
	) || {
		recover "$2"
		die "cannot put $2 into place; see whose it is"
	}
	rm -rf "$(former "$2")"
}

recover() {
	if [ ! -e "$1" ] && [ -e "$(former "$1")" ]; then
		mv "$(former "$1")" "$1"
	fi
}

former() {
	echo "$(dirname "$1")/.$(basename "$1").old"
}

# have_base BASE: fetch it, though nothing is downloaded for a given one.
# Returns 1, with a note, if it is one that may be missing and it is; any other
# failure stops.
have_base() {
	base_fields "$1"
	hb_offline=${OFFLINE-}
	case $state in given|untested) hb_offline=1 ;; esac
	hb_status=0
	OFFLINE=$hb_offline "$top/packaging/fetch.sh" "$1" >"$tmp/have" \
	    2>"$tmp/have.err" || hb_status=$?
	[ "$hb_status" -ne 0 ] || return 0
	if [ "$hb_status" -eq "$unavailable" ] && [ "$state" != carried ]; then
		note "$1 is left out: $(tail -n 1 "$tmp/have.err")"
		return 1
	fi
	die "$(tail -n 1 "$tmp/have.err")"
}

# series_patches FAMILY: the patches of its series, one a line.
series_patches() {
	grep -v -e '^#' -e '^[[:space:]]*$' "$patches/series.$1"
}

# patch_owner PATCH: the base on which PATCH is refreshed.
patch_owner() {
	all_bases | while read -r po_base; do
		if (base_fields "$po_base"
		    [ "$kind" = upstream ] && series_patches "$family" | grep -qxF "$1"); then
			echo "$po_base"
			break
		fi
	done
}

# hush_quilt FAMILY COMMAND...: quilt on the tree in the current directory,
# with our series and without anyone's own settings.
hush_quilt() {
	hq_family=$1
	shift
	QUILT_PATCHES=$patches QUILT_SERIES=series.$hq_family \
	    QUILT_DIFF_OPTS=--show-c-function quilt --quiltrc - "$@"
}

refresh_options='-p ab --no-timestamps --no-index --sort'

# git_archive DIR COMMIT FILE: what COMMIT has in the git checkout or bare
# repository DIR, whoever it belongs to, as a tarball.
git_archive() {
	git -C "$1" -c safe.directory='*' archive --prefix=openssh/ "$2" \
	    >"$3.tar" && gzip -n <"$3.tar" >"$3" && rm "$3.tar"
}

# unpack_upstream TARBALL DIRECTORY [stock]: a release with the series of
# $family and the overlay, or as it is. Fails with fuzz.
unpack_upstream() {
	mkdir "$2"
	tar -xzf "$1" -C "$2" --strip-components=1
	[ "${3-}" != stock ] || return 0
	(cd "$2" && hush_quilt "$family" push -a --fuzz=0)
	cp -a "$top/overlay/." "$2"
}

# manifest: checksums of what is in the tree in the current directory, by
# which edits are found later.
manifest() {
	find . -type f ! -path './.pc/*' ! -name '.hush-*' -print0 |
	    sort -z | xargs -0 sha256sum
}

# edited TREE: whether something in TREE is not as it was unpacked. The list
# of what is not goes to standard output.
edited() {
	if [ ! -e "$1/.hush-manifest" ]; then
		echo "$1/.hush-manifest: missing"
		return 0
	fi
	! (cd "$1" && sha256sum --quiet -c .hush-manifest 2>&1)
}

# sha256_of FILE: its checksum alone.
sha256_of() {
	sha256sum <"$1" | cut -d' ' -f1
}

# inputs_hash [FILE...]: one checksum over the series, the overlay and the
# given files: what a result in work/ or out/ was made from.
inputs_hash() {
	{
		(cd "$top" && find patches overlay -type f -print0 |
		    sort -z | xargs -0 sha256sum)
		for f; do sha256_of "$f"; done
	} | sha256sum | cut -d' ' -f1
}

# tree_stamp SOURCE: what a tree of $kind is made from.
tree_stamp() {
	if [ "$kind" != upstream ]; then
		inputs_hash "$1" "$top/packaging/lib.sh" \
		    "$top/packaging/debian-source.sh" "$top"/packaging/debian/*
	else
		inputs_hash "$1"
	fi
}
