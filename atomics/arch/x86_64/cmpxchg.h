// SPDX-License-Identifier: MIT
// x86-64: cmpxchg, xchg and fetch_add with LOCK, and without it.
//
// Every locked operation is fully ordered in hardware, so the strengths differ
// only in what the compiler may move. The `Local` forms leave LOCK away: one
// instruction cannot be interrupted half-way, so they are atomic against this
// CPU (signals, preemption) and against nobody else. xchg locks by itself; its
// local form is a loop of plain cmpxchg, as the kernel's this_cpu_xchg is.
#pragma once

#include <string_view>

#include "atomics/order.h"
#include "atomics/word.h"

namespace hackbench::atomics::x86_64 {

struct WordOps {
  static constexpr std::string_view kName = "lock cmpxchg";
  static constexpr bool kCompiled = true;
  static constexpr bool kLocalIsUnlocked = true;
  static constexpr uint64_t kReservedBits = 0;

  static std::string_view WhyNot() { return {}; }

  template <Order kOrder, Word T>
  static bool Cmpxchg(T* word, T& expected, T desired) {
    return __atomic_compare_exchange(word, &expected, &desired, false,
                                     BuiltinOrder(kOrder), __ATOMIC_RELAXED);
  }

  template <Order kOrder, Word T>
  static T Xchg(T* word, T value) {
    T old;
    __atomic_exchange(word, &value, &old, BuiltinOrder(kOrder));
    return old;
  }

  template <Order kOrder, std::integral T>
  static T FetchAdd(T* word, T delta) {
    return __atomic_fetch_add(word, delta, BuiltinOrder(kOrder));
  }

  // "memory": a signal handler on this CPU is the other party, and for it
  // program order must be what the source says.
  template <Word T>
  static bool CmpxchgLocal(T* word, T& expected, T desired) {
    bool equal;
    asm volatile("cmpxchg %[desired], %[word]"
                 : "=@ccz"(equal), [word] "+m"(*word), "+a"(expected)
                 : [desired] "q"(desired)
                 : "memory");
    return equal;
  }

  template <Word T>
  static T XchgLocal(T* word, T value) {
    T old = *const_cast<const volatile T*>(word);
    while (!CmpxchgLocal(word, old, value)) {
    }
    return old;
  }

  template <std::integral T>
  static T FetchAddLocal(T* word, T delta) {
    asm volatile("xadd %[delta], %[word]"
                 : [word] "+m"(*word), [delta] "+q"(delta)
                 :
                 : "memory", "cc");
    return delta;
  }
};

using InstructionOps = WordOps;

struct LoadLinkedOps {
  static constexpr bool kCompiled = false;
  static std::string_view WhyNot() {
    return "x86-64 has no load-linked/store-conditional";
  }
};

}  // namespace hackbench::atomics::x86_64
