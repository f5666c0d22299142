// SPDX-License-Identifier: MIT
// What `hackbench locks` prints, as text or JSON.
#pragma once

#include <string>
#include <vector>

#include "hackbench/locks_run.h"

namespace hackbench {

struct LocksReport {
  std::vector<UncontendedRow> uncontended;
  ContendedTable contended;
  ContendedTable shared;
  std::vector<LadderRow> ladder;
};

std::string FormatLocks(const LocksReport& report, const LocksOptions& options);
std::string FormatLockList();

}  // namespace hackbench
