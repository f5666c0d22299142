// SPDX-License-Identifier: MIT
// The ticket spinlock in the kernel's four bytes (Reed and Kanodia, 1979): the
// high half is the next ticket, the low half the one now served. FIFO; all
// waiters read one line, so each hand-over costs a miss per waiter.
//
// At most 65535 tasks may wait. Unlock is a store of two bytes; an operation on
// all four right after it waits for the store buffer, about 5 ns on x86. With
// more tasks than CPUs it collapses.
#pragma once

#include <bit>

#include "sync/lock_traits.h"
#include "sync/wait_policy.h"

namespace hackbench::sync {

template <class Wait>
class BasicTicketLock {
 public:
  static constexpr std::string_view kName = "ticket";
  static constexpr std::string_view kSummary = "ticket spinlock in four bytes";
  static constexpr LockTraits kTraits = {.pure_spin = Wait::kPure,
                                         .fifo = true};

  BasicTicketLock() = default;
  // Tests begin near the wrap.
  explicit BasicTicketLock(uint16_t first) : word_(first * (kNext + 1)) {}

  LockResult Lock(Waiter& waiter) {
    const auto seen =
        atomics::FetchAdd<atomics::Order::kAcquire>(&word_, kNext);
    const auto mine = static_cast<uint16_t>(seen >> 16);
    if (mine == static_cast<uint16_t>(seen)) return LockResult::kAcquired;
    return WaitForTurn(waiter, mine);
  }
  bool TryLock(Waiter&) {
    // relaxed: a guess that the compare-exchange confirms.
    uint32_t seen = LoadRelaxed(&word_);
    return ValueUnlocked(seen) && atomics::Cmpxchg<atomics::Order::kAcquire>(
                                      &word_, seen, seen + kNext);
  }
  [[gnu::always_inline]] void Unlock(Waiter& waiter) {
    // relaxed: only the holder writes this half.
    StoreRelease(Serving(), static_cast<uint16_t>(LoadRelaxed(Serving()) + 1));
    Wait::Wake(waiter, this);
  }
  bool IsLocked() const { return !ValueUnlocked(LoadAcquire(&word_)); }

  // Of a copy of the word; keeps lockref's fast path in registers.
  static bool ValueUnlocked(uint32_t value) {
    return static_cast<uint16_t>(value) == value >> 16;
  }

 private:
  static constexpr uint32_t kNext = 1U << 16;
  static constexpr int kServingHalf =
      std::endian::native == std::endian::little ? 0 : 1;
  using Half [[gnu::may_alias]] = uint16_t;

  [[gnu::noinline]] LockResult WaitForTurn(Waiter& waiter, uint16_t mine) {
    waiter.events.Count(LockEvent::kQueued);
    const bool got = Wait::Until(
        waiter, this, [&] { return LoadAcquire(Serving()) == mine; });
    return got ? LockResult::kAcquired : LockResult::kAborted;
  }
  Half* Serving() { return reinterpret_cast<Half*>(&word_) + kServingHalf; }

  uint32_t word_ = 0;
};
using TicketLock = BasicTicketLock<SpinWait>;

}  // namespace hackbench::sync
