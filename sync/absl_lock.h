// SPDX-License-Identifier: MIT
// absl::Mutex, to compare with. Threads of one process only.
#pragma once

#include <absl/synchronization/mutex.h>

#include "sync/lock_traits.h"

namespace hackbench::sync {

class AbslLock {
 public:
  static constexpr std::string_view kName = "absl-mutex";
  static constexpr std::string_view kSummary = "absl::Mutex";
  static constexpr LockTraits kTraits = {
      .process_shared = false, .checks_abort = false, .is_baseline = true};

  LockResult Lock(Waiter&) {
    mutex_.Lock();
    return LockResult::kAcquired;
  }
  bool TryLock(Waiter&) { return mutex_.TryLock(); }
  void Unlock(Waiter&) { mutex_.Unlock(); }

 private:
  absl::Mutex mutex_;
};

}  // namespace hackbench::sync
