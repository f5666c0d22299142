// SPDX-License-Identifier: MIT
#include "hackbench/atomics_run.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "atomics/atomic_list.h"
#include "atomics/pin.h"
#include "hackbench/system_error.h"

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

// Against CLOCK_MONOTONIC, over a sleep: a counter that stops in idle states
// would show as slow, and is then of no use here.
double CalibrateCounterHz() {
  constexpr std::chrono::milliseconds kSpan(50);
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const uint64_t first = atomics::Cpu::ReadCycles();
  std::this_thread::sleep_for(kSpan);
  const uint64_t last = atomics::Cpu::ReadCycles();
  const std::chrono::duration<double> elapsed = Clock::now() - begin;
  return static_cast<double>(last - first) / elapsed.count();
}

std::string WhyNoCoreCycles() {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof(attributes);
  attributes.config = PERF_COUNT_HW_CPU_CYCLES;
  attributes.exclude_kernel = 1;
  const auto fd = static_cast<int>(syscall(SYS_perf_event_open, &attributes,
                                           /*pid=*/0, /*cpu=*/-1,
                                           /*group_fd=*/-1, /*flags=*/0UL));
  if (fd < 0) {
    return std::string(ErrnoStatus(errno, "perf_event_open").message());
  }
  close(fd);
  return {};
}

}  // namespace

CpuFacts MeasureCpuFacts() {
  CpuFacts facts;
  facts.counter_hz = static_cast<double>(atomics::Cpu::CycleHz());
  facts.counter_hz_is_stated = facts.counter_hz > 0;
  if (!facts.counter_hz_is_stated) facts.counter_hz = CalibrateCounterHz();
  Bench bench;
  constexpr int kSamples = 31;
  for (int i = 0; i < kSamples; ++i) {
    facts.relax.Add(SampleLoop(
        &atomics::RunLoop<atomics::RelaxVariant, atomics::Chain::kIndependent,
                          atomics::Before::kNothing>,
        bench));
  }
  facts.why_no_core_cycles = WhyNoCoreCycles();
  return facts;
}

AtomicsTable MeasureAtomics(const AtomicsOptions& options) {
  AtomicsTable table;
  table.repetitions = options.repetitions;
  table.cpus = options.cpus;
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
