// SPDX-License-Identifier: MIT
// x86-64: cmpxchg16b, with and without LOCK.
//
// The memory operand is the whole DoubleWord: told about eight bytes only, the
// compiler keeps the other eight in a register across the exchange.
#pragma once

#include <string_view>

#include "atomics/arch/x86_64/cpu.h"
#include "atomics/order.h"
#include "atomics/word.h"

namespace hackbench::atomics::x86_64 {

struct DoubleOps {
  static constexpr std::string_view kName = "lock cmpxchg16b";
  static constexpr bool kCompiled = true;
  static constexpr bool kLocalIsUnlocked = true;
  static constexpr uint64_t kReservedSecondBits = 0;

  static std::string_view WhyNot() {
    if (HasCmpxchg16b()) return {};
    return "this CPU has no cmpxchg16b (CPUID 1, ECX bit 13)";
  }

  template <Order kOrder>
  static bool Cmpxchg(DoubleWord* word, DoubleWord expected,
                      DoubleWord desired) {
    bool equal;
    asm volatile("lock cmpxchg16b %[word]"
                 : "=@ccz"(equal), [word] "+m"(*word), "+a"(expected.first),
                   "+d"(expected.second)
                 : "b"(desired.first), "c"(desired.second)
                 : "memory");
    return equal;
  }

  static bool CmpxchgLocal(DoubleWord* word, DoubleWord expected,
                           DoubleWord desired) {
    bool equal;
    asm volatile("cmpxchg16b %[word]"
                 : "=@ccz"(equal), [word] "+m"(*word), "+a"(expected.first),
                   "+d"(expected.second)
                 : "b"(desired.first), "c"(desired.second)
                 : "memory");
    return equal;
  }

  static DoubleWord Load(const DoubleWord* word) { return LoadTorn(word); }
};

using DoubleInstructionOps = DoubleOps;

struct DoubleLoadLinkedOps {
  static constexpr bool kCompiled = false;
  static std::string_view WhyNot() {
    return "x86-64 has no load-linked/store-conditional";
  }
};

}  // namespace hackbench::atomics::x86_64
