#!/bin/sh
# build.sh repo: an apt takes packages and source from it as the two lines that
# it prints say, and refuses it when somebody has tampered with it.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/copy.sh"

built_packages
need apt-utils gpg gpg-agent dpkg-dev xz-utils

project=$tmp/project
copy_project "$project"
mkdir "$project/out"
refused "without packages" "there are no packages in out/debian-13" \
    "$project/build.sh" repo
cp -r "$packages" "$project/out/"
refused "a key that is not there" "gpg has no secret key nobody@example" \
    env GNUPGHOME="$tmp" "$project/build.sh" repo --key nobody@example
refused "--key without one" "usage: repo" "$project/build.sh" repo --key
refused "no such target" "no such target: nonsense" "$project/build.sh" repo nonsense
is "nothing was made" '' \
    "$(find "$project/out" -name "*repo*")"
ok "make it" sh -c '"$1" repo >"$2"' - "$project/build.sh" "$tmp/lines"
repo=$project/out/repo
is "the secret key is for its owner only" 700 "$(stat -c %a "$project/key")"
is "and is not published" '' "$(find "$repo" -name '*secret*' -o -name '*.key')"

# An apt of its own, which does what the two lines say.
mkdir -p "$tmp/apt/lists/partial" "$tmp/apt/cache/archives/partial" \
    "$tmp/apt/keyrings" "$tmp/apt/sources"
(
	cd "$repo"
	sed -e "s,/etc/apt/keyrings,$tmp/apt/keyrings,g" \
	    -e "s,/etc/apt/sources.list.d,$tmp/apt/sources,g" \
	    -e "s,URI-OF-THE-REPOSITORY,file:$repo," "$tmp/lines" >"$tmp/run"
	sh -e "$tmp/run"
)
cat >"$tmp/apt.conf" <<EOF_CONF
Dir::State "$tmp/apt";
Dir::State::Lists "$tmp/apt/lists";
Dir::State::status "/dev/null";
Dir::Cache "$tmp/apt/cache";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$tmp/apt/sources";
APT::Sandbox::User "";
APT::Update::Error-Mode "any";
Acquire::By-Hash "force";
EOF_CONF
APT_CONFIG=$tmp/apt.conf
export APT_CONFIG
for f in "$tmp/apt/sources"/*; do
	sed 's/^deb /deb-src /' "$f" >"${f%.list}-src.list"
done
ok "apt-get update, by hash" apt-get update
version=$(sed -n 's/^Version: //p' "$packages"/*.dsc | head -n 1)
is "it has our version" "$version" \
    "$(apt-cache show openssh-server | sed -n 's/^Version: //p')"
cd "$tmp"
ok "apt-get download" apt-get download openssh-server
ok "is what is in out/" cmp "$tmp"/openssh-server_*.deb \
    "$packages"/openssh-server_*.deb
ok "apt-get source" apt-get source --download-only openssh
ok "is what is in out/, too" cmp "$tmp"/openssh_*.dsc "$packages"/openssh_*.dsc

# Made again: the same key, and the indexes of before are still to be had.
cp -r "$repo/dists" "$tmp/dists.before"
key=$(sha256_of "$repo/openssh-hush.gpg")
touch "$project/out/debian-13"/*.deb
ok "make it again" "$project/build.sh" repo
is "with the same key" "$key" "$(sha256_of "$repo/openssh-hush.gpg")"
is "what the old lists name is still there" '' \
    "$(cd "$tmp/dists.before" && find . -path '*/by-hash/*' -type f |
    while read -r f; do [ -e "$repo/dists/$f" ] || echo "$f"; done)"
ok "apt-get update works" apt-get update

# With a key of the user's own.
mkdir -m 700 "$tmp/gnupg"
GNUPGHOME=$tmp/gnupg gpg --batch --quiet --passphrase '' \
    --quick-generate-key 'Me <me@example.invalid>' ed25519 sign never 2>/dev/null
ok "make it with a key that is given" env GNUPGHOME="$tmp/gnupg" \
    "$project/build.sh" repo --key me@example.invalid
refused "apt has to be told of the new key" "NO_PUBKEY\|not available\|Missing key\|not signed" \
    apt-get update
GNUPGHOME=$tmp/gnupg gpgconf --kill all
cp "$repo/openssh-hush.gpg" "$tmp/apt/keyrings/"
ok "then it takes it" apt-get update

f=$(find "$repo/dists" -name InRelease)
sed -i 's/^Origin: .*/Origin: somebody/' "$f"
refused "tampered: refused" "invalid\|BADSIG\|not signed\|bad" apt-get update
done_testing
