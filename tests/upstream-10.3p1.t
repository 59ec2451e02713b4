#!/bin/sh
# Upstream's own test suite on 10.3p1, with and without the series.
set -eu
exec "$(dirname "$0")/lib/upstream.sh" 10.3p1
