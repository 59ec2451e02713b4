#!/bin/sh
# build.sh itself: its verbs and messages, bad input, interruptions, two runs
# at once, and that nothing is lost. Offline, on copies of the project.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
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
refused "tree of a base that is not carried" "no series for its family 10.4" \
    build tree 10.5p1
refused "unknown option" "usage: tree" build tree 10.0p1 --nonsense
refused "packages for no target" "10.0p1 is no target" build packages 10.0p1
refused "refresh of a Debian base" "edit and refresh there" build refresh debian-13
refused "refresh without tree" "run ./build.sh tree 10.0p1" build refresh 10.0p1
refused "unknown test" "no such test: tests/nonsense.t" build test nonsense
refused "unknown option of test" "no such option: --nonsense" build test --nonsense
build list >"$tmp/list"
for b in 10.0p1 10.3p1 10.5p1 10.6p1 debian-13; do
	ok "list knows $b" grep -q "^$b " "$tmp/list"
done
ok "list says what is only known" grep -q '^10.5p1 .*known' "$tmp/list"

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

# Interrupted in the middle of pushing the series.
fresh
mkdir "$tmp/bin"
printf '#!/bin/sh\ntouch %s/pushing\nexec sleep 60\n' "$tmp" >"$tmp/bin/quilt"
chmod +x "$tmp/bin/quilt"
for signal in INT TERM; do
	rm -f "$tmp/pushing"
	# In a process group of its own, the signal goes to all of it, as Ctrl-C
	# does; a shell has its background ignore that.
	PATH=$tmp/bin:$PATH env --default-signal=INT setsid \
	    "$project/build.sh" tree 10.0p1 >"$tmp/out" 2>&1 </dev/null &
	pid=$!
	n=0
	until [ -e "$tmp/pushing" ] || [ $n -gt 100 ]; do
		sleep 0.1
		n=$((n + 1))
	done
	refused "a second run meanwhile" "another build.sh is running" build tree 10.0p1
	kill -s "$signal" -- "-$pid" 2>/dev/null || :
	wait "$pid" 2>/dev/null || :
	leaves_nothing "interrupted by $signal: nothing is left"
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
fresh
build tree 10.0p1 >/dev/null 2>&1
echo '# edited' >>"$tree/regress/Makefile"
ok "refresh" build refresh 10.0p1
ok "refresh stored the edit" grep -q '^+# edited' \
    "$project/patches/common/regress-tests.patch"
is "refresh changed nothing else" "common/regress-tests.patch" \
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

ok "clean" build clean
is "clean keeps the downloads" cache "$(cd "$project" && ls -d work cache 2>/dev/null)"

# need: without root and sudo, the one command to run.
cat >"$tmp/need.sh" <<EOF_NEED
top=$project
. $project/packaging/lib.sh
need no-such-package other-package
EOF_NEED
chmod 755 "$tmp"
refused "missing packages, not root" \
    "run: apt-get install no-such-package other-package" \
    env -u OFFLINE setpriv --reuid 65534 --regid 65534 --clear-groups \
    sh "$tmp/need.sh"
refused "missing packages, offline" "OFFLINE: not installed: no-such-package" \
    sh "$tmp/need.sh"
done_testing
