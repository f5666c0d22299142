// SPDX-License-Identifier: MIT
// x86-64: pause, the time stamp counter, fences, the current CPU, and what
// CPUID admits to. The TSC counts at a constant rate, not in core cycles.
#pragma once

#include <cpuid.h>
#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "atomics/feature.h"

namespace hackbench::atomics::x86_64 {

struct Cpuid {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;

  explicit Cpuid(unsigned leaf) { __get_cpuid_count(leaf, 0, &a, &b, &c, &d); }
};

inline bool HasCmpxchg16b() { return (Cpuid(1).c >> 13 & 1) != 0; }
inline bool HasRdpid() { return (Cpuid(7).c >> 22 & 1) != 0; }
inline bool HasRdtscp() { return (Cpuid(0x80000001).d >> 27 & 1) != 0; }
inline bool HasInvariantTsc() { return (Cpuid(0x80000007).d >> 8 & 1) != 0; }

// Both read what the kernel put into TSC_AUX: node << 12 | cpu.
struct Rdpid {
  static std::string_view WhyNot() {
    return HasRdpid() ? "" : "this CPU has no rdpid (CPUID 7, ECX bit 22)";
  }
  static uint32_t Read() {
    uint64_t aux;
    // rdpid %rax, spelled in bytes for assemblers that lack it.
    asm volatile(".byte 0xf3, 0x0f, 0xc7, 0xf8" : "=a"(aux));
    return static_cast<uint32_t>(aux) & 0xfff;
  }
};
struct Rdtscp {
  static std::string_view WhyNot() {
    return HasRdtscp()
               ? ""
               : "this CPU has no rdtscp (CPUID 0x80000001, EDX bit 27)";
  }
  static uint32_t Read() {
    uint32_t aux;
    asm volatile("rdtscp" : "=c"(aux) : : "eax", "edx");
    return aux & 0xfff;
  }
};

// Set before main(); until then sched_getcpu() answers, which is right too.
inline const bool kUseRdpid = HasRdpid();

struct Cpu {
  static constexpr std::string_view kName = "x86-64";
  static constexpr std::string_view kRelaxInstruction = "pause";
  static constexpr std::string_view kCycleUnit = "TSC cycles";
  static constexpr std::string_view kCycleSource = "lfence; rdtsc; lfence";
  static constexpr size_t kCacheLineBytes = 64;

  static void Relax() { asm volatile("pause"); }

  // The fences keep the measured instructions on their side of the reading.
  static uint64_t ReadCycles() {
    uint32_t low;
    uint32_t high;
    asm volatile("lfence\n rdtsc\n lfence"
                 : "=a"(low), "=d"(high)
                 :
                 : "memory");
    return static_cast<uint64_t>(high) << 32 | low;
  }

  // CPUID 0x15 where it is filled in; 0 tells the caller to calibrate.
  static uint64_t CycleHz() {
    const Cpuid clock(0x15);
    if (clock.a == 0 || clock.b == 0) return 0;
    return uint64_t{clock.c} * clock.b / clock.a;
  }

  static void FullFence() { asm volatile("mfence" ::: "memory"); }
  static void PrefetchForWrite(const void* address) {
    __builtin_prefetch(address, /*rw=*/1);
  }

  // A hint: the caller may have moved before it looks at the answer.
  static uint32_t CurrentCpu() {
    return kUseRdpid ? Rdpid::Read() : CpuByLibrary();
  }
  static uint32_t CpuByLibrary() {
    const int cpu = sched_getcpu();
    return cpu < 0 ? 0 : static_cast<uint32_t>(cpu);
  }

  // Dependent additions of a register to itself: one core cycle each, and not
  // folded by renaming as additions of a constant are.
  static constexpr int kChainAdds = 16;
  static uint64_t AddChain(uint64_t value) {
    asm volatile(".rept %c[adds]\n add %[value], %[value]\n .endr"
                 : [value] "+r"(value)
                 : [adds] "i"(kChainAdds)
                 : "cc");
    return value;
  }

  // What local_irq_save() and local_irq_restore() execute, less cli and sti,
  // which user code may not. The stack pointer steps over the red zone.
  static constexpr bool kHasFlags = true;
  static uint64_t SaveFlags() {
    uint64_t flags;
    asm volatile(
        "lea -128(%%rsp), %%rsp\n"
        "pushfq\n"
        "pop %[flags]\n"
        "lea 128(%%rsp), %%rsp"
        : [flags] "=r"(flags)
        :
        : "memory");
    return flags;
  }
  static void RestoreFlags(uint64_t flags) {
    asm volatile(
        "lea -128(%%rsp), %%rsp\n"
        "push %[flags]\n"
        "popfq\n"
        "lea 128(%%rsp), %%rsp"
        :
        : [flags] "r"(flags)
        : "memory", "cc");
  }

  static std::vector<Feature> Features() {
    return {
        {"cmpxchg16b", HasCmpxchg16b(), "CPUID 1, ECX bit 13"},
        {"rdtscp", HasRdtscp(), "CPUID 0x80000001, EDX bit 27"},
        {"rdpid", HasRdpid(), "CPUID 7, ECX bit 22"},
        {"invariant TSC", HasInvariantTsc(), "CPUID 0x80000007, EDX bit 8"},
    };
  }
};

}  // namespace hackbench::atomics::x86_64
