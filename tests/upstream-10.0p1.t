#!/bin/sh
# Upstream's own test suite on 10.0p1, with the series.
set -eu
exec "$(dirname "$0")/lib/upstream.sh" 10.0p1
