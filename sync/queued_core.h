// SPDX-License-Identifier: MIT
// The queued spinlock over either form of its word: a fast path, a second
// contender that waits as `pending` without a node, and a queue behind it.
//
// The node is given back when the lock is got, not at unlock, so unlock is one
// store. FIFO from the pending waiter on.
#pragma once

#include "sync/lock_traits.h"
#include "sync/wait_policy.h"

namespace hackbench::sync {

template <class WordType, class Wait>
class QueuedCore {
 public:
  static constexpr LockTraits kTraits = {.pure_spin = Wait::kPure,
                                         .fifo = true};

  // Forced, or a compiler with many callers makes a call of it, and the inline
  // form measures as the other.
  [[gnu::always_inline]] LockResult Lock(Waiter& waiter) {
    if (word_.TakeFree()) return LockResult::kAcquired;
    return LockSlow(waiter);
  }
  bool TryLock(Waiter&) { return word_.Read() == 0 && word_.TakeFree(); }
  [[gnu::always_inline]] void Unlock(Waiter& waiter) {
    word_.Release();
    Wait::Wake(waiter, this);
  }
  bool IsLocked() const { return word_.ReadAcquire() != 0; }

  static bool ValueUnlocked(uint32_t value) { return value == 0; }

 private:
  static constexpr uint32_t kTailMask = ~uint32_t{0} << WordType::kTailShift;
  static constexpr uint32_t kBusy =
      WordType::kHeldMask | WordType::kPendingMask;
  // How often to look again at a hand-over from pending to held before one
  // queues. Bounded: with others coming all the time it may never be seen done.
  static constexpr int kPendingLooks = 64;

  [[gnu::noinline]] LockResult LockSlow(Waiter& waiter) {
    // First of all: whoever sets pending in vain must queue, or the head waits
    // for it in vain.
    if (!waiter.HasNode()) return WaitWithoutNode(waiter);
    uint32_t seen = word_.Read();
    for (int i = 0; seen == WordType::kPending && i < kPendingLooks; ++i) {
      atomics::Cpu::Relax();
      seen = word_.Read();
    }
    if ((seen & ~WordType::kHeldMask) != 0) return Queue(waiter);

    seen = word_.SetPending();
    if ((seen & ~WordType::kHeldMask) != 0) {
      // Somebody was first. Take back what is ours only.
      if ((seen & WordType::kPendingMask) == 0) {
        word_.ClearPending();
        Wait::Wake(waiter, this);  // The head may have gone to sleep on it.
      }
      return Queue(waiter);
    }
    if ((seen & WordType::kHeldMask) != 0 && !Wait::Until(waiter, this, [&] {
          return (word_.ReadAcquire() & WordType::kHeldMask) == 0;
        })) {
      return LockResult::kAborted;
    }
    word_.TakeAsPending();
    waiter.events.Count(LockEvent::kPending);
    return LockResult::kAcquired;
  }

  LockResult Queue(Waiter& waiter) {
    const uint32_t me = waiter.TakeNode();
    waiter.events.Count(LockEvent::kQueued);
    Node& node = waiter.node(me);
    StoreRelaxed(&node.phase, Phase::kInit);
    // relaxed: the swap of the tail publishes both.
    StoreRelaxed(&node.next, uint32_t{0});
    StoreRelaxed(&node.state, kNodeWaiting);
    LockResult result = LockResult::kAcquired;
    if (!TryLock(waiter)) result = QueueNode(waiter, node, me);
    // An aborted node may still be known to others: it stays taken.
    if (result == LockResult::kAcquired) waiter.ReturnNode(me);
    return result;
  }

  LockResult QueueNode(Waiter& waiter, Node& node, uint32_t me) {
    StoreRelaxed(&node.phase, Phase::kPublished);
    const uint32_t before = word_.SwapTail(me);
    if (before != 0) {
      StoreRelease(&waiter.node(before).next, me);
      StoreRelaxed(&node.phase, Phase::kLinked);
      if (!Wait::Until(waiter, &node, [&] {
            return LoadAcquire(&node.state) == kNodeGranted;
          })) {
        return LockResult::kAborted;
      }
    }
    StoreRelaxed(&node.phase, Phase::kHead);
    return TakeAsHead(waiter, node, me);
  }

  LockResult TakeAsHead(Waiter& waiter, Node& node, uint32_t me) {
    uint32_t seen = 0;
    if (!Wait::Until(waiter, this, [&] {
          return ((seen = word_.ReadAcquire()) & kBusy) == 0;
        })) {
      return LockResult::kAborted;
    }
    if ((seen & kTailMask) == me << WordType::kTailShift &&
        word_.TakeAsLast(seen)) {
      return LockResult::kAcquired;
    }
    word_.TakeAsHead();
    uint32_t next = 0;
    if (!YieldWait::Until(waiter, &node, [&] {
          return (next = LoadAcquire(&node.next)) != 0;
        })) {
      return LockResult::kAborted;
    }
    StoreRelease(&waiter.node(next).state, kNodeGranted);
    Wait::Wake(waiter, &waiter.node(next));
    return LockResult::kAcquired;
  }

  // Nested deeper than there are nodes: take what comes, without a place.
  LockResult WaitWithoutNode(Waiter& waiter) {
    const bool got = Wait::Until(waiter, this, [&] { return TryLock(waiter); });
    return got ? LockResult::kAcquired : LockResult::kAborted;
  }

  WordType word_;
};

}  // namespace hackbench::sync
