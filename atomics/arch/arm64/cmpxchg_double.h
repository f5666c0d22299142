// SPDX-License-Identifier: MIT
// arm64: sixteen bytes compared and exchanged by ldxp/stxp and by LSE casp,
// chosen at run time.
//
// Without LSE2 a ldxp whose stxp never ran may have seen a torn pair. That is
// harmless for a function that says only yes or no, which is why this one does;
// the caller reloads. The whole DoubleWord is the memory operand, so that no
// half of it stays in a register.
#pragma once

#include <string_view>

#include "atomics/arch/arm64/cpu.h"
#include "atomics/order.h"
#include "atomics/word.h"

namespace hackbench::atomics::arm64 {

struct DoubleLoadLinkedOps {
  static constexpr std::string_view kName = "ldxp/stxp";
  static constexpr bool kCompiled = true;
  static constexpr bool kLocalIsUnlocked = false;
  static constexpr uint64_t kReservedSecondBits = 0;

  static std::string_view WhyNot() { return {}; }
  static DoubleWord Load(const DoubleWord* word) { return LoadTorn(word); }

  template <Order kOrder>
  static bool Cmpxchg(DoubleWord* word, DoubleWord expected,
                      DoubleWord desired) {
    bool equal;
    if constexpr (kOrder == Order::kRelaxed) {
      equal = Run<false, false>(word, expected, desired);
    } else if constexpr (kOrder == Order::kAcquire) {
      equal = Run<true, false>(word, expected, desired);
    } else {
      equal = Run<false, true>(word, expected, desired);
    }
    if constexpr (kOrder == Order::kFull) Cpu::FullFence();
    return equal;
  }

 private:
  template <bool kAcquire, bool kRelease>
  static bool Run(DoubleWord* word, DoubleWord expected, DoubleWord desired) {
    uint64_t first;
    uint64_t second;
    uint32_t failed;
    bool equal;
#define HACKBENCH_LDXP_STXP(A, L)                                             \
  asm volatile(                                                               \
      "   prfm pstl1strm, %[word]\n"                                          \
      "1: ld" A                                                               \
      "xp %[first], %[second], %[word]\n"                                     \
      "   cmp %[first], %[expected_first]\n"                                  \
      "   ccmp %[second], %[expected_second], #0, eq\n"                       \
      "   b.ne 2f\n"                                                          \
      "   st" L                                                               \
      "xp %w[failed], %[desired_first], "                                     \
      "%[desired_second], %[word]\n"                                          \
      "   cbnz %w[failed], 1b\n"                                              \
      "2: cset %w[equal], eq"                                                 \
      : [first] "=&r"(first), [second] "=&r"(second), [failed] "=&r"(failed), \
        [equal] "=r"(equal), [word] "+Q"(*word)                               \
      : [expected_first] "r"(expected.first),                                 \
        [expected_second] "r"(expected.second),                               \
        [desired_first] "r"(desired.first),                                   \
        [desired_second] "r"(desired.second)                                  \
      : "memory", "cc")
    if constexpr (kAcquire) {
      HACKBENCH_LDXP_STXP("a", "");
    } else if constexpr (kRelease) {
      HACKBENCH_LDXP_STXP("", "l");
    } else {
      HACKBENCH_LDXP_STXP("", "");
    }
#undef HACKBENCH_LDXP_STXP
    return equal;
  }
};

struct DoubleInstructionOps {
  static constexpr std::string_view kName = "LSE casp";
  static constexpr bool kCompiled = true;
  static constexpr bool kLocalIsUnlocked = false;
  static constexpr uint64_t kReservedSecondBits = 0;

  static std::string_view WhyNot() { return WhyNoLse(); }
  static DoubleWord Load(const DoubleWord* word) { return LoadTorn(word); }

  template <Order kOrder>
  static bool Cmpxchg(DoubleWord* word, DoubleWord expected,
                      DoubleWord desired) {
    // casp wants two consecutive registers from an even one.
    register uint64_t old_first asm("x0") = expected.first;
    register uint64_t old_second asm("x1") = expected.second;
    register uint64_t new_first asm("x2") = desired.first;
    register uint64_t new_second asm("x3") = desired.second;
#define HACKBENCH_CASP(ORDER)                                       \
  asm volatile(                                                     \
      ".arch_extension lse\n"                                       \
      "casp" ORDER                                                  \
      " %[old_first], %[old_second], %[new_first], %[new_second]"   \
      ", %[word]"                                                   \
      : [old_first] "+r"(old_first), [old_second] "+r"(old_second), \
        [word] "+Q"(*word)                                          \
      : [new_first] "r"(new_first), [new_second] "r"(new_second)    \
      : "memory")
    if constexpr (kOrder == Order::kRelaxed) {
      HACKBENCH_CASP("");
    } else if constexpr (kOrder == Order::kAcquire) {
      HACKBENCH_CASP("a");
    } else if constexpr (kOrder == Order::kRelease) {
      HACKBENCH_CASP("l");
    } else {
      HACKBENCH_CASP("al");
    }
#undef HACKBENCH_CASP
    return old_first == expected.first && old_second == expected.second;
  }
};

// One predicted branch per operation; code that cares names one of the above.
struct DoubleOps {
  static constexpr std::string_view kName = "casp or ldxp/stxp, by HWCAP";
  static constexpr bool kCompiled = true;
  static constexpr bool kLocalIsUnlocked = false;
  static constexpr uint64_t kReservedSecondBits = 0;

  static std::string_view WhyNot() { return {}; }
  static DoubleWord Load(const DoubleWord* word) { return LoadTorn(word); }

  template <Order kOrder>
  static bool Cmpxchg(DoubleWord* word, DoubleWord expected,
                      DoubleWord desired) {
    return UseLse()
               ? DoubleInstructionOps::Cmpxchg<kOrder>(word, expected, desired)
               : DoubleLoadLinkedOps::Cmpxchg<kOrder>(word, expected, desired);
  }
};

}  // namespace hackbench::atomics::arm64
