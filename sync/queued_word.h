// SPDX-License-Identifier: MIT
// The four bytes of the queued spinlock: byte 0 held, byte 1 pending, upper
// half the index of the last node in the queue.
//
// Held and pending have a byte each so that one can be stored without touching
// the other: an unlock is a plain store of one byte. Every access names its
// width; what the widths have to do with each other is settled by the model of
// the word-only variant and by test.
#pragma once

#include <bit>
#include <cstdint>

#include "atomics/cmpxchg.h"
#include "sync/access.h"

namespace hackbench::sync {

class QueuedWord {
 public:
  static constexpr uint32_t kHeld = 1;
  static constexpr uint32_t kHeldMask = 0xff;
  static constexpr uint32_t kPending = 1U << 8;
  static constexpr uint32_t kPendingMask = 0xff00;
  static constexpr uint32_t kTailShift = 16;

  uint32_t Read() const { return LoadRelaxed(&word_); }
  uint32_t ReadAcquire() const { return LoadAcquire(&word_); }

  // 0 -> held.
  bool TakeFree() {
    uint32_t free = 0;
    return atomics::Cmpxchg<atomics::Order::kAcquire>(&word_, free, kHeld);
  }
  // `seen` -> held: the last of the queue takes the tail along. Relaxed: the
  // caller has acquired by the load that found the word free.
  bool TakeAsLast(uint32_t seen) {
    return atomics::Cmpxchg<atomics::Order::kRelaxed>(&word_, seen, kHeld);
  }
  // Any other change of the whole; `seen` is what stands there afterwards.
  bool Replace(uint32_t& seen, uint32_t desired) {
    return atomics::Cmpxchg<atomics::Order::kRelaxed>(&word_, seen, desired);
  }
  // What was there before.
  uint32_t SetPending() {
    return __atomic_fetch_or(&word_, kPending, __ATOMIC_ACQUIRE);
  }
  void ClearPending() { StoreRelaxed(Byte(1), uint8_t{0}); }
  // Pending -> held, by its only owner, who has seen held clear.
  void TakeAsPending() { StoreRelaxed(LowHalf(), uint16_t{kHeld}); }
  // Held and pending are clear and only the head may change that.
  void TakeAsHead() { StoreRelaxed(Byte(0), uint8_t{kHeld}); }
  // The tail before; 0 for none. Publishes the node.
  uint32_t SwapTail(uint32_t node) {
    return atomics::Xchg<atomics::Order::kFull>(HighHalf(),
                                                static_cast<uint16_t>(node));
  }
  void Release() { StoreRelease(Byte(0), uint8_t{0}); }

  // For the paravirtual forms.
  bool TakeLowHalf() {
    uint16_t free = 0;
    return atomics::Cmpxchg<atomics::Order::kAcquire>(LowHalf(), free,
                                                      uint16_t{kHeld});
  }
  void ForbidStealing() { StoreRelaxed(Byte(1), uint8_t{1}); }
  bool CmpxchgHeld(uint8_t expected, uint8_t desired) {
    return atomics::Cmpxchg<atomics::Order::kAcquire>(Byte(0), expected,
                                                      desired);
  }
  uint8_t SwapHeldRelease() {
    return atomics::Xchg<atomics::Order::kRelease>(Byte(0), uint8_t{0});
  }
  uint32_t* futex() { return &word_; }

 private:
  using Byte8 [[gnu::may_alias]] = uint8_t;
  using Half [[gnu::may_alias]] = uint16_t;
  static constexpr bool kLittle = std::endian::native == std::endian::little;

  Byte8* Byte(int i) {
    return reinterpret_cast<Byte8*>(&word_) + (kLittle ? i : 3 - i);
  }
  Half* LowHalf() {
    return reinterpret_cast<Half*>(&word_) + (kLittle ? 0 : 1);
  }
  Half* HighHalf() {
    return reinterpret_cast<Half*>(&word_) + (kLittle ? 1 : 0);
  }

  uint32_t word_ = 0;
};
static_assert(sizeof(QueuedWord) == 4);

}  // namespace hackbench::sync
