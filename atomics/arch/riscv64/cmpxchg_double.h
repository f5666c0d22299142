// SPDX-License-Identifier: MIT
// riscv64: sixteen bytes by Zacas amocas.q where the kernel reports Zacas.
//
// Without Zacas the architecture has no double-word exchange at all, and
// WhyNot() says so: pack what you need into 64 bits instead.
#pragma once

#include <string_view>

#include "atomics/arch/riscv64/cmpxchg.h"
#include "atomics/arch/riscv64/cpu.h"
#include "atomics/order.h"
#include "atomics/word.h"

namespace hackbench::atomics::riscv64 {

struct DoubleOps {
  static constexpr std::string_view kName = "Zacas amocas.q";
  static constexpr bool kCompiled = true;
  static constexpr bool kLocalIsUnlocked = false;
  static constexpr uint64_t kReservedSecondBits = 0;

  static std::string_view WhyNot() { return WhyNoZacas(); }
  static DoubleWord Load(const DoubleWord* word) { return LoadTorn(word); }

  // Register pairs from an even register; .insn as in cmpxchg.h.
  template <Order kOrder>
  static bool Cmpxchg(DoubleWord* word, DoubleWord expected,
                      DoubleWord desired) {
    FenceBefore<kOrder>();
    register uint64_t old_first asm("a2") = expected.first;
    register uint64_t old_second asm("a3") = expected.second;
    register uint64_t new_first asm("a4") = desired.first;
    register uint64_t new_second asm("a5") = desired.second;
    asm volatile(".insn r 0x2f, 4, 0x14, %[old_first], %[word], %[new_first]"
                 : [old_first] "+&r"(old_first), "+&r"(old_second), "+m"(*word)
                 : [word] "r"(word), [new_first] "r"(new_first), "r"(new_second)
                 : "memory");
    FenceAfter<kOrder>();
    return old_first == expected.first && old_second == expected.second;
  }
};

using DoubleInstructionOps = DoubleOps;

struct DoubleLoadLinkedOps {
  static constexpr bool kCompiled = false;
  static std::string_view WhyNot() {
    return "riscv64 lr/sc reaches eight bytes, not sixteen";
  }
};

}  // namespace hackbench::atomics::riscv64
