# Turning Debian's openssh source package into ours. Source it after lib.sh.
# Everything happens in the current directory, an unpacked source package with
# Debian's patches applied.
# shellcheck shell=sh disable=SC2154

# add_series: our patches after Debian's, the overlay as one patch more, the
# changelog entry; all patches are applied afterwards. Fails with fuzz.
add_series() {
	as_dir=debian/patches/hush
	mkdir "$as_dir"
	series_patches "$family" | while read -r p; do
		cp "$patches/$p" "$as_dir/$(basename "$p")"
		echo "hush/$(basename "$p")" >>debian/patches/series
	done
	QUILT_PATCHES=debian/patches quilt --quiltrc - push -a --fuzz=0
	overlay_patch "$as_dir/overlay.patch"
	echo hush/overlay.patch >>debian/patches/series
	QUILT_PATCHES=debian/patches quilt --quiltrc - push -a --fuzz=0
	strip_banner_suffix
	add_maintainer_scripts
	take_responsibility
	add_changelog_entry
}

# overlay_patch FILE: the overlay as a patch with a DEP-3 header.
overlay_patch() {
	op_file=$PWD/$1
	cat >"$op_file" <<-EOF_HEADER
		Description: Whole new files that the series needs
		 Generated from the overlay of openssh-hush.
		Author: $hush_maintainer
		Origin: vendor
		Forwarded: not-needed
		Last-Update: $(date -u -d "$hush_date" +%Y-%m-%d)
		---
	EOF_HEADER
	(cd "$top/overlay" && find . -type f | sed 's,^\./,,' | sort) |
	while read -r f; do
		! [ -e "$f" ] || { echo "overlay/$f exists upstream" >&2; return 1; }
		diff -u --label /dev/null --label "b/$f" /dev/null \
		    "$top/overlay/$f" || [ $? -eq 1 ]
	done >>"$op_file"
}

# The suffix of our version stays out of the banner: scanners key on it.
strip_banner_suffix() {
	sed -i "/^SSH_EXTRAVERSION := /s/s\/\.\*-\/\/;/s\/.*-\/\/; s\/+hush[0-9]*\$\$\/\/;/" \
	    debian/rules
	grep -q '^SSH_EXTRAVERSION := .*+hush' debian/rules || {
		echo "debian/rules does not set SSH_EXTRAVERSION as expected" >&2
		return 1
	}
}

# The directive steps aside for a stock sshd, and comes back with us; see
# packaging/debian/advertise-ping.
add_maintainer_scripts() {
	ams_ours=$top/packaging/debian
	if [ -e debian/openssh-server.prerm ]; then
		echo "debian/openssh-server.prerm exists: merge ours into it" >&2
		return 1
	fi
	cp "$ams_ours/openssh-server.prerm" "$ams_ours/advertise-ping" debian/
	echo 'debian/advertise-ping usr/lib/openssh' >>debian/openssh-server.install
	insert "$ams_ours/openssh-server.postinst.before" before '#DEBHELPER#' \
	    debian/openssh-server.postinst &&
	    insert "$ams_ours/openssh-server.postrm.after" after 'set -e' \
	    debian/openssh-server.postrm
}

# insert FILE before|after LINE SCRIPT: the text of FILE into SCRIPT, where LINE
# must be exactly once.
insert() {
	awk -v file="$1" -v where="$2" -v at="$3" '
	    function text(l) { while ((getline l <file) > 0) print l }
	    $0 != at { print; next }
	    { n++ }
	    where == "before" { text(); print; next }
	    { print; text() }
	    END { exit n != 1 }' "$4" >inserted || {
		echo "$4 is not as expected" >&2
		return 1
	}
	cat inserted >"$4"
	rm inserted
}

# Whoever has trouble with our packages must not be sent to Debian. That our
# patches have not been sent upstream is known.
take_responsibility() {
	grep -q '^Maintainer: ' debian/control || {
		echo "debian/control has no Maintainer" >&2
		return 1
	}
	sed -i "s/^Maintainer: .*/Maintainer: $hush_maintainer/" debian/control
	echo 'openssh source: patch-not-forwarded-upstream [debian/patches/hush/*]' \
	    >>debian/source/lintian-overrides
}

# The later of the two dates: entries are in order, and the same sources give
# the same package.
entry_date() {
	theirs=$(dpkg-parsechangelog -S Date)
	if [ "$(date -d "$theirs" +%s)" -gt "$(date -d "$hush_date" +%s)" ]; then
		echo "$theirs"
	else
		echo "$hush_date"
	fi
}

add_changelog_entry() {
	version=$(dpkg-parsechangelog -S Version)+hush$hush_revision
	{
		cat <<-EOF_ENTRY
			openssh ($version) $(dpkg-parsechangelog -S Distribution); urgency=medium

			  * Rebuild with the patch series of openssh-hush:
		EOF_ENTRY
		series_patches "$family" | while read -r p; do
			sed -n 's/^Description: /    - /p;/^---/q' "$patches/$p"
		done
		cat <<-EOF_ENTRY
			  * Keep the suffix of this version out of the SSH banner.

			 -- $hush_maintainer  $(entry_date)

		EOF_ENTRY
		cat debian/changelog
	} >debian/changelog.new
	mv debian/changelog.new debian/changelog
}
