// SPDX-License-Identifier: MIT
// The queued spinlock's word where every change is of the whole word: bits 0-7
// held, bit 8 pending, bits 9-31 the last node of the queue.
//
// As the kernel lays it out for 16384 CPUs and more. This is the form that a
// model in C++ or Promela can speak of, since no memory model there knows
// accesses of two widths to one place.
#pragma once

#include <cstdint>

#include "atomics/cmpxchg.h"
#include "sync/access.h"

namespace hackbench::sync {

class WholeWord {
 public:
  static constexpr uint32_t kHeld = 1;
  static constexpr uint32_t kHeldMask = 0xff;
  static constexpr uint32_t kPending = 1U << 8;
  static constexpr uint32_t kPendingMask = kPending;
  static constexpr uint32_t kTailShift = 9;

  uint32_t Read() const { return LoadRelaxed(&word_); }
  uint32_t ReadAcquire() const { return LoadAcquire(&word_); }

  bool TakeFree() {
    uint32_t free = 0;
    return atomics::Cmpxchg<atomics::Order::kAcquire>(&word_, free, kHeld);
  }
  // relaxed: acquired by the load before it, as in QueuedWord.
  bool TakeAsLast(uint32_t seen) {
    return atomics::Cmpxchg<atomics::Order::kRelaxed>(&word_, seen, kHeld);
  }
  uint32_t SetPending() {
    return __atomic_fetch_or(&word_, kPending, __ATOMIC_ACQUIRE);
  }
  // relaxed, these three: they take nothing over and give nothing away.
  void ClearPending() { Add(uint32_t{0} - kPending); }
  void TakeAsPending() { Add(kHeld - kPending); }
  void TakeAsHead() { Add(kHeld); }
  uint32_t SwapTail(uint32_t node) {
    constexpr uint32_t kLow = (1U << kTailShift) - 1;
    uint32_t seen = Read();
    while (!atomics::Cmpxchg<atomics::Order::kFull>(
        &word_, seen, (seen & kLow) | node << kTailShift)) {
    }
    return seen >> kTailShift;
  }
  void Release() {
    atomics::FetchAdd<atomics::Order::kRelease>(&word_, uint32_t{0} - kHeld);
  }

 private:
  void Add(uint32_t delta) {
    atomics::FetchAdd<atomics::Order::kRelaxed>(&word_, delta);
  }

  uint32_t word_ = 0;
};
static_assert(sizeof(WholeWord) == 4);

}  // namespace hackbench::sync
