// SPDX-License-Identifier: MIT
// arm64: yield, the generic timer, fences, the current CPU, and what HWCAP
// admits to. The timer counts at a constant rate (often 25 to 100 MHz), not in
// core cycles; core cycles need perf_event.
#pragma once

#include <sched.h>
#include <sys/auxv.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "atomics/feature.h"

namespace hackbench::atomics::arm64 {

inline bool HasHwcap(int bit) { return (getauxval(AT_HWCAP) >> bit & 1) != 0; }
inline bool HasLse() { return HasHwcap(8); }
inline bool HasLse2() { return HasHwcap(25); }

inline std::string_view WhyNoLse() {
  if (HasLse()) return {};
  return "this CPU has no LSE atomics (HWCAP bit 8)";
}

// Written before main() and by ForceLse; load-linked until then, which every
// arm64 CPU has.
inline bool use_lse = HasLse();
inline bool UseLse() { return use_lse; }

// For A/B runs, before the first task starts. False when it cannot be.
inline bool ForceLse(bool on) {
  if (on && !HasLse()) return false;
  use_lse = on;
  return true;
}

using Rdpid = NoCpuIdInstruction;
using Rdtscp = NoCpuIdInstruction;

struct Cpu {
  static constexpr std::string_view kName = "arm64";
  static constexpr std::string_view kRelaxInstruction = "yield";
  static constexpr std::string_view kCycleUnit = "timer cycles";
  static constexpr std::string_view kCycleSource = "isb; cntvct_el0";
  static constexpr size_t kCacheLineBytes = 64;

  static void Relax() { asm volatile("yield"); }

  // isb: the counter may otherwise be read ahead of the measured instructions.
  static uint64_t ReadCycles() {
    uint64_t count;
    asm volatile("isb\n mrs %[count], cntvct_el0\n isb"
                 : [count] "=r"(count)
                 :
                 : "memory");
    return count;
  }
  static uint64_t CycleHz() {
    uint64_t hz;
    asm volatile("mrs %[hz], cntfrq_el0" : [hz] "=r"(hz));
    return hz;
  }

  static void FullFence() { asm volatile("dmb ish" ::: "memory"); }
  static void PrefetchForWrite(const void* address) {
    __builtin_prefetch(address, /*rw=*/1);
  }

  // A hint: the caller may have moved before it looks at the answer.
  static uint32_t CurrentCpu() {
    const int cpu = sched_getcpu();
    return cpu < 0 ? 0 : static_cast<uint32_t>(cpu);
  }

  static constexpr int kChainAdds = 16;
  static uint64_t AddChain(uint64_t value) {
    asm volatile(".rept 16\n add %[value], %[value], %[value]\n .endr"
                 : [value] "+r"(value));
    return value;
  }

  // No flags register that user code saves as an interrupt-off section would.
  static constexpr bool kHasFlags = false;
  static uint64_t SaveFlags() { return 0; }
  static void RestoreFlags(uint64_t) {}

  static std::vector<Feature> Features() {
    return {
        {"LSE", HasLse(), "HWCAP bit 8: cas, casp, swp, ldadd"},
        {"LSE2", HasLse2(), "HWCAP bit 25: aligned 16-byte loads are atomic"},
    };
  }
};

}  // namespace hackbench::atomics::arm64
