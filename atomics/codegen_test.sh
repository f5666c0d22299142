#!/bin/sh
# SPDX-License-Identifier: MIT
# Reads the disassembly of codegen_sample.o: no LOCK in the local forms and in
# sequences, a LOCK in the shared ones (or the check would prove nothing), and no
# call in any.
# usage: codegen_test.sh OBJDUMP OBJECT
set -eu

objdump=$1
object=$2
listing=$(mktemp)
trap 'rm -f "$listing"' EXIT
"$objdump" -d --no-show-raw-insn "$object" >"$listing"
failures=0

body() {
  awk -v name="<$1>:" '$2 == name { on = 1; next } /^$/ { on = 0 } on' "$listing"
}

fail() {
  echo "codegen: $1 $2:" >&2
  body "$1" >&2
  failures=$((failures + 1))
}

functions=$(awk '/^[0-9a-f]+ <(local|shared|rseq)_/ {
  gsub(/[<>:]/, "", $2); print $2 }' "$listing")
[ -n "$functions" ] || { echo "codegen: no functions in $object" >&2; exit 1; }

for function in $functions; do
  if body "$function" | grep -Eq '[[:space:]](call|callq|bl|blr|jal|jalr)[[:space:]]'; then
    fail "$function" "calls"
  fi
  case $function in
    shared_*)
      body "$function" | grep -q 'lock cmpxchg' ||
        grep -q 'elf64-x86-64' "$listing" || continue
      body "$function" | grep -q 'lock cmpxchg' || fail "$function" "has no LOCK"
      ;;
    *)
      if body "$function" | grep -Eq '[[:space:]]lock[[:space:]]|[[:space:]]xchg[[:space:]].*\('; then
        fail "$function" "locks"
      fi
      ;;
  esac
done

exit "$failures"
