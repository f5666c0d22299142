#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What `make check` proves, a line per step: name, verdict, seconds and the
# step's last word; a failing step's whole output follows its line.
# Usage: check.sh [STEP]
# shellcheck disable=SC2317  # the steps are called by name
set -euo pipefail
cd "$(dirname "$0")/../.."
folders=(atomics sync alloc hackbench results)

format() {
  local files
  mapfile -t files < <(find "${folders[@]}" -name '*.h' -o -name '*.cc' 2>/dev/null)
  clang-format-14 --dry-run -Werror "${files[@]}"
  echo "${#files[@]} files"
}

layers() {
  hackbench/tools/check_layers_test.sh
  hackbench/tools/check_layers.sh
}

# Outside git (a tarball) whatever lies here counts, build/ apart.
top_level() {
  local known='atomics|sync|alloc|hackbench|results'
  known+='|CMakeLists\.txt|Makefile|README\.md|LICENSE|\..*|build'
  if { git ls-files 2>/dev/null || ls -A; } | cut -d / -f 1 | sort -u |
    grep -vxE "$known"; then
    echo "the top level is closed; these belong into a folder"
    return 1
  fi
}

scripts() {
  local files
  mapfile -t files < <(find hackbench sync .ci -name '*.sh' -o -path .ci/run 2>/dev/null)
  shellcheck "${files[@]}"
  echo "${#files[@]} files"
}

# No precompiled headers here: a file that leans on one instead of including
# what it needs is found out.
clang_build() {
  cmake -S . -B build/clang -G Ninja --log-level=WARNING \
    -DCMAKE_CXX_COMPILER=clang++-14 -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
    -DHACKBENCH_BENCHMARKS=OFF >/dev/null
  cmake --build build/clang -j "$(nproc)" -- --quiet -k 0
}

# Protocols of the locks, exhaustively, and mutants that must be caught.
models() { sync/models/check_models.sh; }

clang_tidy() { hackbench/tools/tidy.sh build/clang; }

# One step, as a process of its own: inside `||` a function would go on after
# an error.
if [[ $# -gt 0 ]]; then
  "$1"
  exit
fi

failed=0
for name in format layers top_level scripts models clang_build clang_tidy; do
  start=$SECONDS
  if output=$(hackbench/tools/check.sh $name 2>&1); then
    printf '%-12s ok     %4d s  %s\n' $name $((SECONDS - start)) \
      "$(tail -n 1 <<<"$output")"
  else
    printf '%-12s FAILED %4d s\n%s\n' $name $((SECONDS - start)) "$output"
    failed=1
  fi
done
exit $failed
