#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The commands locks, lockref, pathwalk and size from the outside: what they
# print, what they refuse, their exit codes, and that no task is left.
# Usage: lock_commands_test.sh BUILD_DIR
set -euo pipefail
program=$1/bin/hackbench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# expect CODE WORDS...: runs it, keeps its streams in $out and $err.
expect() {
  local code=$1 got=0
  shift
  TMPDIR=$work "$program" "$@" >"$work/out" 2>"$work/err" || got=$?
  out=$(<"$work/out")
  err=$(<"$work/err")
  [[ $got == "$code" ]] || complain "exit code $got, not $code" "$@"
  if pgrep -P $$ -x hackbench >/dev/null; then complain "left a task" "$@"; fi
}
complain() {
  echo "hackbench ${*:2}: $1" >&2
  sed 's/^/  /' "$work/out" "$work/err" >&2
  failed=1
}
# says TEXT WHERE PATTERN
says() { grep -qE -- "$2" <<<"$1" || complain "does not say '$2'" "$3"; }

for command in locks lockref pathwalk size; do
  expect 0 "$command" --help
  says "$out" '^hackbench '"$command" "$command"
  expect 0 "$command" --list
  [[ -n $out && -z $err ]] || complain "list" "$command"
  expect 2 "$command" --nonsense
  says "$err" '--help' "$command"
  expect 2 "$command" stray
done

expect 0 locks --list
for lock in none busted tas ttas ticket ticket8 mcs clh queued queued-inline \
  queued-word pv-queued pv-queued-steal hybrid robust resilient qrw \
  qrw-adaptive cna shuffle pthread-spin pthread-mutex pthread-adaptive \
  pthread-robust pthread-pi std-mutex absl-mutex; do
  says "$out" "^$lock +[0-9]+ bytes" "locks --list"
done
expect 2 locks --lock tiket
says "$err" "did you mean 'ticket'" "locks --lock tiket"
for words in "--tasks 41" "--tasks 0" "--messages 1e3" "--spin -1" "--mode rww"; do
  # shellcheck disable=SC2086  # words
  expect 2 locks $words
done

expect 0 locks --mode uncontended --repetitions 1 --spin 0
says "$out" '^hybrid +[0-9.]+ ' uncontended
expect 0 locks --mode uncontended --lock hybrid,ticket --repetitions 1 --json
says "$out" '"tight_ns"' json
if [[ $(nproc) -gt 1 ]]; then
  expect 0 locks --mode contended,rw --lock hybrid,qrw-adaptive --repetitions 1
  says "$out" 'goes there and back in [0-9]+' contended
fi
expect 0 locks --mode oversubscribed --tasks 40 --lock hybrid,std-mutex,robust \
  --messages 8000 --repetitions 1 --deadline 60
says "$out" '^hybrid +40 thread +1/1' ladder
says "$out" '^hybrid +40 process +1/1' ladder
says "$out" '^robust +40 process +1/1' ladder
grep -q '^std-mutex .* process' <<<"$out" && complain "std-mutex as process"
expect 0 locks --torture 1 --lock hybrid
says "$out" '^hybrid-torture: 8 threads: Writes: Total: [0-9]+ .*Fail: 0$' torture
expect 1 locks --torture 1 --lock busted
says "$out" '^busted-torture: .*!!!' "torture of busted"

expect 0 lockref --tasks 1,2 --repetitions 2 --sample-ms 2
says "$out" '^  ticket-cmpxchg .* x ticket-locked' lockref
expect 0 lockref --workers process --walk empty --tasks 2 --repetitions 1 \
  --sample-ms 2 --json
says "$out" '"loops_per_s"' lockref
expect 2 lockref --count ticket-lokced
says "$err" "did you mean 'ticket-locked'" lockref

for words in "--op stat" "--op mixed --path separate --workers process"; do
  # shellcheck disable=SC2086  # words
  expect 0 pathwalk $words --seconds 1 --tasks 2
  says "$out" '^Total loops: [1-9][0-9]*$' pathwalk
done
[[ -z $(find "$work" -name 'hackbench-pathwalk-*') ]] ||
  complain "left its directory" pathwalk

expect 0 size
says "$out" '^hz	preempt	lock	text	data	bss	dec$' size
[[ $(grep -c '^-	' <<<"$out") -ge 9 ]] || complain "cells are missing" size
grep -q DIFFERS <<<"$out" && complain "a sign differs" size
exit $failed
