// SPDX-License-Identifier: MIT
// The default: a word that may be stolen, about 2.4 us of spinning, two yields,
// then a futex. After Drepper's "Futexes are tricky" (2011), with the yields
// between: with thousands of tasks a yield is cheaper than a sleep, and with
// few the spin is. Works with any number of tasks. Not fair.
#pragma once

#include "sync/lock_traits.h"
#include "sync/wait_policy.h"

namespace hackbench::sync {

template <Scope kScope>
class BasicHybridLock {
 public:
  static constexpr std::string_view kName = "hybrid";
  static constexpr std::string_view kSummary =
      "steal word: spin, two yields, futex (the default)";
  static constexpr LockTraits kTraits = {.process_shared =
                                             kScope == Scope::kShared};

  LockResult Lock(Waiter& waiter) {
    if (Take()) return LockResult::kAcquired;
    return LockSlow(waiter);
  }
  bool TryLock(Waiter&) {
    // relaxed: a look only, the compare-exchange acquires.
    return LoadRelaxed(&word_) == kFree && Take();
  }
  void Unlock(Waiter&) {
    if (atomics::Xchg<atomics::Order::kRelease>(&word_, kFree) != kSleepers) {
      return;
    }
    FutexWake<kScope>(&word_, 1);
  }
  bool IsLocked() const { return LoadAcquire(&word_) != kFree; }

  static bool ValueUnlocked(uint32_t value) { return value == kFree; }

 private:
  static constexpr uint32_t kFree = 0;
  static constexpr uint32_t kHeld = 1;
  static constexpr uint32_t kSleepers = 2;  // Held, and somebody may sleep.

  bool Take() {
    uint32_t free = kFree;
    return atomics::Cmpxchg<atomics::Order::kAcquire>(&word_, free, kHeld);
  }

  [[gnu::noinline]] LockResult LockSlow(Waiter& waiter) {
    const auto try_lock = [&] { return TryLock(waiter); };
    if (SpinFor(waiter.budget.spins, try_lock)) return LockResult::kAcquired;
    for (uint32_t i = 0; i < waiter.budget.yields; ++i) {
      YieldCpu(waiter);
      if (TryLock(waiter)) return LockResult::kAcquired;
    }
    // From here on we cannot know whether we are the last that sleeps, so the
    // word says there are sleepers, also when we take it.
    while (atomics::Xchg<atomics::Order::kAcquire>(&word_, kSleepers) !=
           kFree) {
      if (waiter.Aborted()) return LockResult::kAborted;
      waiter.events.Count(LockEvent::kSlept);
      FutexWait<kScope>(&word_, kSleepers, kSleepNs);
    }
    return LockResult::kAcquired;
  }

  uint32_t word_ = kFree;
};
using HybridLock = BasicHybridLock<Scope::kShared>;

}  // namespace hackbench::sync
