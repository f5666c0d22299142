// SPDX-License-Identifier: MIT
// No lock: the zero point that every figure is compared with. It promises
// nothing and keeps nothing apart.
#pragma once

#include "sync/lock_traits.h"

namespace hackbench::sync {

class NoneLock {
 public:
  static constexpr std::string_view kName = "none";
  static constexpr std::string_view kSummary = "no lock, the zero point";
  static constexpr LockTraits kTraits = {.excludes = false};

  LockResult Lock(Waiter&) { return LockResult::kAcquired; }
  bool TryLock(Waiter&) { return true; }
  void Unlock(Waiter&) {}
  bool IsLocked() const { return false; }
};

}  // namespace hackbench::sync
