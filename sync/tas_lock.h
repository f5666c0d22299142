// SPDX-License-Identifier: MIT
// Test-and-set: an exchange, again and again, until the word was free. The
// smallest lock and the least fair; each try takes the line from the holder.
#pragma once

#include "sync/lock_traits.h"
#include "sync/wait_policy.h"

namespace hackbench::sync {

template <class Wait>
class BasicTasLock {
 public:
  static constexpr std::string_view kName = "tas";
  static constexpr std::string_view kSummary = "test-and-set";
  static constexpr LockTraits kTraits = {.pure_spin = Wait::kPure};

  LockResult Lock(Waiter& waiter) {
    if (TryLock(waiter)) return LockResult::kAcquired;
    const bool got = Wait::Until(waiter, this, [&] { return TryLock(waiter); });
    return got ? LockResult::kAcquired : LockResult::kAborted;
  }
  bool TryLock(Waiter&) {
    return atomics::Xchg<atomics::Order::kAcquire>(&word_, 1) == 0;
  }
  void Unlock(Waiter& waiter) {
    StoreRelease(&word_, uint32_t{0});
    Wait::Wake(waiter, this);
  }
  bool IsLocked() const { return LoadAcquire(&word_) != 0; }

 private:
  uint32_t word_ = 0;
};
using TasLock = BasicTasLock<SpinWait>;

}  // namespace hackbench::sync
