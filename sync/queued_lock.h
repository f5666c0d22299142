// SPDX-License-Identifier: MIT
// The kernel's queued spinlock in four bytes: `queued` is called, and
// `queued-inline` is compiled into the caller.
//
// Cheaper than a ticket for one or two contenders' memory traffic, and from
// four contenders on much cheaper. Collapses beyond the number of CPUs, as all
// FIFO spinlocks. State machine after Long and Zijlstra's qspinlock.
#pragma once

#include "sync/queued_core.h"
#include "sync/queued_word.h"

namespace hackbench::sync {

template <class Wait>
class BasicQueuedInlineLock : public QueuedCore<QueuedWord, Wait> {
 public:
  static constexpr std::string_view kName = "queued-inline";
  static constexpr std::string_view kSummary =
      "queued spinlock, compiled into the caller";
};

template <class Wait>
class BasicQueuedLock {
 public:
  static constexpr std::string_view kName = "queued";
  static constexpr std::string_view kSummary =
      "queued spinlock: held, pending, queue in four bytes";
  static constexpr LockTraits kTraits = QueuedCore<QueuedWord, Wait>::kTraits;

  [[gnu::noinline]] LockResult Lock(Waiter& waiter) {
    return core_.Lock(waiter);
  }
  [[gnu::noinline]] bool TryLock(Waiter& waiter) {
    return core_.TryLock(waiter);
  }
  void Unlock(Waiter& waiter) { core_.Unlock(waiter); }
  bool IsLocked() const { return core_.IsLocked(); }

  static bool ValueUnlocked(uint32_t value) { return value == 0; }

 private:
  QueuedCore<QueuedWord, Wait> core_;
};

using QueuedLock = BasicQueuedLock<SpinWait>;
using QueuedInlineLock = BasicQueuedInlineLock<SpinWait>;

}  // namespace hackbench::sync
