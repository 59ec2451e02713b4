#!/bin/sh
# lintian on our packages: it finds nothing that it does not find in stock's.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/tests/lib/tap.sh"

built_packages
made_root trixie-qa
# In memory, which an isolated test has there.
isolate "$@"
root=/run/root
mkdir "$root"
tar -xf "$root_tar" --numeric-owner -C "$root"
mkdir "$root/ours"
cp "$packages"/*.deb "$packages"/*.dsc "$packages"/*.tar.* "$root/ours/"

# tags DIRECTORY: the tags that lintian has for those of its packages that stock
# has too, a line for each package and tag.
cat >"$root/tags" <<'EOF_TAGS'
cd "$1"
files=$(echo *.dsc)
for d in /stock/*.deb; do
	files="$files $(echo "$(basename "$d" | sed 's/_.*//')"_*.deb)"
done
lintian --allow-root --display-info --pedantic --tag-display-limit 0 $files \
    >/tags.out || [ $? -eq 2 ]
sed -n 's/^\([EWIP]: [^:]*: [^ ]*\).*/\1/p' /tags.out | sort -u
EOF_TAGS
ok "lintian on stock's packages" sh -c '"$1" "$2" sh /tags /stock >"$3"' - \
    "$top/packaging/enter.sh" "$root" "$tmp/stock"
ok "lintian on ours" sh -c '"$1" "$2" sh /tags /ours >"$3"' - \
    "$top/packaging/enter.sh" "$root" "$tmp/ours"
ok "it found something in stock's, so it ran" test -s "$tmp/stock"
is "no tag for ours that is not there for stock's" '' \
    "$(comm -13 "$tmp/stock" "$tmp/ours")"
done_testing
