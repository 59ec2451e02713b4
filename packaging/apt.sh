# A private apt for other suites than the host's: own sources and lists below
# work/apt/, the host's configuration (proxies) and keyring otherwise. Source
# it after lib.sh.
# shellcheck shell=sh disable=SC2154

# apt_mirror LABEL: the URI of the archive with that label (Debian, Debian-Security
# or Ubuntu), and of that origin, in the host's own apt sources.
apt_mirror() {
	apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' \
	    'Created-By: Packages' 2>/dev/null |
	    awk -F'|' -v o="${1%%-*}" -v l="$1" \
	    '$1 == o && $2 == l { print $3; exit }'
}

# mirror LABEL VARIABLE [URI]: print URI, which is $VARIABLE, or where apt has the
# archive LABEL, or stop.
mirror() {
	m_uri=${3:-$(apt_mirror "$1")}
	if [ -z "$m_uri" ] && can_be_root; then
		# The labels come with the lists, which a new machine lacks.
		as_root apt-get update >/dev/null 2>&1 || :
		m_uri=$(apt_mirror "$1")
	fi
	[ -n "$m_uri" ] ||
	    die "no archive $1 in this host's apt sources; set $2 to the URI of one"
	echo "$m_uri"
}

# distribution SUITE: debian, or what packaging/bases says.
distribution() {
	awk -v s="$1" '$3 != "upstream" && $5 == s { found = $3 }
	    END { print found ? found : "debian" }' "$top/packaging/bases"
}

# mirrors [DISTRIBUTION]: set those of its archives, or stop.
mirrors() {
	case ${1-debian} in
	debian)
		debian_mirror=$(mirror Debian DEBIAN_MIRROR "${DEBIAN_MIRROR-}")
		security_mirror=$(mirror Debian-Security \
		    DEBIAN_SECURITY_MIRROR "${DEBIAN_SECURITY_MIRROR-}") ;;
	ubuntu)
		ubuntu_mirror=$(mirror Ubuntu UBUNTU_MIRROR "${UBUNTU_MIRROR-}") ;;
	esac
}

# apt_sources TYPE SUITE: sources.list lines (TYPE is deb or deb-src) for
# everything that the suite consists of.
apt_sources() {
	as_distribution=$(distribution "$2")
	as_opts="[signed-by=/usr/share/keyrings/$as_distribution-archive-keyring.gpg]"
	case $as_distribution:$2 in
	ubuntu:*)
		for as_s in "$2" "$2-updates" "$2-security"; do
			echo "$1 $as_opts $ubuntu_mirror $as_s main universe"
		done ;;
	debian:sid|debian:*-backports)
		echo "$1 $as_opts $debian_mirror $2 main" ;;
	debian:*)
		echo "$1 $as_opts $debian_mirror $2 main"
		echo "$1 $as_opts $debian_mirror $2-updates main"
		echo "$1 $as_opts $security_mirror $2-security main" ;;
	esac
}

# apt_root SUITE [pinned]: make or update the private apt of SUITE, and set
# APT_CONFIG. For files that are checked against a pin of ours it does not
# matter whether a mirror lags behind.
apt_root() {
	ar=$work/apt/$1${2:+-$2}
	mkdir -p "$ar/lists/partial" "$ar/cache/archives/partial"
	ar_distribution=$(distribution "$1")
	case $ar_distribution in
	debian) need debian-archive-keyring ;;
	ubuntu) need ubuntu-keyring ;;
	esac
	mirrors "$ar_distribution"
	apt_sources deb-src "$1" >"$ar/sources.list"
	cat >"$ar/apt.conf" <<-EOF_CONF
		Dir::State "$ar";
		Dir::State::Lists "$ar/lists";
		Dir::State::status "/dev/null";
		Dir::Cache "$ar/cache";
		Dir::Etc::sourcelist "$ar/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		APT::Sandbox::User "";
		APT::Update::Error-Mode "any";
		Acquire::Languages "none";
		Acquire::Check-Valid-Until "$([ -n "${2-}" ] && echo false || echo true)";
	EOF_CONF
	APT_CONFIG=$ar/apt.conf
	export APT_CONFIG
	step "read the package lists of $1" "$work/log/apt-$1.log" \
	    apt-get update
}

# newest_source PACKAGE [PREFIX]: its newest version in the private apt, or
# the newest that begins with PREFIX. Empty if there is none.
newest_source() {
	apt-cache showsrc --only-source "$1" | sed -n 's/^Version: //p' | {
		ns=
		while read -r v; do
			case $v in "${2-}"*) ;; *) continue ;; esac
			if [ -z "$ns" ] || dpkg --compare-versions "$v" gt "$ns"; then
				ns=$v
			fi
		done
		echo "$ns"
	}
}
