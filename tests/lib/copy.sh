# A copy of the project to do harm to. Source it after tap.sh.
# shellcheck shell=sh disable=SC2154

# copy_project DIR: what is in the checkout now, with the downloads at hand.
copy_project() {
	mkdir -p "$1/cache"
	cp -a "$top/build.sh" "$top/packaging" "$top/patches" "$top/overlay" \
	    "$top/tests" "$1/"
	[ ! -e "$top/.shellcheckrc" ] || cp "$top/.shellcheckrc" "$1/"
	cp -a "$cache/." "$1/cache/"
}
