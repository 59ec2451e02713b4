#!/bin/sh
# "check" finds nothing, and finds each kind of fault that is planted.
set -eu
top=$(dirname "$(dirname "$(readlink -f "$0")")")
. "$top/tests/lib/tap.sh"
. "$top/tests/lib/copy.sh"

common=patches/common/advertise-ping.patch
keyword=patches/common/advertise-ping-keyword.patch
series=patches/series.10.0

# plant COMMAND: run it in a new copy, $tmp/project.
plant() {
	rm -rf "$tmp/project"
	copy_project "$tmp/project"
	(cd "$tmp/project" && sh -ec "$1")
}

# planted NAME PATTERN COMMAND: COMMAND plants a fault, which check reports in a
# line that matches PATTERN.
planted() {
	plant "$3"
	refused "$1" "$2" env OFFLINE=1 "$tmp/project/build.sh" check
}

copy_project "$tmp/project"
ok "no faults as it is" env OFFLINE=1 "$tmp/project/build.sh" check

planted "unused patch" "patches/common/x.patch: not used" \
    "cp $common patches/common/x.patch"
planted "patch listed twice" "series.10.0: common/advertise-ping.patch is listed twice" \
    "echo common/advertise-ping.patch >>$series"
planted "missing patch" "series.10.0: common/x.patch does not exist" \
    "echo common/x.patch >>$series"
planted "patch of another family" "belongs to another family" \
    "echo 10.4/advertise-ping-keyword.patch >>$series"
planted "series without a base" "series.1.0: no base" \
    "cp $series patches/series.1.0"
for field in Description Author Origin Forwarded Last-Update; do
	planted "no $field" "advertise-ping.patch: DEP-3 field $field is missing" \
	    "sed -i '/^$field: /d' $common"
done
planted "not UTF-8" "advertise-ping.patch: not UTF-8" \
    "sed -i '1s/\$/ \\xff/' $common"
planted "timestamp" "advertise-ping.patch:[0-9]*: timestamp" \
    "sed -i 's,^--- a/servconf.c,&\\t2026-01-01 00:00:00,' $common"
planted "index line" "advertise-ping.patch:[0-9]*: index line" \
    "sed -i 's,^--- a/servconf.c,Index: x\\n&,' $common"
planted "other strip level" "advertise-ping.patch:[0-9]*: path does not begin" \
    "sed -i 's,^--- a/,--- ,' $common"
planted "white space" "advertise-ping-keyword.patch:[0-9]*: adds white space" \
    "sed -i 's,^+	options->advertise_ping = -1;,& ,' $keyword"
planted "carriage return" "advertise-ping-keyword.patch:[0-9]*: carriage return" \
    "sed -i 's,^+	options->advertise_ping = -1;,&\\r,' $keyword"
planted "common patch that another series lacks" \
    "common/advertise-ping.patch: only one series names it" \
    "sed -i /advertise-ping.patch/d patches/series.[!1]* patches/series.10.[!0]"
planted "fuzz" "series.10.0: advertise-ping-keyword.patch does not apply to 10.0p1 without fuzz" \
    "sed -i 's,^ 	options->tcp_keep_alive = -1;, 	options->tcp_keepalive = -1;,' $keyword"
# These are found last, when nothing else is wrong: all at once.
plant "sed -i -e 's,^@@ -122\\,6 ,@@ -121\\,6 ,' $keyword
    sed -i 's,^+\\.Cm yes\$,+.Xx yes,' $common
    echo 'echo \$top' >>packaging/list.sh"
checked=0
OFFLINE=1 "$tmp/project/build.sh" check >"$tmp/checked" 2>&1 || checked=$?
is "faults found last: exit status" 1 "$checked"
ok "not refreshed" grep "advertise-ping-keyword.patch: not as quilt refresh writes it" \
    "$tmp/checked"
ok "script" grep "packaging/list.sh:.*SC2086" "$tmp/checked"
ok "man page" grep "sshd_config.5 of 10.0p1: mandoc: " "$tmp/checked"
done_testing
