// SPDX-License-Identifier: MIT
// Test-and-test-and-set (Rudolph and Segall, 1984): waiters read their own copy
// of the line and exchange only when they saw it free. Unfair.
#pragma once

#include "sync/lock_traits.h"
#include "sync/wait_policy.h"

namespace hackbench::sync {

template <class Wait>
class BasicTtasLock {
 public:
  static constexpr std::string_view kName = "ttas";
  static constexpr std::string_view kSummary = "test, then test-and-set";
  static constexpr LockTraits kTraits = {.pure_spin = Wait::kPure};

  LockResult Lock(Waiter& waiter) {
    if (Take()) return LockResult::kAcquired;
    const bool got = Wait::Until(waiter, this, [&] { return TryLock(waiter); });
    return got ? LockResult::kAcquired : LockResult::kAborted;
  }
  bool TryLock(Waiter&) {
    // relaxed: a look only, the exchange acquires.
    return LoadRelaxed(&word_) == 0 && Take();
  }
  void Unlock(Waiter& waiter) {
    StoreRelease(&word_, uint32_t{0});
    Wait::Wake(waiter, this);
  }
  bool IsLocked() const { return LoadAcquire(&word_) != 0; }

 private:
  bool Take() {
    return atomics::Xchg<atomics::Order::kAcquire>(&word_, 1) == 0;
  }

  uint32_t word_ = 0;
};
using TtasLock = BasicTtasLock<SpinWait>;

}  // namespace hackbench::sync
