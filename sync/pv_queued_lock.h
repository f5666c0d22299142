// SPDX-License-Identifier: MIT
// The paravirtual queued spinlock for tasks that may lose their CPU: waiters
// spin for their budget and then sleep, the head on the lock's word and the
// others on their nodes. The futex is the hash table that the kernel's form
// needs to find whom to wake.
//
// `pv-queued` is FIFO: each hand-over to a sleeper costs its wake-up.
// `pv-queued-steal` lets newcomers take a free lock past the queue until its
// head has slept 16 times; then the head forbids it. After the state machine of
// the kernel's qspinlock_paravirt.
#pragma once

#include "sync/lock_traits.h"
#include "sync/queued_word.h"
#include "sync/wait_policy.h"

namespace hackbench::sync {

template <bool kSteal, Scope kScope = Scope::kShared>
class BasicPvQueuedLock {
 public:
  static constexpr std::string_view kName =
      kSteal ? "pv-queued-steal" : "pv-queued";
  static constexpr std::string_view kSummary =
      kSteal ? "queued, waiters sleep, newcomers may steal"
             : "queued, waiters sleep, in order of arrival";
  static constexpr LockTraits kTraits = {
      .fifo = !kSteal, .process_shared = kScope == Scope::kShared};

  LockResult Lock(Waiter& waiter) {
    if (word_.TakeFree()) return LockResult::kAcquired;
    return LockSlow(waiter);
  }
  bool TryLock(Waiter&) { return word_.Read() == 0 && word_.TakeFree(); }
  void Unlock(Waiter&) {
    if (word_.SwapHeldRelease() != kHeldHeadSleeps) return;
    FutexWake<kScope>(word_.futex(), 1);
  }
  bool IsLocked() const { return word_.ReadAcquire() != 0; }

 private:
  static constexpr uint8_t kHeldHeadSleeps = 3;
  static constexpr uint32_t kBusy =
      QueuedWord::kHeldMask | QueuedWord::kPendingMask;
  static constexpr uint32_t kSleepsBeforeClaim = 16;

  [[gnu::noinline]] LockResult LockSlow(Waiter& waiter) {
    if (kSteal && Steal(waiter)) return LockResult::kAcquired;
    const uint32_t me = waiter.TakeNode();
    if (me == 0) return LockResult::kTooDeep;
    waiter.events.Count(LockEvent::kQueued);
    Node& node = waiter.node(me);
    StoreRelaxed(&node.phase, Phase::kInit);
    // relaxed: the swap of the tail publishes both.
    StoreRelaxed(&node.next, uint32_t{0});
    StoreRelaxed(&node.state, kNodeWaiting);
    StoreRelaxed(&node.phase, Phase::kPublished);
    const uint32_t before = word_.SwapTail(me);
    if (before != 0) {
      StoreRelease(&waiter.node(before).next, me);
      StoreRelaxed(&node.phase, Phase::kLinked);
      if (!AwaitGrant(waiter, node)) return LockResult::kAborted;
    }
    StoreRelaxed(&node.phase, Phase::kHead);
    const LockResult result = TakeAsHead(waiter, node, me);
    if (result == LockResult::kAcquired) waiter.ReturnNode(me);
    return result;
  }

  // Both bytes at once: a head that has forbidden it must not be overrun.
  bool Steal(Waiter& waiter) {
    const auto steal = [&] {
      return (word_.Read() & kBusy) == 0 && word_.TakeLowHalf();
    };
    if (!SpinFor(waiter.budget.spins, steal)) return false;
    waiter.events.Count(LockEvent::kStolen);
    return true;
  }

  static bool AwaitGrant(Waiter& waiter, Node& node) {
    const auto granted = [&] {
      return LoadAcquire(&node.state) == kNodeGranted;
    };
    if (SpinFor(waiter.budget.spins, granted)) return true;
    for (uint32_t i = 0; i < waiter.budget.yields; ++i) {
      YieldCpu(waiter);
      if (granted()) return true;
    }
    // Granting is an exchange: it sees that we sleep, or we see the grant.
    uint32_t waiting = kNodeWaiting;
    if (!atomics::Cmpxchg<atomics::Order::kFull>(&node.state, waiting,
                                                 kNodeSleeping)) {
      return granted();  // Acquires; the failed exchange has not.
    }
    while (!granted()) {
      if (waiter.Aborted()) return false;
      waiter.events.Count(LockEvent::kSlept);
      FutexWait<kScope>(&node.state, kNodeSleeping, kSleepNs);
    }
    return true;
  }

  void Grant(Waiter& waiter, uint32_t next) {
    uint32_t* state = &waiter.node(next).state;
    const uint32_t before =
        atomics::Xchg<atomics::Order::kFull>(state, kNodeGranted);
    if (before == kNodeSleeping) FutexWake<kScope>(state, 1);
  }

  LockResult TakeAsHead(Waiter& waiter, Node& node, uint32_t me) {
    if (!kSteal) word_.ForbidStealing();
    if (!AwaitWord(waiter)) return LockResult::kAborted;
    // Held by us, and the low half says nothing else: pending is clear.
    uint32_t next = LoadAcquire(&node.next);
    if (next == 0 && DropTail(me)) return LockResult::kAcquired;
    if (next == 0 && !YieldWait::Until(waiter, &node, [&] {
          return (next = LoadAcquire(&node.next)) != 0;
        })) {
      return LockResult::kAborted;
    }
    Grant(waiter, next);
    return LockResult::kAcquired;
  }

  // Until the lock is ours.
  bool AwaitWord(Waiter& waiter) {
    bool forbidden = !kSteal;
    const auto take = [&] {
      if (forbidden) {
        if ((word_.ReadAcquire() & QueuedWord::kHeldMask) != 0) return false;
        word_.TakeAsPending();  // No thief can come between.
        return true;
      }
      return (word_.Read() & kBusy) == 0 && word_.TakeLowHalf();
    };
    if (SpinFor(waiter.budget.spins, take)) return true;
    for (uint32_t i = 0; i < waiter.budget.yields; ++i) {
      YieldCpu(waiter);
      if (take()) return true;
    }
    for (uint32_t sleeps = 0; !take(); ++sleeps) {
      if (waiter.Aborted()) return false;
      if (!forbidden && sleeps >= kSleepsBeforeClaim) {
        word_.ForbidStealing();
        forbidden = true;
        continue;
      }
      Sleep(waiter);
    }
    return true;
  }

  // Newcomers change the tail meanwhile; the sleep then does not begin.
  void Sleep(Waiter& waiter) {
    word_.CmpxchgHeld(uint8_t{QueuedWord::kHeld}, kHeldHeadSleeps);
    const uint32_t seen = word_.Read();
    if ((seen & QueuedWord::kHeldMask) != kHeldHeadSleeps) return;
    waiter.events.Count(LockEvent::kSlept);
    FutexWait<kScope>(word_.futex(), seen, kSleepNs);
  }

  // The queue is empty behind us. Held may be 3 no more: only a head sets it.
  bool DropTail(uint32_t me) {
    return word_.TakeAsLast(me << QueuedWord::kTailShift | QueuedWord::kHeld);
  }

  QueuedWord word_;
};
using PvQueuedLock = BasicPvQueuedLock</*kSteal=*/false>;
using PvQueuedStealLock = BasicPvQueuedLock</*kSteal=*/true>;

}  // namespace hackbench::sync
