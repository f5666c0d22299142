#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Removes the files that an install manifest names, under DESTDIR if that is
# set, and nothing else. CMake leaves DESTDIR out of the manifest.
# Usage: [DESTDIR=DIR] uninstall.sh MANIFEST
set -euo pipefail

manifest=$1
if [[ ! -e $manifest ]]; then
  echo "uninstall.sh: no $manifest, so nothing was installed from this build tree" >&2
  exit 1
fi

# The manifest's last line has no newline.
while IFS= read -r path || [[ -n $path ]]; do
  file=${DESTDIR:-}$path
  if [[ -e $file || -L $file ]]; then
    rm -- "$file"
    echo "removed $file"
  else
    echo "not there: $file"
  fi
done <"$manifest"
