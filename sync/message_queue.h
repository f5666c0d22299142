// SPDX-License-Identifier: MIT
// The queue a message travels through: 64 slots under one lock of any kind, and
// two places to sleep, one for who finds it empty and one for who finds it
// full.
//
// Lives in zeroed shared memory; the lock is made by MakeLock(). Any number of
// senders and receivers. A pause in its flow costs a futex call, as a socket's
// does; senders are woken when half of it is free again, as a socket's are.
#pragma once

#include <array>
#include <cstdint>

#include "sync/lock_traits.h"
#include "sync/wait_policy.h"

namespace hackbench::sync {

template <Lockable L, Scope kScope = Scope::kShared>
class MessageQueue {
 public:
  static constexpr uint32_t kSlots = 64;
  // A sleep that nobody ends. Longer than a lock's: thousands may sleep here,
  // and the supervisor ends those who do not hear of an abort.
  static constexpr int64_t kIdleNs = 10 * kSleepNs;

  L& lock() { return lock_; }

  // kAcquired when the message is in (out); otherwise why it is not.
  LockResult Push(Waiter& waiter, uint64_t message) {
    return Change(waiter, space_, items_, /*wake_at=*/1, [&] {
      if (head_ - tail_ == kSlots) return false;
      slots_[head_++ % kSlots] = message;
      return true;
    });
  }
  LockResult Pop(Waiter& waiter, uint64_t& message) {
    return Change(waiter, items_, space_, kSlots / 2, [&] {
      if (head_ == tail_) return false;
      message = slots_[tail_++ % kSlots];
      return true;
    });
  }

 private:
  // All under the lock, but the sleep itself.
  struct Sleepers {
    uint32_t sequence;
    uint32_t count;
  };

  // How many of what the other side waits for there are now.
  uint32_t Ready(const Sleepers& side) const {
    return &side == &items_ ? head_ - tail_ : kSlots - (head_ - tail_);
  }

  template <class Step>
  LockResult Change(Waiter& waiter, Sleepers& mine, Sleepers& others,
                    uint32_t wake_at, Step step) {
    for (;;) {
      const LockResult result = lock_.Lock(waiter);
      if (!Holds(result)) return result;
      if (step()) {
        const bool wake = others.count != 0 && Ready(others) >= wake_at;
        if (wake) {
          others.count = 0;
          // relaxed: the futex call orders it for who is about to sleep.
          StoreRelaxed(&others.sequence, others.sequence + 1);
        }
        lock_.Unlock(waiter);
        if (wake) FutexWakeAll<kScope>(&others.sequence);
        return result;
      }
      ++mine.count;
      const uint32_t seen = mine.sequence;
      lock_.Unlock(waiter);
      if (waiter.Aborted()) return LockResult::kAborted;
      FutexWait<kScope>(&mine.sequence, seen, kIdleNs);
    }
  }

  alignas(64) L lock_;
  alignas(64) uint32_t head_ = 0;  // Written by senders.
  uint32_t tail_ = 0;              // Written by receivers.
  Sleepers items_ = {};
  Sleepers space_ = {};
  std::array<uint64_t, kSlots> slots_ = {};
};

}  // namespace hackbench::sync
