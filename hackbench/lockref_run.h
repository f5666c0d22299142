// SPDX-License-Identifier: MIT
// The measurement behind `hackbench lockref`: tasks that look one path up in a
// directory cache of ours, and count references in every way of
// refcount_list.h, in turn, round by round.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hackbench {

struct LockrefOptions {
  std::vector<std::string> counts;  // Names; empty: all.
  std::vector<uint32_t> tasks = {1, 2, 16};
  bool empty_walk = true;  // get and put, nothing else.
  bool realistic_walk = true;
  bool processes = false;
  int64_t walk_ns = 250;  // Of the realistic walk, roughly.
  int64_t sample_ms = 20;
  uint32_t repetitions = 31;
  bool json = false;
  bool list = false;
  bool help = false;
};

struct RefcountRow {
  std::string_view name;
  std::string_view twin;
  bool adaptive = true;
  std::vector<double> loops_per_s;  // One per round.
};

struct RefcountTable {
  uint32_t tasks = 0;
  bool realistic = false;
  bool pinned = false;
  int steps = 0;  // Of other work per path component.
  std::vector<RefcountRow> rows;
};

// Of the rounds' ratios: their median, and the order statistics that enclose
// the true one with 95 %.
struct PairedRatio {
  double median = 0;
  double low = 0;
  double high = 0;
};
PairedRatio CompareRounds(std::span<const double> these,
                          std::span<const double> those);

absl::StatusOr<std::vector<RefcountTable>> MeasureLockref(
    const LockrefOptions& options);

}  // namespace hackbench
