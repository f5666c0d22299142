#!/bin/sh
# SPDX-License-Identifier: MIT
# Links two objects that hold the same sequences, in every way that has dropped
# descriptors or kept dangling ones: without optimisation, with section garbage
# collection, with link-time optimisation; with each compiler there is. The
# result must link without a warning and count right.
# usage: rseq_link_test.sh SOURCE_DIRECTORY COMPILER [EMULATOR]
set -eu

source=$1
emulator=${3:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

tried=0
for compiler in "$2" clang++; do
  command -v "$compiler" >/dev/null || continue
  # The second compiler is this machine's; a cross build has only its own.
  [ "$compiler" = "$2" ] || [ -z "${HACKBENCH_CROSS:-}" ] || continue
  for flags in "-O0" "-O2" "-O2 -ffunction-sections -Wl,--gc-sections" \
    "-O2 -static" "-O2 -flto"; do
    # clang's LTO needs a linker plugin that Debian does not install with it.
    case "$compiler$flags" in *clang*flto) continue ;; esac
    # shellcheck disable=SC2086  # flags are words
    for part in "-DHACKBENCH_LINK_MAIN -o main.o" "-o other.o"; do
      "$compiler" -std=gnu++20 -pthread $flags -Wno-unused-command-line-argument \
        -I"$source" -c "$source/atomics/rseq_link_sample.cc" $part
    done
    # shellcheck disable=SC2086
    "$compiler" -pthread $flags -Wl,--fatal-warnings main.o other.o -o linked
    # shellcheck disable=SC2086
    if ! $emulator ./linked; then
      echo "rseq_link: $compiler $flags counts wrong" >&2
      exit 1
    fi
    tried=$((tried + 1))
  done
done
echo "$tried ways linked and ran"
