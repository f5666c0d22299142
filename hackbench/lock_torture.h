// SPDX-License-Identifier: MIT
// Random holds under a lock for some seconds, in the manner of locktorture:
// short holds, now and then a long one or one that gives its CPU away, and
// pauses of everybody; exclusion is checked at every hold.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "hackbench/locks_options.h"

namespace hackbench {

struct TortureRow {
  const LockEntry* lock = nullptr;
  bool processes = false;
  uint32_t tasks = 0;
  uint64_t grants = 0;
  uint64_t most = 0;  // Of one task.
  uint64_t least = 0;
  uint64_t violations = 0;  // Holds that were not alone, or went uncounted.
  std::string trouble;      // Death or deadline.
  sync::LockEvents events;

  bool Passed() const { return violations == 0 && trouble.empty(); }
};

absl::StatusOr<std::vector<TortureRow>> TortureLocks(
    const LocksOptions& options);

// One line per row, as locktorture prints its own.
std::string FormatTorture(const std::vector<TortureRow>& rows);

}  // namespace hackbench
