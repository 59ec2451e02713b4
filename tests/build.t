#!/bin/sh
# build.sh itself: its verbs and messages, bad input, interruptions, two runs
# at once, and that nothing is lost. Offline, on copies of the project.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/copy.sh"

project=$tmp/project
OFFLINE=1
export OFFLINE

fresh() {
	rm -rf "$project"
	copy_project "$project"
}

build() {
	"$project/build.sh" "$@"
}

# leaves_nothing NAME: no half-made tree, no scratch directory.
leaves_nothing() {
	is "$1" '' "$(cd "$project/work" && ls -d tmp.* by-hand.* 10.0p1 2>/dev/null)"
}

fresh
ok "help" build help
refused "unknown verb" "no such verb: nonsense; see" build nonsense
refused "tree without base" "usage: tree" build tree
refused "tree of an unknown base" "no such base: 1.2p3; see" build tree 1.2p3
refused "tree of a base whose source is not at hand" "openssh-10.6p1.tar.gz is missing" \
    build tree 10.6p1
refused "unknown option" "usage: tree" build tree 10.0p1 --nonsense
refused "too many arguments" "usage: tree" build tree 10.0p1 --stock more
refused "empty verb" "no such verb" build ''
refused "empty target" "no such target" build packages ''
refused "packages for no target" "no such target: 10.0p1" build packages 10.0p1
refused "refresh of a Debian base" "edit and refresh there" build refresh debian-13
refused "refresh without tree" "run ./build.sh tree 10.0p1" build refresh 10.0p1
refused "unknown test" "no such test: tests/nonsense.t" build test nonsense
refused "unknown option of test" "no such option: --nonsense" build test --nonsense
refused "no .dsc" "not a .dsc file: $top/LICENSE" build packages --dsc "$top/LICENSE"
refused "a .dsc that is not there" "cannot read none.dsc" build packages --dsc none.dsc
refused "half of the option" "usage: packages" build packages --dsc
printf 'Source: dropbear\nVersion: 1\n' >"$tmp/other.dsc"
refused "a .dsc of something else" "other.dsc does not describe a source package of openssh" \
    build packages --dsc "$tmp/other.dsc"
printf 'Source: openssh\nVersion: 1:8.4p1-5+deb11u3\n' >"$tmp/old.dsc"
refused "a .dsc of a release without ping" "no series for openssh 8.4p1-5+deb11u3" \
    build packages --dsc "$tmp/old.dsc" --suite bullseye
build list >"$tmp/list"
for b in 10.0p1 10.3p1 10.5p1 10.6p1 debian-13 debian-13-backports \
    debian-testing ubuntu-24.04 ubuntu-26.04; do
	ok "list knows $b" grep -q "^$b " "$tmp/list"
done
ok "list says what was never tried" grep -q '^10.6p1 .*untested' "$tmp/list"

# Downloads: the pin, the signature, what is missing offline.
pin=$(awk '$1 == "10.0p1" { print $5 }' "$top/packaging/bases")
echo x >>"$project/cache/openssh-10.0p1.tar.gz"
bad=$(sha256_of "$project/cache/openssh-10.0p1.tar.gz")
refused "altered tarball: both hashes" "sha256 is $bad, pinned is $pin" \
    build tree 10.0p1
leaves_nothing "altered tarball: nothing was unpacked"
fresh
if [ -e "$cache/openssh-10.0p1.tar.gz.asc" ]; then
	cp "$project/cache/openssh-10.0p1.tar.gz.asc" "$tmp/asc"
	tr 'A-Za-z' 'B-ZAb-za' <"$tmp/asc" >"$project/cache/openssh-10.0p1.tar.gz.asc"
	refused "bad signature" "bad signature" build tree 10.0p1
	cp "$tmp/asc" "$project/cache/openssh-10.0p1.tar.gz.asc"
else
	skip "bad signature" "no signature at hand"
fi
rm "$project/cache/openssh-10.0p1.tar.gz"
refused "offline without tarball" "OFFLINE: .*openssh-10.0p1.tar.gz is missing" \
    build tree 10.0p1
rm -rf "$project/cache/debian-13"
refused "offline without Debian source" "OFFLINE: no openssh source" \
    build tree debian-13
fresh
if dsc=$(ls "$project"/cache/debian-13/*.debian.tar.xz 2>/dev/null); then
	echo x >>"$dsc"
	refused "altered Debian source" "is not what was downloaded" \
	    build tree debian-13
else
	skip "altered Debian source" "no Debian source at hand"
fi

# What cannot be had, or is something else: nothing of it stays.
fresh
rm -rf "$project/cache/"*
mkdir "$tmp/net"
printf '#!/bin/sh\nexit 1\n' >"$tmp/net/apt-get"
for how in 'exit 18' 'exit 0'; do
	# Writes to the argument of -o, as curl does.
	printf '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\necho junk >"$2"\n%s\n' \
	    "$how" >"$tmp/net/curl"
	chmod +x "$tmp/net"/*
	refused "download of junk, curl: $how" "openssh-10.0p1 cannot be had" \
	    env -u OFFLINE "PATH=$tmp/net:$PATH" "$project/build.sh" tree 10.0p1
	is "nothing of it stays, curl: $how" '' "$(ls "$project/cache")"
done
refused "check without a base that must be there" "OFFLINE: .*10.0p1.* is missing" \
    build check
refused "tests without a base that must be there" "OFFLINE: .*10.0p1.* is missing" \
    build test regress
fresh
rm -f "$project/cache"/openssh-10.3p1*
ok "check without one that may be missing" build check
fresh
echo x >>"$project/cache/openssh-10.3p1.tar.gz"
refused "but an altered one is an error" "is not openssh-10.3p1" build check

# Other ways to call it, and other people's settings.
fresh
ln -s "$project/build.sh" "$tmp/link"
ok "through a symbolic link" "$tmp/link" list
ok "with CDPATH" sh -c 'cd "$1" && CDPATH=.:/usr project/build.sh list' - "$tmp"
ok "with settings for quilt, tar and make" env QUILT_PC=.x QUILT_PATCHES=x \
    QUILT_REFRESH_ARGS=--diffstat TAR_OPTIONS=--one-top-level MAKEFLAGS=-n \
    POSIXLY_CORRECT=1 "$project/build.sh" tree 10.0p1
ok "the settings had no effect" test -e "$project/work/10.0p1/.pc/applied-patches"

# The family of a version that no base has.
family_of_dsc() (
	family=-
	printf 'Version: %s\n' "$1" >"$tmp/v.dsc"
	source_family "$tmp/v.dsc" 2>/dev/null
	echo "$family"
)
is "10.6p2 is of the family 10.4" 10.4 "$(family_of_dsc 1:10.6p2-1~bpo13+1)"
is "9.6p1 is of the family 9.6" 9.6 "$(family_of_dsc 1:9.6p1-3ubuntu13.14)"
is "10.0p2 is of the family 10.0" 10.0 "$(family_of_dsc 1:10.0p2-1)"
is "10.3p1 is of the family 10.1" 10.1 "$(family_of_dsc '1:10.3p1-1~bpo13+1')"

# Interrupted in the middle of pushing the series.
fresh
mkdir "$tmp/bin"
printf '#!/bin/sh\ntouch %s/pushing\nexec sleep infinity\n' "$tmp" >"$tmp/bin/quilt"
chmod +x "$tmp/bin/quilt"
fresh
for how in "INT -" "TERM -" "TERM "; do
	signal=${how% *}
	rm -f "$tmp/pushing"
	# In a process group of its own ("-") the signal goes to all of it, as
	# Ctrl-C does; a shell has its background ignore that.
	PATH=$tmp/bin:$PATH env --default-signal=INT setsid \
	    "$project/build.sh" tree 10.0p1 >"$tmp/out" 2>&1 </dev/null &
	pid=$!
	wait_for test -e "$tmp/pushing"
	refused "a second run meanwhile" "another build.sh is running" build tree 10.0p1
	kill -s "$signal" -- "${how#* }$pid" 2>/dev/null || :
	wait "$pid" 2>/dev/null || :
	leaves_nothing "interrupted by $how$pid: nothing is left"
	ok "it says so" grep -q 'interrupted' "$tmp/out"
done
ok "the next run works" build tree 10.0p1
is "and prints the path alone" "$project/work/10.0p1" \
    "$(build tree 10.0p1 2>/dev/null)"

# A full disk, in the middle of it.
if mkdir "$tmp/small" && unshare --mount true 2>/dev/null; then
	fresh
	mkdir "$project/work"
	refused "full disk" "failed; the whole log is\|No space left\|cannot" \
	    unshare --mount sh -c 'mount -t tmpfs -o size=4m tmpfs "$1/work" &&
	    "$1/build.sh" tree 10.0p1' - "$project"
	ok "and the next run works" build tree 10.0p1
else
	skip "full disk" "no mount namespaces here"
fi

# Edits in a tree are never lost.
fresh
build tree 10.0p1 >/dev/null 2>&1
tree=$project/work/10.0p1
echo '/* edited */' >>"$tree/kex.h"
ok "a tree with edits that is up to date stays" build tree 10.0p1
sed -i 's/^Last-Update: .*/Last-Update: 2026-01-01/' \
    "$project/patches/common/advertise-ping.patch"
refused "a tree with edits is not replaced" "has edits that patches/ does not have" \
    build tree 10.0p1
ok "the edit is there" grep -q 'edited' "$tree/kex.h"

# An edit in the patch on top goes into patches/, and only that.
on_top=$(series_patches 10.0 | tail -n 1)
fresh
build tree 10.0p1 >/dev/null 2>&1
echo '# edited' >>"$tree/regress/Makefile"
ok "refresh" build refresh 10.0p1
ok "refresh stored the edit" grep -q '^+# edited' "$project/patches/$on_top"
is "refresh changed nothing else" "$on_top" \
    "$(cd "$project/patches" && find . -type f | sed 's,^\./,,' |
    while read -r f; do cmp -s "$f" "$top/patches/$f" || echo "$f"; done)"
ok "the tree is up to date then" build tree 10.0p1
ok "with the edit" grep -q '^# edited' "$tree/regress/Makefile"

# A common patch is refreshed where it belongs.
if [ -e "$cache/openssh-10.3p1.tar.gz" ]; then
	fresh
	build tree 10.3p1 >/dev/null 2>&1
	echo '# edited' >>"$project/work/10.3p1/regress/Makefile"
	refused "refresh on a base that does not own the patch" \
	    "is refreshed on 10.0p1, not on 10.3p1" build refresh 10.3p1
	ok "the edit is still there" grep -q '^# edited' \
	    "$project/work/10.3p1/regress/Makefile"
else
	skip "refresh on a base that does not own the patch" "no 10.3p1 at hand"
fi

# Edits that no patch has are found, and not taken for stored.
fresh
build tree 10.0p1 >/dev/null 2>&1
echo '/* edited */' >>"$tree/packet.c"
refused "refresh with an edit outside quilt" "edits that are in no patch" \
    build refresh 10.0p1
sed -i 's/^Last-Update: .*/Last-Update: 2026-01-01/' \
    "$project/patches/common/advertise-ping.patch"
refused "and the tree still is not replaced" "has edits that patches/ does not have" \
    build tree 10.0p1
refused "nor cleaned" "has edits: run" build clean
ok "the edit is there still" grep -q edited "$tree/packet.c"
fresh
build tree 10.0p1 >/dev/null 2>&1
echo '# edited' >>"$tree/regress/advertise-ping.sh"
refused "refresh with an edit of an overlay file" "edited in overlay/" \
    build refresh 10.0p1
fresh
build tree 10.0p1 >/dev/null 2>&1
echo '/* edited */' >>"$tree/servconf.c"
refused "refresh with an edit that belongs to a lower patch" \
    "belongs to patches/common/.*quilt refresh it there" build refresh 10.0p1
ok "that edit is there still" grep -q edited "$tree/servconf.c"
fresh
build tree 10.0p1 >/dev/null 2>&1
echo mine >"$tree/my-file"
echo '# more' >>"$project/overlay/regress/keygen-rounds.sh"
ok "a tree is made anew when the overlay changes" build tree 10.0p1
ok "a file of someone's own is kept beside it" test -e "$tree.old/my-file"
fresh
mkdir -p "$tree"
echo mine >"$tree/my-file"
refused "a directory that is no tree of ours" "has edits" build tree 10.0p1
ok "is left alone" test -e "$tree/my-file"
ok "clean, by force" build clean --force
is "clean keeps the downloads" cache "$(cd "$project" && ls -d work cache 2>/dev/null)"
ok "clean with nothing to do" build clean

# need: without root and sudo, the one command to run. In a place that anyone
# can read, which a checkout may not be.
public=$(mktemp -d)
chmod 755 "$public"
cp "$top/packaging/lib.sh" "$public/"
cat >"$public/need.sh" <<EOF_NEED
top=$public
. $public/lib.sh
need no-such-package other-package
EOF_NEED
refused "missing packages, not root" \
    "run: apt-get install no-such-package other-package" \
    env -u OFFLINE setpriv --reuid 65534 --regid 65534 --clear-groups \
    sh "$public/need.sh"
refused "missing packages, offline" "OFFLINE: not installed: no-such-package" \
    sh "$public/need.sh"
rm -r "$public"
done_testing
