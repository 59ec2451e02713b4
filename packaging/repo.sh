#!/bin/sh
# usage: repo.sh [TARGET] [--key ID]
# Make a signed apt repository of out/TARGET as out/repo/: the packages and
# their source, for a web server or a file: URI. It is signed by the secret key
# ID of gpg's keyring, or by one that is made in key/ for that. Prints the two
# commands with which a client takes it. Leaves the repository as it was if
# something fails.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/packaging/lib.sh"

own_key_name='openssh-hush package signing key'

# own_key: make the key in key/ unless it is there. The directory is apart from
# all that others get to see.
own_key() {
	GNUPGHOME=$top/key
	export GNUPGHOME
	if [ ! -d "$GNUPGHOME" ]; then
		mkdir -m 700 "$tmp/key"
		GNUPGHOME=$tmp/key gpg --batch --quiet --passphrase '' \
		    --quick-generate-key "$own_key_name" ed25519 sign never
		stop_agent "$tmp/key"
		mv "$tmp/key" "$GNUPGHOME"
		note "made a key to sign with in $GNUPGHOME: keep a copy, and keep it secret"
	fi
	key="=$own_key_name"
}

# gpg starts an agent for each home, which nobody else would end.
stop_agent() {
	GNUPGHOME=$1 gpgconf --kill all
}

# fill: pool/ and dists/ in the current directory.
fill() {
	mkdir -p "pool/$pin" "dists/$suite/main/source"
	cp "$out/$target"/*.deb "$out/$target"/*.dsc "$out/$target"/*.tar.* \
	    "pool/$pin/"
	architectures=$(for d in pool/"$pin"/*.deb; do
		dpkg-deb -f "$d" Architecture
	done | sort -u | grep -vx all | tr '\n' ' ')
	for a in $architectures; do
		mkdir -p "dists/$suite/main/binary-$a"
	done
	# Whoever has read the lists before this one must still find what they name.
	for d in "$out/repo/dists/$suite/main"/*/by-hash; do
		[ ! -d "$d" ] || cp -a "$d" \
		    "dists/$suite/main/$(basename "$(dirname "$d")")/"
	done
	cat >"$tmp/generate.conf" <<-EOF_CONF
		Dir::ArchiveDir ".";
		Dir::CacheDir "$tmp";
		Default::Packages::Compress ". xz";
		Default::Sources::Compress ". xz";
		APT::FTPArchive::DoByHash "true";
		Tree "dists/$suite" {
			Sections "main";
			Architectures "$architectures source";
			Directory "pool/$pin";
			SrcDirectory "pool/$pin";
		};
	EOF_CONF
	apt-ftparchive generate "$tmp/generate.conf"
	apt-ftparchive -o APT::FTPArchive::Release::Origin=openssh-hush \
	    -o APT::FTPArchive::Release::Label=openssh-hush \
	    -o "APT::FTPArchive::Release::Suite=$suite" \
	    -o "APT::FTPArchive::Release::Codename=$suite" \
	    -o "APT::FTPArchive::Release::Architectures=$architectures" \
	    -o APT::FTPArchive::Release::Components=main \
	    -o APT::FTPArchive::Release::Acquire-By-Hash=yes \
	    release "dists/$suite" >"$tmp/Release"
	mv "$tmp/Release" "dists/$suite/Release"
}

sign() {
	for how in "--clearsign --output dists/$suite/InRelease" \
	    "--armor --detach-sign --output dists/$suite/Release.gpg"; do
		# shellcheck disable=SC2086 # a list
		gpg --batch --yes --quiet --local-user "$key" $how "dists/$suite/Release"
	done
	gpg --batch --export "$key" >openssh-hush.gpg
	[ -s openssh-hush.gpg ]
}

make_repository() {
	mkdir "$tmp/repo"
	cd "$tmp/repo"
	fill
	sign
}

usage='usage: repo [TARGET] [--key ID]'
target=$(default_target)
key=
while [ $# -gt 0 ]; do
	case $1 in
	--key)
		[ -n "${2-}" ] || die "$usage"
		key=$2
		shift ;;
	-*) die "$usage" ;;
	*) target=$1 ;;
	esac
	shift
done
is_target "$target"
base_fields "$target"
# Not the name of Debian's suite, or "PACKAGE/trixie" would stand for ours too.
suite=$pin-hush
set -- "$out/$target"/*.deb
[ -e "$1" ] || die "there are no packages in out/$target; run ./build.sh packages $target"
need apt-utils gpg gpg-agent dpkg-dev xz-utils
scratch
if [ -n "$key" ]; then
	gpg --batch --list-secret-keys "$key" >/dev/null 2>&1 ||
	    die "gpg has no secret key $key; see gpg --list-secret-keys"
else
	own_key
fi
recover "$out/repo"
step "make the repository" "$work/log/repo-$target.log" make_repository
[ -z "${GNUPGHOME-}" ] || stop_agent "$GNUPGHOME"
publish "$tmp/repo" "$out/repo"
note "the repository is in $out/repo; publish that directory, and on a client, as root:"
cat <<-EOF_CLIENT
	install -Dm644 openssh-hush.gpg /etc/apt/keyrings/openssh-hush.gpg
	echo 'deb [signed-by=/etc/apt/keyrings/openssh-hush.gpg] URI-OF-THE-REPOSITORY $suite main' >/etc/apt/sources.list.d/openssh-hush.list
EOF_CLIENT
