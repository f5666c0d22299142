// SPDX-License-Identifier: MIT
// The measurement behind `hackbench atomics`: every chosen variant in every
// loop, in turn, round by round.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "hackbench/atomics_options.h"

namespace hackbench {

enum Column {
  kLatency,
  kThroughput,
  kLatencyBehindStore,
  kThroughputBehindStore,
  kTwoCpus,
  kNumColumns
};

struct AtomicsRow {
  const atomics::VariantEntry* variant = nullptr;
  std::string why_not;  // The row has no cells then.
  std::array<atomics::Cell, kNumColumns> cells;
};

struct AtomicsTable {
  AtomicsRow overhead;  // The loop alone; subtracted from the isolated columns.
  std::vector<AtomicsRow> rows;
  atomics::Cell round_trip;  // One cache line, there and back.
  atomics::Cell core_cycle;  // Counter cycles per core cycle; may be empty.
  std::vector<int> cpus;     // One or two; the first does the measuring.
  int repetitions = 0;
};

AtomicsTable MeasureAtomics(const AtomicsOptions& options);

// What --list says of this CPU beside its features.
struct CpuFacts {
  double counter_hz = 0;
  bool counter_hz_is_stated = false;  // By the CPU; else calibrated.
  atomics::Cell relax;                // One pause hint.
  std::string why_no_core_cycles;     // Of perf_event; empty when it counts.
};
CpuFacts MeasureCpuFacts();

// What is printed: the median, less the loop in the isolated columns.
double Figure(const AtomicsTable& table, const AtomicsRow& row, Column column);

// Whether its samples are too far apart for a figure.
bool IsNoise(const AtomicsTable& table, const AtomicsRow& row, Column column);

}  // namespace hackbench
