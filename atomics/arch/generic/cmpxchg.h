// SPDX-License-Identifier: MIT
// Generic backend: cmpxchg, xchg and fetch_add by the compiler's builtins.
//
// What the compiler would send to libatomic is done here instead: small words
// inside four bytes, eight bytes under a bit lock. There is no unlocked form,
// so local users get the shared one in relaxed order.
#pragma once

#include <string_view>

#include "atomics/bit_lock.h"
#include "atomics/order.h"
#include "atomics/subword.h"
#include "atomics/word.h"

namespace hackbench::atomics::generic {

struct Builtin32 {
  template <Order kOrder>
  static bool Run(Container* word, uint32_t& expected, uint32_t desired) {
    return __atomic_compare_exchange_n(word, &expected, desired, /*weak=*/false,
                                       BuiltinOrder(kOrder), __ATOMIC_RELAXED);
  }
};

struct WordOps {
  static constexpr std::string_view kName = "builtin";
  static constexpr bool kCompiled = true;
  static constexpr bool kLocalIsUnlocked = false;
  template <size_t kSize>
  static constexpr bool kLockFree = __atomic_always_lock_free(kSize, nullptr);
  // Bits of an eight-byte word that its user must leave clear.
  static constexpr uint64_t kReservedBits = kLockFree<8> ? 0 : kBitLock;

  static std::string_view WhyNot() { return {}; }

  template <Order kOrder, Word T>
  static bool Cmpxchg(T* word, T& expected, T desired) {
    if constexpr (kLockFree<sizeof(T)>) {
      return __atomic_compare_exchange(word, &expected, &desired, false,
                                       BuiltinOrder(kOrder), __ATOMIC_RELAXED);
    } else {
      Bits<T> bits = ToBits(expected);
      auto* raw = reinterpret_cast<Bits<T>*>(word);
      bool equal = false;
      if constexpr (sizeof(T) == 8) {
        equal = BitLockedCmpxchg64(raw, bits, ToBits(desired));
      } else {
        equal = SubwordCmpxchg<Builtin32, kOrder>(raw, bits, ToBits(desired));
      }
      expected = FromBits<T>(bits);
      return equal;
    }
  }

  template <Order kOrder, Word T>
  static T Xchg(T* word, T value) {
    if constexpr (kLockFree<sizeof(T)>) {
      T old;
      __atomic_exchange(word, &value, &old, BuiltinOrder(kOrder));
      return old;
    } else {
      T old{};
      while (!Cmpxchg<kOrder>(word, old, value)) {
      }
      return old;
    }
  }

  template <Order kOrder, std::integral T>
  static T FetchAdd(T* word, T delta) {
    if constexpr (kLockFree<sizeof(T)>) {
      return __atomic_fetch_add(word, delta, BuiltinOrder(kOrder));
    } else {
      T old{};
      while (!Cmpxchg<kOrder>(word, old,
                              FromBits<T>(static_cast<Bits<T>>(old + delta)))) {
      }
      return old;
    }
  }
};

struct InstructionOps {
  static constexpr bool kCompiled = false;
  static std::string_view WhyNot() {
    return "the generic backend takes what the compiler picks";
  }
};

struct LoadLinkedOps {
  static constexpr bool kCompiled = false;
  static std::string_view WhyNot() {
    return "the generic backend takes what the compiler picks";
  }
};

}  // namespace hackbench::atomics::generic
