// SPDX-License-Identifier: MIT
// The ticket spinlock with a word for each half: no store that is narrower than
// the operation after it, hence half the uncontended price of `ticket`, and no
// wrap within any number of tasks. FIFO; collapses beyond the number of CPUs.
#pragma once

#include "sync/lock_traits.h"
#include "sync/wait_policy.h"

namespace hackbench::sync {

template <class Wait>
class BasicTicket8Lock {
 public:
  static constexpr std::string_view kName = "ticket8";
  static constexpr std::string_view kSummary = "ticket spinlock in two words";
  static constexpr LockTraits kTraits = {.pure_spin = Wait::kPure,
                                         .fifo = true};

  BasicTicket8Lock() = default;
  explicit BasicTicket8Lock(uint32_t first) : next_(first), serving_(first) {}

  LockResult Lock(Waiter& waiter) {
    const uint32_t mine =
        atomics::FetchAdd<atomics::Order::kAcquire>(&next_, 1);
    if (LoadAcquire(&serving_) == mine) return LockResult::kAcquired;
    return WaitForTurn(waiter, mine);
  }
  bool TryLock(Waiter&) {
    uint32_t mine = LoadAcquire(&serving_);
    return atomics::Cmpxchg<atomics::Order::kAcquire>(&next_, mine, mine + 1);
  }
  void Unlock(Waiter& waiter) {
    // relaxed: only the holder writes it.
    StoreRelease(&serving_, LoadRelaxed(&serving_) + 1);
    Wait::Wake(waiter, this);
  }
  // `serving_` first: read the other way round, a lock free at both moments
  // could look held.
  bool IsLocked() const {
    const uint32_t serving = LoadAcquire(&serving_);
    return LoadAcquire(&next_) != serving;
  }

 private:
  [[gnu::noinline]] LockResult WaitForTurn(Waiter& waiter, uint32_t mine) {
    waiter.events.Count(LockEvent::kQueued);
    const bool got = Wait::Until(
        waiter, this, [&] { return LoadAcquire(&serving_) == mine; });
    return got ? LockResult::kAcquired : LockResult::kAborted;
  }

  uint32_t next_ = 0;
  uint32_t serving_ = 0;
};
using Ticket8Lock = BasicTicket8Lock<SpinWait>;

}  // namespace hackbench::sync
