#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every lock with every allocator in the user plane: 10 groups, every message
# verified, the audit clean. A cell that the lists say cannot be must be refused
# before it starts. Modes and transports take turns from cell to cell; with
# `full` each cell runs in all of them.
# Usage: user_matrix_test.sh BUILD_DIR [full]
set -euo pipefail
program=$1/bin/hackbench
full=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A name and what stands in brackets at the end of its line.
list() { "$program" --list "$1" | sed -E 's/^([^ ]+) .*[^]]$/\1|/; s/^([^ ]+) .*\[(.*)\]$/\1|\2/'; }

ways=("-P socketpair" "-T pipe" "-P futex" "-T socketpair" "-P pipe" "-T futex")
cells=0 refused=0 failed=0

# run LOCK LOCK_TRAITS ALLOC ALLOC_TRAITS MODE TRANSPORT
run() {
  local expected=0 got=0 fds=2
  [[ $2 == *"not for runs"* || $4 == *"not for runs"* || $4 == *"not here"* ]] && expected=2
  [[ $5 == -P && "$2 $4" == *"threads only"* ]] && expected=2
  if [[ $2 == *"no lock"* ]]; then
    fds=1
    [[ $6 == pipe ]] && expected=2
  fi
  "$program" run -g 10 -f $fds -l 20 "$5" --transport "$6" --lock "$1" \
    --alloc "$3" --log-level error --timeout 60 >"$work/out" 2>"$work/err" || got=$?
  cells=$((cells + 1))
  [[ $expected == 2 ]] && refused=$((refused + 1))
  if [[ $got != "$expected" ]]; then
    echo "--lock $1 --alloc $3 $5 --transport $6: exit code $got, not $expected" >&2
    sed 's/^/  /' "$work/out" "$work/err" >&2
    failed=1
  fi
}

mapfile -t locks < <(list locks)
mapfile -t allocators < <(list allocators)
[[ ${#locks[@]} -gt 20 && ${#allocators[@]} -gt 20 ]] || { echo "the lists are too short" >&2; exit 1; }
turn=0
for lock in "${locks[@]}"; do
  for allocator in "${allocators[@]}"; do
    if [[ $full ]]; then
      chosen=("${ways[@]}")
    else
      chosen=("${ways[turn % ${#ways[@]}]}")
      turn=$((turn + 1))
    fi
    for way in "${chosen[@]}"; do
      run "${lock%%|*}" "${lock#*|}" "${allocator%%|*}" "${allocator#*|}" \
        "${way% *}" "${way#* }"
    done
  done
done
echo "$cells cells, of which $refused were to be refused"
exit $failed
