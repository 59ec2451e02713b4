#!/bin/sh
# Those of upstream's tests on 10.3p1 that touch what we change, and ours; all of
# them with --full.
set -eu
exec "$(dirname "$0")/lib/upstream.sh" 10.3p1 part
