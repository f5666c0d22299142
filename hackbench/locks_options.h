// SPDX-License-Identifier: MIT
// The command line of `hackbench locks`.
#pragma once

#include <absl/status/statusor.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hackbench/lock_table.h"
#include "sync/wait_budget.h"

namespace hackbench {

enum class LockMode { kUncontended, kContended, kOversubscribed, kReadWrite };

struct LocksOptions {
  std::vector<const LockEntry*> locks;  // In the order of the list.
  std::vector<LockMode> modes;
  std::vector<uint32_t> tasks = {40, 400, 4000};
  bool threads = true;  // Of the ladder.
  bool processes = true;
  uint32_t repetitions = 5;
  uint32_t messages = 400000;  // In all, per ladder run.
  int64_t deadline_ns = 10'000'000'000;
  int64_t torture_seconds = 0;  // 0: no torture.
  uint64_t seed = 1;
  int64_t spin_ns = sync::kDefaultSpinNs;
  uint32_t yields = 2;
  bool json = false;
  bool list = false;
  bool help = false;
};

// InvalidArgument with a message for people: what was asked, why not, what to
// do.
absl::StatusOr<LocksOptions> ParseLocksOptions(
    std::span<const std::string_view> words);

std::string LocksHelp();

}  // namespace hackbench
