// SPDX-License-Identifier: MIT
// Generic backend: sixteen bytes compared and exchanged under a bit lock in the
// object.
//
// Bit 63 of `second` is the lock and must be clear in what the user stores.
// Read the words with Load(), which hides it.
#pragma once

#include <string_view>

#include "atomics/bit_lock.h"
#include "atomics/order.h"
#include "atomics/word.h"

namespace hackbench::atomics::generic {

struct DoubleOps {
  static constexpr std::string_view kName = "bit lock";
  static constexpr bool kCompiled = true;
  static constexpr bool kLocalIsUnlocked = false;
  static constexpr uint64_t kReservedSecondBits = kBitLock;

  static std::string_view WhyNot() { return {}; }

  // The orders differ in nothing: the lock acquires and its release releases.
  template <Order kOrder>
  static bool Cmpxchg(DoubleWord* word, DoubleWord expected,
                      DoubleWord desired) {
    LockBit(&word->second);
    const uint64_t second = PeekBit(&word->second);
    // relaxed: under the lock; Load() may read it meanwhile.
    const uint64_t first = __atomic_load_n(&word->first, __ATOMIC_RELAXED);
    const bool equal = DoubleWord{first, second} == expected;
    if (equal) __atomic_store_n(&word->first, desired.first, __ATOMIC_RELAXED);
    UnlockBit(&word->second, equal ? desired.second : second);
    if constexpr (kOrder == Order::kFull) __sync_synchronize();
    return equal;
  }

  // Possibly a torn pair; the compare-exchange that follows judges it.
  static DoubleWord Load(const DoubleWord* word) {
    const uint64_t second = PeekBit(&word->second);
    return {__atomic_load_n(&word->first, __ATOMIC_ACQUIRE), second};
  }
};

struct DoubleInstructionOps {
  static constexpr bool kCompiled = false;
  static std::string_view WhyNot() {
    return "the generic backend has the bit lock only";
  }
};

struct DoubleLoadLinkedOps {
  static constexpr bool kCompiled = false;
  static std::string_view WhyNot() {
    return "the generic backend has the bit lock only";
  }
};

}  // namespace hackbench::atomics::generic
