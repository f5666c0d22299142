// SPDX-License-Identifier: MIT
// riscv64: pause, the time counter, fences, the current CPU, and what hwprobe
// admits to. User space may read `time`, a constant-rate counter; newer kernels
// forbid `cycle`.
#pragma once

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

#include "atomics/feature.h"

namespace hackbench::atomics::riscv64 {

// riscv_hwprobe(IMA_EXT_0), bit 34. A kernel without the call, or one that does
// not know the key, means no.
inline bool ProbeZacas() {
  struct Pair {
    int64_t key;
    uint64_t value;
  } pair = {4, 0};
  constexpr long kHwprobe = 258;
  if (syscall(kHwprobe, &pair, 1L, 0L, nullptr, 0L) != 0) return false;
  return pair.key == 4 && (pair.value >> 34 & 1) != 0;
}

inline bool HasZacas() {
  static const bool kHas = ProbeZacas();
  return kHas;
}

inline std::string_view WhyNoZacas() {
  if (HasZacas()) return {};
  return "riscv64 has it with the Zacas extension only, and hwprobe reports "
         "none";
}

using Rdpid = NoCpuIdInstruction;
using Rdtscp = NoCpuIdInstruction;

struct Cpu {
  static constexpr std::string_view kName = "riscv64";
  static constexpr std::string_view kRelaxInstruction = "pause (Zihintpause)";
  static constexpr std::string_view kCycleUnit = "timer cycles";
  static constexpr std::string_view kCycleSource = "rdtime";
  static constexpr size_t kCacheLineBytes = 64;

  // A fence hint: CPUs without Zihintpause run it as a no-op.
  static void Relax() { asm volatile(".4byte 0x0100000f"); }

  static uint64_t ReadCycles() {
    uint64_t count;
    asm volatile("fence\n rdtime %[count]" : [count] "=r"(count) : : "memory");
    return count;
  }

  // The device tree's big-endian cell; 0 tells the caller to calibrate.
  static uint64_t CycleHz() {
    FILE* file = fopen("/proc/device-tree/cpus/timebase-frequency", "re");
    if (file == nullptr) return 0;
    uint32_t cell = 0;
    const size_t cells = fread(&cell, sizeof(cell), 1, file);
    fclose(file);
    return cells == 1 ? __builtin_bswap32(cell) : 0;
  }

  static void FullFence() { asm volatile("fence rw, rw" ::: "memory"); }
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
    return {{"Zacas", HasZacas(), "riscv_hwprobe key 4, bit 34: amocas"}};
  }
};

}  // namespace hackbench::atomics::riscv64
