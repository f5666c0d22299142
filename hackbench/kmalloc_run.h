// SPDX-License-Identifier: MIT
// The measurement behind `hackbench kmalloc`: every engine and peer in every
// loop, in turn, round by round.
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <vector>

#include "hackbench/kmalloc_options.h"
#include "hackbench/kmalloc_peers.h"

namespace hackbench {

// One figure: what each round saw, in cycles per call.
class KmallocSeries {
 public:
  void Add(double cycles) { rounds_.push_back(cycles); }
  [[nodiscard]] bool empty() const { return rounds_.empty(); }
  [[nodiscard]] size_t size() const { return rounds_.size(); }
  // 0 is the minimum, 0.5 the median.
  [[nodiscard]] double Quantile(double share) const;
  [[nodiscard]] double Min() const { return Quantile(0); }

 private:
  std::vector<double> rounds_;
};

struct KmallocRow {
  std::string name;
  bool is_peer = false;
  std::string_view irq_model;
  KmallocTestEntry test;
  alloc::Form form = alloc::Form::kInline;
  bool touch = false;
  size_t bytes = 0;
  // Refused: the arena is too small for the loop. The row has no figures then.
  bool refused = false;
  KmallocSeries alloc;  // Empty where the test times both as one.
  KmallocSeries free;
  KmallocSeries total;  // One allocation and one free.
};

struct KmallocTable {
  KmallocOptions options;
  std::vector<int> cpus;  // The first does the measuring.
  std::vector<KmallocRow> rows;
  std::vector<std::string> notes;  // What was left out, and why.
  std::string arena;
};

// Fails when an engine's books do not balance afterwards.
absl::StatusOr<KmallocTable> MeasureKmalloc(const KmallocOptions& options,
                                            std::span<const LoadedPeer> peers);

}  // namespace hackbench
