#!/bin/sh
# usage: make-in.sh TREE ARGUMENT...
# make in a copy of a built tree: configure has written the path of the
# original into its Makefile.
set -eu
tree=$1
shift
exec make -C "$tree" BUILDDIR="$tree" abs_top_srcdir="$tree" LOGNAME=root \
    TEST_SSH_UNSAFE_PERMISSIONS=1 "$@"
