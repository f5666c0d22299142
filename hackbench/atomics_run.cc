// SPDX-License-Identifier: MIT
#include "hackbench/atomics_run.h"

#include <algorithm>

#include "atomics/atomic_list.h"
#include "atomics/pin.h"

namespace hackbench {
namespace {

using atomics::Bench;
using atomics::VariantEntry;

AtomicsRow MakeRow(const VariantEntry& variant) {
  AtomicsRow row;
  row.variant = &variant;
  row.why_not = variant.why_not();
  return row;
}

void SampleRow(AtomicsRow& row, Bench& bench, const std::vector<int>& cpus) {
  if (!row.why_not.empty()) return;
  const VariantEntry& variant = *row.variant;
  row.cells[kLatency].Add(SampleLoop(variant.latency, bench));
  row.cells[kThroughput].Add(SampleLoop(variant.throughput, bench));
  row.cells[kLatencyBehindStore].Add(
      SampleLoop(variant.latency_behind_store, bench));
  row.cells[kThroughputBehindStore].Add(
      SampleLoop(variant.throughput_behind_store, bench));
  if (cpus.size() > 1 && variant.traits.shared) {
    row.cells[kTwoCpus].Add(SampleOnTwoCpus(variant.latency, bench, cpus[1]));
  }
}

}  // namespace

AtomicsTable MeasureAtomics(const AtomicsOptions& options) {
  AtomicsTable table;
  table.repetitions = options.repetitions;
  table.cpus = atomics::AllowedCpus();
  if (table.cpus.size() > 2) table.cpus.resize(2);
  table.overhead = MakeRow(atomics::kAtomicList.front());
  for (const VariantEntry* variant : options.variants) {
    table.rows.push_back(MakeRow(*variant));
  }

  const atomics::PinnedScope pinned(table.cpus.front());
  Bench bench;
  AtomicsTable warm = table;
  SampleRow(warm.overhead, bench, table.cpus);
  for (AtomicsRow& row : warm.rows) SampleRow(row, bench, table.cpus);
  for (int i = 0; i < options.repetitions; ++i) {
    table.core_cycle.Add(atomics::SampleCoreCycle());
    SampleRow(table.overhead, bench, table.cpus);
    for (AtomicsRow& row : table.rows) SampleRow(row, bench, table.cpus);
    if (table.cpus.size() > 1) {
      table.round_trip.Add(atomics::SampleRoundTrip(table.cpus[1]));
    }
  }
  return table;
}

double Figure(const AtomicsTable& table, const AtomicsRow& row, Column column) {
  const double median = row.cells[column].Cycles();
  // Behind a store the pair of both is the figure: the two overlap, so there is
  // nothing that could be taken away. Two CPUs wait for the line, not the loop.
  if (column != kLatency && column != kThroughput) return median;
  return std::max(0.0, median - table.overhead.cells[column].Cycles());
}

bool IsNoise(const AtomicsTable& table, const AtomicsRow& row, Column column) {
  const bool memory =
      column == kLatencyBehindStore || column == kThroughputBehindStore;
  return row.cells[column].IsNoise(
      Figure(table, row, column),
      memory ? atomics::Cell::kMemorySpreadBound : atomics::Cell::kSpreadBound);
}

}  // namespace hackbench
