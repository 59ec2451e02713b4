#!/bin/sh
# usage: make-in.sh TREE ARGUMENT...
# make in a copy of a built tree, inside isolate.sh. The tree is mounted at a
# short path there: the path of a checkout may be too long for the sockets
# that upstream's tests make, or have a space in it. Configure has written the
# path of the original into the Makefile, so that is overridden.
set -eu
tree=/run/tree
mkdir -p "$tree"
# Once is enough: mounted over itself, the copy could not be removed.
mountpoint -q "$tree" || mount --bind "$1" "$tree"
shift
exec make -C "$tree" BUILDDIR="$tree" abs_top_srcdir="$tree" LOGNAME=root \
    TEST_SSH_UNSAFE_PERMISSIONS=1 "$@"
