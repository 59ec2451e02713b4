#!/bin/sh
# usage: replace-prepare.sh
# The part of tests/replace.t that runs once in the root from which its guests
# are copied: stock's packages are in /stock, ours in /hush. From these it
# makes repositories /repo/NAME that offer what Debian, or whoever rebuilds,
# would publish later: stock0 to stock6, each newer than the one before, and
# ours0 to ours6, the rebuild of each; ours0b is the next rebuild of stock0.
# Only version numbers differ within stock*, and within ours*.
set -eu
# shellcheck source=tests/lib/inside.sh
. /hush/inside.sh
cd /repo
packages='openssh-client openssh-server openssh-sftp-server'

# repack FROM TO OLD NEW: the packages of repository FROM with version NEW
# instead of OLD, into TO.
repack() {
	mkdir "$2"
	for p in $packages; do
		dpkg-deb -R "$1/${p}_"*.deb work
		sed -i "s/$(printf %s "$3" | sed 's/[.]/\\&/g')/$4/g" work/DEBIAN/control
		dpkg-deb -Znone -b work "$2/${p}_${4#*:}_all.deb" >/dev/null
		rm -r work
	done
}

# index REPOSITORY: as Debian's security archive would.
index() {
	(
		cd "$1"
		apt-ftparchive packages . >Packages
		apt-ftparchive -o APT::FTPArchive::Release::Origin=Debian \
		    -o APT::FTPArchive::Release::Label=Debian-Security \
		    -o APT::FTPArchive::Release::Suite=stable-security \
		    -o APT::FTPArchive::Release::Codename=trixie-security \
		    release . >../Release.new
		mv ../Release.new Release
	)
}

stock=$(dpkg-query -W -f '${Version}' openssh-server)
ours=$(dpkg-deb -f /hush/openssh-server_*.deb Version)
[ "$ours" = "$stock+hush${ours##*+hush}" ] || {
	echo "ours is $ours, stock is $stock: not made from one source" >&2
	exit 1
}
mkdir stock0 ours0
cp /stock/*.deb stock0/
for p in $packages; do
	cp "/hush/${p}_"*.deb ours0/
done
repack ours0 ours0b "$ours" "$stock+hush99"
for n in 1 2 3 4 5 6; do
	repack stock0 stock$n "$stock" "$stock.$n"
	repack ours0 ours$n "$ours" "$stock.$n+hush1"
done
for r in stock? ours? ours0b; do
	index "$r"
done
cp /usr/bin/ssh /root/stock-ssh
make_player
# The tests' own player is no attacker.
echo 'Dpkg::Options { "--force-unsafe-io"; };' >/etc/apt/apt.conf.d/zz-test
rm -f /etc/apt/sources.list /etc/apt/sources.list.d/* /var/lib/apt/lists/*Packages*
