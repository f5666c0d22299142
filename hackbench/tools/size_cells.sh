#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What size(1) says of objects named ARCH-PREEMPT-LOCK.o, as lines of C++.
# Usage: size_cells.sh OUTPUT OBJECT...
set -euo pipefail
output=$1
shift
for object in "$@"; do
  name=$(basename "$object" .o)
  arch=${name%%-*}
  rest=${name#*-}
  tool=size
  [[ $arch == arm64 ]] && command -v aarch64-linux-gnu-size >/dev/null &&
    tool=aarch64-linux-gnu-size
  [[ $arch == riscv64 ]] && command -v riscv64-linux-gnu-size >/dev/null &&
    tool=riscv64-linux-gnu-size
  "$tool" "$object" | awk -v arch="$arch" -v preempt="${rest%%-*}" \
    -v lock="${rest#*-}" 'NR == 2 {
      printf "{\"%s\", \"%s\", \"%s\", %d, %d, %d},\n", arch, preempt, lock, $1, $2, $3
    }'
done >"$output.new"
mv "$output.new" "$output"
