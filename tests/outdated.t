#!/bin/sh
# build.sh outdated: tells whether ours is behind what the suite offers. The
# suite is played by an apt of ours, which says what it is told.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/copy.sh"

project=$tmp/project
copy_project "$project"
mkdir "$tmp/bin"
cat >"$tmp/bin/apt-cache" <<EOF_CACHE
#!/bin/sh
cat $tmp/offered
EOF_CACHE
cat >"$tmp/bin/apt-get" <<EOF_GET
#!/bin/sh
exit \$(cat $tmp/apt-status)
EOF_GET
cat >"$tmp/bin/dpkg-query" <<EOF_QUERY
#!/bin/sh
case "\$*" in
*openssh-server) cat $tmp/installed ;;
*) exec /usr/bin/dpkg-query "\$@" ;;
esac
EOF_QUERY
chmod +x "$tmp/bin"/*

# outdated OFFERED OUT INSTALLED: its exit status, output in $tmp/said. Empty:
# nothing there.
outdated() {
	printf 'Version: 1:9.0p1-1\nVersion: %s\n' "$1" >"$tmp/offered"
	rm -rf "$project/out/debian-13" "$tmp/installed"
	if [ -n "$2" ]; then
		mkdir -p "$project/out/debian-13"
		echo "Version: $2" >"$project/out/debian-13/openssh.dsc"
	fi
	[ -z "$3" ] || printf %s "$3" >"$tmp/installed"
	o_status=0
	env -u OFFLINE DEBIAN_MIRROR=file:/none DEBIAN_SECURITY_MIRROR=file:/none \
	    PATH="$tmp/bin:$PATH" "$project/build.sh" outdated >"$tmp/said" 2>&1 ||
	    o_status=$?
	echo "$o_status"
}

hush=hush$hush_revision
echo 0 >"$tmp/apt-status"
is "as new: 0" 0 "$(outdated 1:10.0p1-7+deb13u4 "1:10.0p1-7+deb13u4+$hush" '')"
ok "and says so" grep 'as new as 1:10.0p1-7+deb13u4$' "$tmp/said"
is "a security update: 1" 1 \
    "$(outdated 1:10.0p1-7+deb13u5 "1:10.0p1-7+deb13u4+$hush" '')"
ok "and says what to do" grep 'BEHIND 1:10.0p1-7+deb13u5: run ./build.sh packages' \
    "$tmp/said"
is "u10 is later than u9: 1" 1 \
    "$(outdated 1:10.0p1-7+deb13u10 "1:10.0p1-7+deb13u9+$hush" '')"
is "an earlier revision of the series: 1" 1 \
    "$(outdated 1:10.0p1-7+deb13u4 1:10.0p1-7+deb13u4+hush0 '')"
is "no packages yet: 0" 0 "$(outdated 1:10.0p1-7+deb13u4 '' '')"
is "this system as new: 0" 0 \
    "$(outdated 1:10.0p1-7+deb13u4 '' "1:10.0p1-7+deb13u4+$hush")"
is "this system behind: 1" 1 "$(outdated 1:10.0p1-7+deb13u5 \
    "1:10.0p1-7+deb13u5+$hush" "1:10.0p1-7+deb13u4+$hush")"
ok "and says what to do" grep 'this system .* install the packages of out/debian-13' \
    "$tmp/said"
is "a stock system that never had ours: 0" 0 "$(outdated 1:10.0p1-7+deb13u4 \
    "1:10.0p1-7+deb13u4+$hush" 1:10.0p1-7+deb13u4)"
echo 100 >"$tmp/apt-status"
is "lists that cannot be read: 2, not 1" 2 \
    "$(outdated 1:10.0p1-7+deb13u4 "1:10.0p1-7+deb13u4+$hush" '')"
ok "and says so" grep 'cannot be told' "$tmp/said"
echo 0 >"$tmp/apt-status"
refused "no such target" "no such target: nonsense" \
    env -u OFFLINE "$project/build.sh" outdated nonsense
refused "offline" "OFFLINE: what is offered today cannot be told" \
    env OFFLINE=1 "$project/build.sh" outdated
done_testing
