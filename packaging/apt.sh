# A private apt for other suites than the host's: own sources and lists below
# work/apt/, the host's configuration (proxies) and keyring otherwise. Source
# it after lib.sh.
# shellcheck shell=sh disable=SC2154

# apt_mirror LABEL: the URI of the archive with that label (Debian or
# Debian-Security) in the host's own apt sources.
apt_mirror() {
	apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' \
	    'Created-By: Packages' 2>/dev/null |
	    awk -F'|' -v l="$1" '$1 == "Debian" && $2 == l { print $3; exit }'
}

# mirrors: set debian_mirror and security_mirror, or stop.
mirrors() {
	debian_mirror=${DEBIAN_MIRROR:-$(apt_mirror Debian)}
	security_mirror=${DEBIAN_SECURITY_MIRROR:-$(apt_mirror Debian-Security)}
	if [ -z "$debian_mirror" ] || [ -z "$security_mirror" ]; then
		# The labels come with the lists, which a new machine lacks.
		if can_be_root; then
			as_root apt-get update >/dev/null 2>&1 || :
		fi
		debian_mirror=${DEBIAN_MIRROR:-$(apt_mirror Debian)}
		security_mirror=${DEBIAN_SECURITY_MIRROR:-$(apt_mirror Debian-Security)}
	fi
	[ -n "$debian_mirror" ] ||
	    die "no Debian archive in this host's apt sources; set DEBIAN_MIRROR to the URI of one"
	[ -n "$security_mirror" ] ||
	    die "no Debian security archive in this host's apt sources; set DEBIAN_SECURITY_MIRROR to the URI of one"
}

# apt_sources TYPE SUITE: sources.list lines (TYPE is deb or deb-src) for
# everything that the suite consists of.
apt_sources() {
	as_opts='[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]'
	echo "$1 $as_opts $debian_mirror $2 main"
	case $2 in
	sid|*-backports) ;;
	*)
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
	mirrors
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
