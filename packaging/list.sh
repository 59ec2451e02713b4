#!/bin/sh
# usage: list.sh
# Print bases and targets: family, kind, where the source comes from, state.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/packaging/lib.sh"

source_of() {
	case $1 in
	upstream) echo "openssh-$2.tar.gz" ;;
	*) echo "openssh of $3" ;;
	esac
}

state_of() {
	if [ -e "$work/$1/.hush-configured" ]; then
		echo "$2, compiled"
	elif [ -e "$work/$1/.hush-stamp" ]; then
		echo "$2, tree"
	elif [ -e "$cache/openssh-$1.tar.gz" ] ||
	    ls "$cache/$1"/*.dsc >/dev/null 2>&1; then
		echo "$2, downloaded"
	else
		echo "$2"
	fi
}

[ $# -eq 0 ] || die "usage: list"
printf '%-20s%-8s%-10s%-29s%s\n' BASE FAMILY KIND SOURCE STATE
while read -r base family kind state pin; do
	case $base in ''|'#'*) continue ;; esac
	printf '%-20s%-8s%-10s%-29s%s\n' "$base" "$family" "$kind" \
	    "$(source_of "$kind" "$base" "$pin")" "$(state_of "$base" "$state")"
done <"$top/packaging/bases"
printf '\n%-20s%s\n' TARGET PACKAGES
targets | while read -r t; do
	if ls "$out/$t"/*.dsc >/dev/null 2>&1; then
		printf '%-20s%s\n' "$t" "$(ls "$out/$t"/*.dsc)"
	else
		printf '%-20s%s\n' "$t" "not built"
	fi
done
