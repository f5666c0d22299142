// SPDX-License-Identifier: MIT
// A lock in the top bit of a 64-bit word of the object it guards, as the
// kernel's slab_lock() sits in the page flags.
//
// The stand-in for a compare-exchange the CPU lacks. It lives in the object, so
// it works between processes; libatomic's lock table is private to each and
// does not. The top bit is lost to the user, and a holder that is killed leaves
// the object locked: prefer a narrower real compare-exchange where there is
// one.
#pragma once

#include <sched.h>

#include <cstdint>

namespace hackbench::atomics {

inline constexpr uint64_t kBitLock = uint64_t{1} << 63;

// The half of the word that holds the lock bit; 32-bit CPUs exchange only that.
using LockHalf [[gnu::may_alias]] = uint32_t;
inline constexpr uint32_t kHalfLock = uint32_t{1} << 31;

inline LockHalf* HalfWithLock(uint64_t* word) {
  auto* halves = reinterpret_cast<LockHalf*>(word);
  return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? halves + 1 : halves;
}

// Takes the lock; the word's value without the lock bit is then stable.
inline void LockBit(uint64_t* word) {
  LockHalf* half = HalfWithLock(word);
  constexpr int kSpinsBeforeYield = 64;
  for (int spins = 0;; ++spins) {
    // relaxed look first: waiters share the line until it is free.
    if ((__atomic_load_n(half, __ATOMIC_RELAXED) & kHalfLock) == 0 &&
        (__atomic_fetch_or(half, kHalfLock, __ATOMIC_ACQUIRE) & kHalfLock) ==
            0) {
      return;
    }
    // The holder may be preempted on this very CPU.
    if (spins >= kSpinsBeforeYield) sched_yield();
  }
}

// Stores `value` and gives the lock back with the same store of its half.
inline void UnlockBit(uint64_t* word, uint64_t value) {
  LockHalf* high = HalfWithLock(word);
  auto* low = reinterpret_cast<LockHalf*>(word);
  if (low == high) ++low;
  // relaxed: ordered by the release of the other half.
  __atomic_store_n(low, static_cast<uint32_t>(value), __ATOMIC_RELAXED);
  __atomic_store_n(high, static_cast<uint32_t>(value >> 32) & ~kHalfLock,
                   __ATOMIC_RELEASE);
}

// The word without the lock bit. relaxed, half by half: only a holder of the
// lock may rely on the two halves belonging together.
inline uint64_t PeekBit(const uint64_t* word) {
  const auto* halves = reinterpret_cast<const LockHalf*>(word);
  const LockHalf* high = HalfWithLock(const_cast<uint64_t*>(word));
  const LockHalf* low = high == halves ? halves + 1 : halves;
  const uint64_t top = __atomic_load_n(high, __ATOMIC_RELAXED) & ~kHalfLock;
  return top << 32 | __atomic_load_n(low, __ATOMIC_RELAXED);
}

// Compare-exchange of 64 bits where the CPU has none: bit 63 is reserved.
inline bool BitLockedCmpxchg64(uint64_t* word, uint64_t& expected,
                               uint64_t desired) {
  LockBit(word);
  const uint64_t seen = PeekBit(word);
  const bool equal = seen == expected;
  UnlockBit(word, equal ? desired : seen);
  expected = seen;
  return equal;
}

}  // namespace hackbench::atomics
