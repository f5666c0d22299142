// SPDX-License-Identifier: MIT
// Generic backend: what a CPU offers, by the C library alone. Cycles are
// nanoseconds of CLOCK_MONOTONIC, and say so.
#pragma once

#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "atomics/feature.h"

namespace hackbench::atomics::generic {

using Rdpid = NoCpuIdInstruction;
using Rdtscp = NoCpuIdInstruction;

struct Cpu {
  static constexpr std::string_view kName = "generic";
  static constexpr std::string_view kRelaxInstruction = "compiler barrier";
  static constexpr std::string_view kCycleUnit = "ns";
  static constexpr std::string_view kCycleSource = "CLOCK_MONOTONIC";
  static constexpr size_t kCacheLineBytes = 64;

  static void Relax() { std::atomic_signal_fence(std::memory_order_seq_cst); }

  static uint64_t ReadCycles() {
    return static_cast<uint64_t>(
        std::chrono::steady_clock::now().time_since_epoch() /
        std::chrono::nanoseconds(1));
  }
  static uint64_t CycleHz() { return 1'000'000'000; }

  static void FullFence() { __sync_synchronize(); }
  static void PrefetchForWrite(const void* address) {
    __builtin_prefetch(address, /*rw=*/1);
  }

  // A hint: the caller may have moved before it looks at the answer.
  static uint32_t CurrentCpu() {
    const int cpu = sched_getcpu();
    return cpu < 0 ? 0 : static_cast<uint32_t>(cpu);
  }

  // Ends a chain of `adds` dependent additions, one core cycle each; 0 where a
  // compiler might fold them.
  static constexpr int kChainAdds = 0;
  static uint64_t AddChain(uint64_t value) { return value; }

  // No flags register that user code saves as an interrupt-off section would.
  static constexpr bool kHasFlags = false;
  static uint64_t SaveFlags() { return 0; }
  static void RestoreFlags(uint64_t) {}

  static std::vector<Feature> Features() {
    return {{"assembly", false, "compiler builtins only"}};
  }
};

}  // namespace hackbench::atomics::generic
