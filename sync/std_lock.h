// SPDX-License-Identifier: MIT
// std::mutex, to compare with. Threads of one process only.
#pragma once

#include <mutex>

#include "sync/lock_traits.h"

namespace hackbench::sync {

class StdLock {
 public:
  static constexpr std::string_view kName = "std-mutex";
  static constexpr std::string_view kSummary = "std::mutex";
  static constexpr LockTraits kTraits = {
      .process_shared = false, .checks_abort = false, .is_baseline = true};

  LockResult Lock(Waiter&) {
    mutex_.lock();
    return LockResult::kAcquired;
  }
  bool TryLock(Waiter&) { return mutex_.try_lock(); }
  void Unlock(Waiter&) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

}  // namespace hackbench::sync
