#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs every benchmark of a build tree: tables to the terminal, JSON into
# BUILD/bench. BENCHMARK_FILTER and the library's other variables apply.
# Usage: run_benchmarks.sh BUILD
set -euo pipefail
build=$1

shopt -s nullglob
benchmarks=("$build"/benchmark/*)
if [[ ${#benchmarks[@]} -eq 0 ]]; then
  echo "run_benchmarks.sh: no benchmarks in $build (configured without them?)" >&2
  exit 1
fi

mkdir -p "$build/bench"
HACKBENCH_BINARY=$(realpath "$build/bin/hackbench")
export HACKBENCH_BINARY
failed=0
for benchmark in "${benchmarks[@]}"; do
  name=$(basename "$benchmark")
  echo "--- $name"
  "$benchmark" --benchmark_out="$build/bench/$name.json" \
    --benchmark_out_format=json || failed=1
done
exit $failed
