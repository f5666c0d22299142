// SPDX-License-Identifier: MIT
// Every variant of atomic_list.h in its two isolated loops, one row each.
// `hackbench atomics` says more; this one compares two builds.
#include <benchmark/benchmark.h>

#include <string>

#include "atomics/atomic_list.h"

namespace hackbench::atomics {
namespace {

void RunVariant(benchmark::State& state, Loop loop) {
  Bench bench;
  for (auto unused : state) {
    static_cast<void>(unused);
    loop(bench, kOpsPerSample);
  }
  state.SetItemsProcessed(state.iterations() * kOpsPerSample);
}

void RegisterVariants() {
  for (const VariantEntry& variant : kAtomicList) {
    if (!variant.why_not().empty()) continue;
    const std::string name(variant.name);
    benchmark::RegisterBenchmark((name + "/latency").c_str(), RunVariant,
                                 variant.latency);
    benchmark::RegisterBenchmark((name + "/throughput").c_str(), RunVariant,
                                 variant.throughput);
  }
}

}  // namespace
}  // namespace hackbench::atomics

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  hackbench::atomics::RegisterVariants();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
