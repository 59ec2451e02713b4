#!/bin/sh
# usage: check.sh
# Lint the series (form, DEP-3 headers, nothing unused or doubled, applies
# without fuzz, stored as quilt would refresh it), the scripts (shellcheck) and
# the man pages that we change (mandoc). Prints one line for each fault, with
# file and, where there is one, line, and exits 1 if there was any.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/packaging/lib.sh"

fault() {
	echo "$1" >>"$tmp/faults"
}

# The files of the project: what git knows, or all where there is no git.
project_files() {
	cd "$top"
	if [ ! -e .git ] || ! git ls-files -co --exclude-standard 2>/dev/null; then
		find . -path ./work -prune -o -path ./out -prune -o \
		    -path ./cache -prune -o -type f -print | sed 's,^\./,,'
	fi
}

check_scripts() {
	project_files | while read -r f; do
		case $f in
		overlay/*) continue ;;
		*.sh|*.t|.ci/run) ;;
		*) continue ;;
		esac
		(cd "$top" && shellcheck -f gcc "$f") >>"$tmp/faults" || :
	done
}

# Each series is the one of a base, and names existing patches once.
check_series_files() {
	for s in "$patches"/series.*; do
		fam=${s##*/series.}
		awk -v f="$fam" '/^[^#]/ && $2 == f' "$top/packaging/bases" |
		    grep -q . || fault "patches/series.$fam: no base is of family $fam"
		series_patches "$fam" | sort | uniq -d | while read -r p; do
			fault "patches/series.$fam: $p is listed twice"
		done
		series_patches "$fam" | while read -r p; do
			[ -f "$patches/$p" ] || fault "patches/series.$fam: $p does not exist"
			case $p in
			common/*|"$fam"/*) ;;
			*) fault "patches/series.$fam: $p belongs to another family" ;;
			esac
		done
	done
	(cd "$patches" && find . -type f ! -name 'series.*') |
	    sed 's,^\./,,' | while read -r p; do
		case $p:$(cat "$patches"/series.* | grep -cxF "$p") in
		*:0) fault "patches/$p: not used by any series" ;;
		common/*:1) fault "patches/$p: only one series names it; name it in the others, or keep it in that family's directory" ;;
		esac
	done
}

check_headers() {
	find "$patches" -name '*.patch' | sort | while read -r p; do
		name=patches/${p#"$patches/"}
		iconv -f UTF-8 -t UTF-8 "$p" >/dev/null 2>&1 ||
		    fault "$name: not UTF-8"
		sed '/^---$/q' "$p" >"$tmp/header"
		for field in Description Author Origin Forwarded Last-Update; do
			grep -q "^$field: ." "$tmp/header" ||
			    fault "$name: DEP-3 field $field is missing"
		done
		grep -q '^ ..' "$tmp/header" ||
		    fault "$name: the description does not say why"
		awk -v n="$name" -v faults="$tmp/faults" '
		function fault(m) { print n ":" NR ": " m >>faults }
		/\r$/ { fault("carriage return") }
		/^Index: / || /^diff --git / || /^index [0-9a-f]+\.\./ {
			fault("index line") }
		/^(---|\+\+\+) .*\t/ { fault("timestamp") }
		/^(---) / && !/^--- a\// && !/^--- \/dev\/null/ { fault("path does not begin with a/") }
		/^(\+\+\+) / && !/^\+\+\+ b\// { fault("path does not begin with b/") }
		/^\+.*[ \t]$/ { fault("adds white space at the end of a line") }
		' "$p"
	done
}

# check_base BASE: the series applies, and is stored as refreshed.
check_base() {
	have_base "$1" || return 0
	base_fields "$1"
	source=$(cat "$tmp/have")
	[ "$kind" = upstream ] || source_family "$source"
	# On a copy: checking must not change anything.
	copy=$tmp/copy-$base
	mkdir -p "$copy/cache"
	cp -a "$top/patches" "$top/overlay" "$top/packaging" "$copy/"
	ln -s "$cache"/* "$copy/cache/"
	if ! OFFLINE=1 "$copy/packaging/tree.sh" "$base" >/dev/null 2>"$tmp/tree"; then
		sed 's/^ *//' "$tmp/tree" >&2
		refused=$(sed -n 's/^ *Patch .*\/\([^/]*\) does not apply.*/\1/p' "$tmp/tree")
		if [ -n "$refused" ]; then
			fault "patches/series.$family: $refused does not apply to $base without fuzz"
		else
			fault "$base: $(tail -n 1 "$tmp/tree")"
		fi
		return
	fi
	[ "$kind" = upstream ] || return 0
	OFFLINE=1 "$copy/packaging/refresh.sh" "$base" >/dev/null 2>"$tmp/refresh" ||
	    fault "patches/series.$family: $(tail -n 1 "$tmp/refresh")"
	(cd "$copy" && find patches -type f) | while read -r p; do
		cmp -s "$copy/$p" "$top/$p" ||
		    fault "$p: not as quilt refresh writes it; run ./build.sh refresh $base"
	done
	check_man "$copy/work/$base" "$source"
}

# Man pages that we change have no complaint that upstream's do not have.
check_man() {
	series_patches "$family" | while read -r p; do
		sed -n 's,^+++ b/\(.*\.[1-8]\)$,\1,p' "$patches/$p"
	done | sort -u | while read -r page; do
		tar -xzOf "$2" --wildcards "*/$page" >"$tmp/stock.man"
		cp "$1/$page" "$tmp/ours.man"
		for v in stock ours; do
			(cd "$tmp" && mandoc -T lint -W style "$v.man") 2>&1 |
			    sed -e 's/^[^ ]* [^ ]*: //' -e 's/ ([0-9]* times)$//' | sort | uniq -c >"$tmp/$v.lint" || :
		done
		diff "$tmp/stock.lint" "$tmp/ours.lint" | sed -n 's/^> *//p' |
		while read -r m; do
			fault "$page of $base: mandoc: $m"
		done
	done
}

report() {
	[ -s "$tmp/faults" ] || return 0
	cat "$tmp/faults"
	die "faults found: $(wc -l <"$tmp/faults")"
}

[ $# -eq 0 ] || die "usage: check"
need shellcheck mandoc quilt patch dpkg-dev xz-utils
scratch
: >"$tmp/faults"
check_series_files
check_headers
# What is not well-formed need not be applied.
report
check_scripts
all_bases >"$tmp/bases"
while read -r b; do
	check_base "$b"
done <"$tmp/bases"
report
note "no faults found"
