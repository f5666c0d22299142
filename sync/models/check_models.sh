#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs every model here exhaustively and then every mutant named in it: a model
# must have no error, a mutant must have one. A line per model; the mutants are
# the MUTANT_ names in the models themselves, so none can be forgotten.
# Usage: check_models.sh [MODEL...]
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# errors MODEL [-DMUTANT]: how many errors the whole search finds.
errors() {
  local model=$1 dir
  dir=$(mktemp -d "$work/XXXXXX")
  shift
  (
    cd "$dir"
    spin -a "$@" "$OLDPWD/$model.pml" >spin.log 2>&1 || { cat spin.log >&2; exit 1; }
    gcc -O1 -DSAFETY -DCOLLAPSE -DVECTORSZ=4096 -o pan pan.c
    ./pan -m1000000 >pan.log 2>&1 || true
    if ! grep -q 'errors:' pan.log || grep -q 'search depth too small\|out of memory' pan.log; then
      cat pan.log >&2
      exit 1
    fi
    sed -n 's/.*errors: \([0-9]*\).*/\1/p' pan.log
    sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log >states
  )
}

check() {
  local model=$1 count killed=0 total=0 mutant mutants
  count=$(errors "$model")
  if [[ $count != 0 ]]; then
    echo "$model: the model itself has $count errors" >&2
    failed=1
  fi
  mapfile -t mutants < <(grep -o 'MUTANT_[A-Z_]*' "$model.pml" | sort -u)
  for mutant in "${mutants[@]}"; do
    total=$((total + 1))
    if [[ $(errors "$model" "-D$mutant") == 0 ]]; then
      echo "$model: $mutant survived" >&2
      failed=1
    else
      killed=$((killed + 1))
    fi
  done
  echo "$model: $([[ $count == 0 ]] && echo ok || echo FAILED), $killed of $total mutants killed"
}

models=("$@")
[[ ${#models[@]} -gt 0 ]] || mapfile -t models < <(basename -s .pml -- *.pml)
for model in "${models[@]}"; do check "$model"; done
exit $failed
