#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Claims: check_layers.sh acquits every include the design allows and convicts
# each kind of offence, alone in a scratch tree.
set -euo pipefail
tools=$(realpath "$(dirname "$0")")

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failed=0

only_include() {
  rm -rf atomics sync alloc hackbench results
  mkdir -p atomics/arch/arm64 sync alloc hackbench results
  echo "#include $2" >"$1"
}

acquits() {
  only_include "$1" "$2"
  "$tools/check_layers.sh" . || { echo "wrongly convicted: $1 $2" && failed=1; }
}

convicts() {
  only_include "$1" "$2"
  if "$tools/check_layers.sh" . >/dev/null; then
    echo "wrongly acquitted: $1 $2"
    failed=1
  fi
}

acquits atomics/arch.h '"atomics/arch/arm64/cpu.h"'
acquits atomics/arch/arm64/cpu.h '"atomics/arch/generic/cpu.h"'
acquits sync/lock.h '"atomics/arch.h"'
acquits alloc/slab.h '"sync/lock.h"'
acquits hackbench/plan.cc '"alloc/slab.h"'
acquits hackbench/plan.cc '"results/record.h"'
acquits hackbench/ab_command.cc '"results/store.h"'
acquits hackbench/experiment_session.cc '"results/experiment.h"'
acquits hackbench/plan.cc '<absl/status/status.h>'
acquits hackbench/command_line.cc '<boost/program_options.hpp>'
acquits hackbench/store_command.cc '<boost/program_options/parsers.hpp>'
acquits hackbench/log.cc '<spdlog/spdlog.h>'
acquits hackbench/run_test.cc '<nlohmann/json.hpp>'
acquits results/record.cc '<nlohmann/json.hpp>'
acquits results/sqlite.cc '<sqlite3.h>'

convicts atomics/word.h '"sync/lock.h"'
convicts sync/lock.h '"alloc/slab.h"'
convicts sync/lock.h ' "hackbench/plan.h"  // once'
convicts alloc/slab.h '<hackbench/plan.h>'
convicts results/record.cc '"hackbench/plan.h"'
convicts results/record.cc '"atomics/arch.h"'
convicts hackbench/plan.cc '"results/store.h"'
convicts hackbench/plan.cc '"../results/store.h"'
convicts hackbench/plan.cc '"plan.h"'
convicts sync/lock.h '"atomics/arch/arm64/cpu.h"'
convicts hackbench/command_line.h '<boost/program_options.hpp>'
convicts hackbench/plan.cc '<spdlog/spdlog.h>'
convicts results/store.cc '<sqlite3.h>'
convicts hackbench/worker.cc '"results/experiment.h"'
convicts hackbench/plan.cc '<nlohmann/json.hpp>'
convicts results/record.h '<nlohmann/json_fwd.hpp>'
exit $failed
