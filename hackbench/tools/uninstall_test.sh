#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Claims: uninstall removes under DESTDIR exactly what install put there, and
# leaves a neighbour's file alone. Usage: uninstall_test.sh BUILD
set -euo pipefail
tools=$(dirname "$0")
build=$1

DESTDIR=$(mktemp -d)
export DESTDIR
trap 'rm -rf "$DESTDIR"' EXIT

# A component's install has a manifest of its own: the one of the last real
# `make install` stays as it is. Unspecified is CMake's name for all of ours.
cmake --install "$build" --prefix /opt/some --component Unspecified >/dev/null
test -x "$DESTDIR/opt/some/bin/hackbench"
touch "$DESTDIR/opt/some/bin/neighbour"

"$tools/uninstall.sh" "$build/install_manifest_Unspecified.txt"
left=$(find "$DESTDIR" ! -type d)
if [[ $left != "$DESTDIR/opt/some/bin/neighbour" ]]; then
  echo "expected only the neighbour's file to be left, found: $left" >&2
  exit 1
fi

if "$tools/uninstall.sh" "$build/no_such_manifest" 2>/dev/null; then
  echo "a missing manifest went unnoticed" >&2
  exit 1
fi
