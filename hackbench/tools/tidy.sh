#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# clang-tidy over what changed since the merge base with origin/main (over the
# last ten commits where there is nothing since), or over everything with
# TIDY=all. A file with heavy headers takes a minute, so a clean verdict is kept
# under build/tidy until the file or a header of ours that it includes changes,
# and after TIDY_SECONDS no further file is begun.
# Usage: tidy.sh BUILD, a tree that clang has built with Ninja.
set -euo pipefail
export BUILD=$1
export VERDICTS=build/tidy
export DEADLINE=$((EPOCHSECONDS + ${TIDY_SECONDS:-300}))
folders=(atomics sync alloc hackbench results)

sources() { find "${folders[@]}" -name '*.cc' 2>/dev/null; }

changed() {
  local base
  base=$(git merge-base HEAD origin/main 2>/dev/null || true)
  if [[ -z $base || $base == "$(git rev-parse HEAD)" ]]; then
    base=$(git rev-list --first-parent -n 11 HEAD | tail -n 1)
  fi
  git diff --name-only "$base" -- "${folders[@]}"
  git ls-files --others --exclude-standard -- "${folders[@]}"
}

# A header is looked at through one source: its own, its test, or any.
source_of() {
  local file=$1
  if [[ $file == *.cc ]]; then
    [[ -e $file ]] && echo "$file"
  elif [[ $file == *.h && -e $file ]]; then
    for file in "${1%.h}.cc" "${1%.h}_test.cc" \
      $(grep -rlF --include='*.cc' "\"$1\"" "${folders[@]}" 2>/dev/null); do
      [[ -e $file ]] && echo "$file" && break
    done
  fi
  return 0
}

wanted() {
  if [[ ${TIDY:-} == all ]] || ! git rev-parse HEAD >/dev/null 2>&1; then
    sources
  else
    changed | while IFS= read -r file; do source_of "$file"; done
  fi | sort -u
}

# One line per source of ours: itself, then the headers of ours it includes.
dependencies() {
  ninja -C "$BUILD" -t deps | awk -v root="$PWD/" '
    /^[^ ]/ { if (line) print line; line = "" }
    index($1, root) == 1 && index($1, root "build/") != 1 {
      line = line (line ? " " : "") substr($1, length(root) + 1)
    }
    END { if (line) print line }'
}

# shellcheck disable=SC2317  # called through xargs
check() {
  local inputs verdict output
  inputs=$(grep -m 1 "^$1 " "$VERDICTS/dependencies" || echo "$1")
  # shellcheck disable=SC2086  # a list of file names without blanks
  verdict=$VERDICTS/$(cat .clang-tidy $inputs | sha256sum | cut -d ' ' -f 1)
  [[ -e $verdict ]] && return
  if ((EPOCHSECONDS >= DEADLINE)); then
    echo "$1" >>"$VERDICTS/not_reached"
  elif output=$(clang-tidy-14 --quiet -p "$BUILD" "$1" 2>&1); then
    touch "$verdict"
  else
    echo "$output"
    return 1
  fi
}
export -f check

mkdir -p "$VERDICTS"
: >"$VERDICTS/not_reached"
dependencies >"$VERDICTS/dependencies"
mapfile -t files < <(wanted)
status=0
# shellcheck disable=SC2016
printf '%s\n' "${files[@]}" | xargs -r -P "$(nproc)" -I{} \
  bash -c 'check "$1"' _ {} || status=1
echo "${#files[@]} files, $(wc -l <"$VERDICTS/not_reached") of them not reached"
exit $status
