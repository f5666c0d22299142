// SPDX-License-Identifier: MIT
// A lock that does not exclude: it looks, lets others run, and then takes.
// Every tester must convict it, or the tester is worth nothing. Never use it.
#pragma once

#include <sched.h>

#include "sync/lock_traits.h"

namespace hackbench::sync {

class BustedLock {
 public:
  static constexpr std::string_view kName = "busted";
  static constexpr std::string_view kSummary =
      "broken on purpose, to try the testers";
  static constexpr LockTraits kTraits = {.safe = false, .has_try = false};

  LockResult Lock(Waiter& waiter) {
    while (LoadAcquire(&word_) != 0) {
      if (waiter.Aborted()) return LockResult::kAborted;
      sched_yield();
    }
    sched_yield();  // The bug: whoever comes now sees it free, too.
    StoreRelease(&word_, uint32_t{1});
    return LockResult::kAcquired;
  }
  bool TryLock(Waiter& waiter) { return Holds(Lock(waiter)); }
  void Unlock(Waiter&) { StoreRelease(&word_, uint32_t{0}); }
  bool IsLocked() const { return LoadAcquire(&word_) != 0; }

 private:
  uint32_t word_ = 0;
};

}  // namespace hackbench::sync
