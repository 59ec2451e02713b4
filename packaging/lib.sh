# What the scripts behind build.sh share. Source it with $top set to the
# top-level directory; nothing here depends on the current directory.
# shellcheck shell=sh disable=SC2034,SC2154

LC_ALL=C
export LC_ALL
umask 022

cache=$top/cache
work=$top/work
out=$top/out
patches=$top/patches
progname=$(basename "$0" .sh)

# The number of this release of the series on top of a given Debian version,
# and when it was made (RFC 5322): builds of the same sources are the same.
hush_revision=1
hush_date='Mon, 30 Nov 2026 12:00:00 +0000'
hush_maintainer='openssh-hush developers <developers@openssh-hush.invalid>'

# die MESSAGE: one line on standard error, exit 1.
die() {
	printf '%s: %s\n' "$progname" "$1" >&2
	exit 1
}

# note MESSAGE: progress for people, on standard error.
note() {
	printf '%s: %s\n' "$progname" "$1" >&2
}

# as_root COMMAND...: run it as root, through sudo where need be.
as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

can_be_root() {
	[ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null ||
	    { [ -t 0 ] && command -v sudo >/dev/null; }
}

# need PACKAGE...: install the Debian packages that are missing, or print the
# one command that would and stop.
need() {
	if [ ! -e /etc/debian_version ] || ! command -v apt-get >/dev/null; then
		die "this host is not Debian 12 or 13 or a derivative; build on one that is"
	fi
	missing=
	for p; do
		case $(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null) in
		installed) ;;
		*) missing="$missing $p" ;;
		esac
	done
	[ -n "$missing" ] || return 0
	missing=${missing# }
	[ -z "${OFFLINE-}" ] || die "OFFLINE: not installed: $missing"
	can_be_root || die "missing packages; run: apt-get install $missing"
	step "install $missing" "$work/log/apt-install.log" \
	    install_packages "$missing"
}

install_packages() {
	# shellcheck disable=SC2086 # a list
	set -- $1
	as_root apt-get update &&
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y \
	    --no-install-recommends "$@"
}

# step LABEL LOG COMMAND...: run COMMAND with its output in LOG; on a terminal
# say how long it has been running. If it fails, show the end of LOG and stop.
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
	# Not "|| status=$?": that would switch -e off inside.
	set +e
	(set -e; "$@") >"$step_log" 2>&1 </dev/null
	step_status=$?
	set -e
	if [ -n "$step_ticker" ]; then
		kill "$step_ticker" 2>/dev/null || :
		wait "$step_ticker" 2>/dev/null || :
	fi
	step_time=$(($(date +%s) - step_start))
	if [ "$step_status" -eq 0 ]; then
		[ ! -t 2 ] || printf '\r\033[K' >&2
		note "$step_label: done in ${step_time} s"
		return 0
	fi
	[ ! -t 2 ] || printf '\r\033[K' >&2
	tail -n 20 "$step_log" | sed 's/^/    /' >&2
	die "$step_label failed; the whole log is $step_log"
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

# carried_base BASE: the same, and stop unless there is a series for it.
carried_base() {
	base_fields "$1"
	[ "$state" = carried ] ||
	    die "base $base is known, but there is no series for its family $family yet"
}

# series_patches FAMILY: the patches of its series, one a line.
series_patches() {
	grep -v -e '^#' -e '^[[:space:]]*$' "$patches/series.$1"
}

# patch_owner PATCH: the base on which PATCH is refreshed.
patch_owner() {
	while read -r o_base o_family _ o_state _; do
		case $o_base in ''|'#'*) continue ;; esac
		if [ "$o_state" = carried ] &&
		    series_patches "$o_family" | grep -qxF "$1"; then
			echo "$o_base"
			return
		fi
	done <"$top/packaging/bases"
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
	if [ "$kind" = debian ]; then
		inputs_hash "$1" "$top/packaging/lib.sh" \
		    "$top/packaging/debian-source.sh"
	else
		inputs_hash "$1"
	fi
}

# scratch: make the directory $tmp below work/, and remove it on any exit.
# Below build.sh it has a name by which the next run finds what a run that was
# killed has left.
scratch() {
	mkdir -p "$work"
	tmp=$(mktemp -d "$work/${HUSH_SCRATCH:-by-hand}.XXXXXX")
	trap 'status=$?; trap - EXIT; rm -rf --one-file-system "$tmp"; exit $status' EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
}
