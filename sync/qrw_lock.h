// SPDX-License-Identifier: MIT
// The kernel's queued reader-writer lock in eight bytes: a count of readers
// with a writer's byte, and a spinlock on which all wait who could not get in
// at once. Fair, for readers and writers queue alike. After Long's qrwlock.
//
// `qrw` waits by spinning and collapses beyond the number of CPUs;
// `qrw-adaptive` sleeps.
#pragma once

#include <bit>

#include "sync/hybrid_lock.h"
#include "sync/lock_traits.h"
#include "sync/queued_lock.h"
#include "sync/wait_policy.h"

namespace hackbench::sync {

template <class Wait, class Queue>
class BasicQrwLock {
 public:
  static constexpr std::string_view kName =
      Wait::kPure ? "qrw" : "qrw-adaptive";
  static constexpr std::string_view kSummary =
      Wait::kPure ? "queued reader-writer lock"
                  : "queued reader-writer lock, waiters sleep";
  static constexpr LockTraits kTraits = {.pure_spin = Wait::kPure};

  LockResult Lock(Waiter& waiter) {
    if (TakeFree()) return LockResult::kAcquired;
    return LockSlow(waiter);
  }
  // relaxed: a look only, the compare-exchange acquires.
  bool TryLock(Waiter&) { return LoadRelaxed(&count_) == 0 && TakeFree(); }
  void Unlock(Waiter& waiter) {
    StoreRelease(WriterByte(), uint8_t{0});
    Wait::Wake(waiter, this);
  }

  LockResult LockShared(Waiter& waiter) {
    const uint32_t seen =
        atomics::FetchAdd<atomics::Order::kAcquire>(&count_, kReader) + kReader;
    if ((seen & kWriterMask) == 0) return LockResult::kAcquired;
    return LockSharedSlow(waiter);
  }
  bool TryLockShared(Waiter&) {
    uint32_t seen = LoadRelaxed(&count_);  // relaxed: confirmed below.
    return (seen & kWriterMask) == 0 &&
           atomics::Cmpxchg<atomics::Order::kAcquire>(&count_, seen,
                                                      seen + kReader);
  }
  void UnlockShared(Waiter& waiter) {
    atomics::FetchAdd<atomics::Order::kRelease>(&count_, 0 - kReader);
    Wait::Wake(waiter, this);
  }
  bool IsLocked() const { return LoadAcquire(&count_) != 0; }

 private:
  static constexpr uint32_t kWriterHeld = 0xff;
  static constexpr uint32_t kWriterWaits = 0x100;
  static constexpr uint32_t kWriterMask = 0x1ff;
  static constexpr uint32_t kReader = 0x200;
  using Byte8 [[gnu::may_alias]] = uint8_t;

  bool TakeFree() {
    uint32_t free = 0;
    return atomics::Cmpxchg<atomics::Order::kAcquire>(&count_, free,
                                                      kWriterHeld);
  }

  [[gnu::noinline]] LockResult LockSlow(Waiter& waiter) {
    waiter.events.Count(LockEvent::kQueued);
    const LockResult queued = queue_.Lock(waiter);
    if (!Holds(queued)) return queued;
    bool got = LoadRelaxed(&count_) == 0 && TakeFree();
    if (!got) {
      // relaxed: it only keeps new readers out.
      __atomic_fetch_or(&count_, kWriterWaits, __ATOMIC_RELAXED);
      got = Wait::Until(waiter, this, [&] {
        uint32_t alone = kWriterWaits;
        // Acquire here, not at a look before: a reader may come and go between.
        return LoadRelaxed(&count_) == alone &&
               atomics::Cmpxchg<atomics::Order::kAcquire>(&count_, alone,
                                                          kWriterHeld);
      });
    }
    queue_.Unlock(waiter);
    return got ? LockResult::kAcquired : LockResult::kAborted;
  }

  [[gnu::noinline]] LockResult LockSharedSlow(Waiter& waiter) {
    waiter.events.Count(LockEvent::kQueued);
    // relaxed: nothing was read under it. A writer that waits for the readers
    // to go must see this one go.
    atomics::FetchAdd<atomics::Order::kRelaxed>(&count_, 0 - kReader);
    Wait::Wake(waiter, this);
    const LockResult queued = queue_.Lock(waiter);
    if (!Holds(queued)) return queued;
    // relaxed: the wait below acquires.
    atomics::FetchAdd<atomics::Order::kRelaxed>(&count_, kReader);
    const bool got = Wait::Until(waiter, this, [&] {
      return (LoadAcquire(&count_) & kWriterHeld) == 0;
    });
    queue_.Unlock(waiter);
    return got ? LockResult::kAcquired : LockResult::kAborted;
  }

  Byte8* WriterByte() {
    return reinterpret_cast<Byte8*>(&count_) +
           (std::endian::native == std::endian::little ? 0 : 3);
  }

  uint32_t count_ = 0;
  Queue queue_;
};
using QrwLock = BasicQrwLock<SpinWait, QueuedInlineLock>;
using QrwAdaptiveLock = BasicQrwLock<HybridWait, HybridLock>;

}  // namespace hackbench::sync
