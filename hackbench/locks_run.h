// SPDX-License-Identifier: MIT
// The measurements behind `hackbench locks`. All locks in turn, round by round,
// so that drift of the machine meets them alike.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "hackbench/locks_options.h"

namespace hackbench {

// Median and quartiles of samples.
class Samples {
 public:
  void Add(double value) { values_.push_back(value); }
  bool empty() const { return values_.empty(); }
  size_t size() const { return values_.size(); }
  double Median() const { return Quantile(0.5); }
  double Min() const { return Quantile(0); }
  double HalfSpread() const { return (Quantile(0.75) - Quantile(0.25)) / 2; }

 private:
  double Quantile(double share) const;

  std::vector<double> values_;
};

struct UncontendedRow {
  const LockEntry* lock = nullptr;
  Samples tight_ns;   // Lock and unlock, one after the other.
  Samples spaced_ns;  // What they add to a loop with other work between.
};

struct ContendedRow {
  const LockEntry* lock = nullptr;
  Samples ns;  // Per acquisition of either side.
  Samples jain;
  uint64_t longest_wait_ns = 0;
  uint64_t most_bypasses = 0;
  sync::LockEvents events;
};

struct ContendedTable {
  std::vector<ContendedRow> rows;
  Samples round_trip_ns;  // One cache line, there and back.
  std::vector<int> cpus;
};

struct LadderRow {
  const LockEntry* lock = nullptr;
  uint32_t tasks = 0;
  bool processes = false;
  uint32_t runs = 0;
  uint32_t completed = 0;
  Samples wall_s;  // Of the runs that completed.
  Samples cpu_s;
  Samples switches;
  double worst_share_done = 1;  // Of the messages, over all runs.
  uint64_t wrong = 0;           // Messages lost, repeated or misplaced.
  std::string trouble;          // Of the first run that did not complete.
  sync::LockEvents events;
};

std::vector<UncontendedRow> MeasureUncontended(const LocksOptions& options);

// FailedPrecondition when this process may use one CPU only.
absl::StatusOr<ContendedTable> MeasureContended(const LocksOptions& options,
                                                bool readers);

absl::StatusOr<std::vector<LadderRow>> MeasureLadder(
    const LocksOptions& options);

}  // namespace hackbench
