// SPDX-License-Identifier: MIT
// A queued spinlock whose waits can fail, after the kernel's rqspinlock (2025):
// kDeadlock when this task holds the lock already (AA) or when a task that
// holds it waits for one that this task holds (ABBA), kTimedOut after the time
// limit. When the head of the queue gives up, so does the whole queue behind
// it: nothing is cut out of the middle.
//
// Held locks are listed in the task's record, at most 30; who holds more is
// not seen by the checks. Waits by spinning and then yielding.
#pragma once

#include <sched.h>
#include <time.h>

#include "sync/lock_traits.h"
#include "sync/queued_word.h"
#include "sync/wait_policy.h"

namespace hackbench::sync {

class ResilientLock {
 public:
  static constexpr std::string_view kName = "resilient";
  static constexpr std::string_view kSummary =
      "queued with a time limit, finds AA and ABBA";
  static constexpr LockTraits kTraits = {.fifo = true, .times_out = true};
  static constexpr int64_t kTimeoutNs = 250'000'000;

  LockResult Lock(Waiter& waiter) { return LockFor(waiter, kTimeoutNs); }
  // The head of the queue waits twice as long, as it is the last to judge.
  LockResult LockFor(Waiter& waiter, int64_t timeout_ns) {
    LockResult result = LockResult::kAcquired;
    if (!word_.TakeFree()) result = LockSlow(waiter, timeout_ns);
    if (Holds(result)) AddHeld(waiter);
    return result;
  }
  bool TryLock(Waiter& waiter) {
    if (word_.Read() != 0 || !word_.TakeFree()) return false;
    AddHeld(waiter);
    return true;
  }
  void Unlock(Waiter& waiter) {
    RemoveHeld(waiter);
    word_.Release();
  }
  bool IsLocked() const { return word_.ReadAcquire() != 0; }

 private:
  static constexpr uint32_t kBusy =
      QueuedWord::kHeldMask | QueuedWord::kPendingMask;
  static constexpr int64_t kCheckNs = 1'000'000;

  static int64_t NowNs() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  }

  uint32_t Me(Waiter& waiter) const { return waiter.arena().OffsetOf(this); }

  void AddHeld(Waiter& waiter) {
    TaskRecord& record = waiter.record();
    const uint32_t count = record.num_held;
    if (count < kMaxHeld) StoreRelease(&record.held[count], Me(waiter));
    StoreRelease(&record.num_held, count + 1);
  }
  // Usually the last one taken.
  void RemoveHeld(Waiter& waiter) {
    TaskRecord& record = waiter.record();
    const uint32_t last = record.num_held - 1;
    for (uint32_t i = last; last < kMaxHeld; --i) {
      if (record.held[i] == Me(waiter)) {
        StoreRelease(&record.held[i], record.held[last]);
        break;
      }
      if (i == 0) break;
    }
    StoreRelease(&record.num_held, last);
  }

  static bool HoldsLock(const TaskRecord& record, uint32_t lock) {
    const uint32_t count = LoadAcquire(&record.num_held);
    for (uint32_t i = 0; i < count && i < kMaxHeld; ++i) {
      if (LoadAcquire(&record.held[i]) == lock) return true;
    }
    return false;
  }

  // A task that holds what we want and, before and after that was seen, waited
  // for what we hold: it cannot have released the one in between.
  bool IsDeadlock(Waiter& waiter) const {
    const uint32_t wanted = Me(waiter);
    const TaskRecord& mine = waiter.record();
    if (HoldsLock(mine, wanted)) return true;
    if (mine.num_held == 0) return false;
    const TaskRecord* tasks = waiter.arena().tasks();
    for (uint32_t task = 0; task < waiter.arena().num_tasks(); ++task) {
      if (task == waiter.task()) continue;
      const uint32_t waits = LoadAcquire(&tasks[task].waits);
      if (waits == 0 || !HoldsLock(mine, waits)) continue;
      if (HoldsLock(tasks[task], wanted) &&
          LoadAcquire(&tasks[task].waits) == waits) {
        return true;
      }
    }
    return false;
  }

  template <class Done>
  LockResult WaitFor(Waiter& waiter, int64_t timeout_ns, Done done) {
    if (SpinFor(waiter.budget.spins, done)) return LockResult::kAcquired;
    const int64_t end_ns = NowNs() + timeout_ns;
    int64_t check_ns = 0;
    while (!done()) {
      if (waiter.Aborted()) return LockResult::kAborted;
      YieldCpu(waiter);
      const int64_t now_ns = NowNs();
      if (now_ns < check_ns) continue;
      check_ns = now_ns + kCheckNs;
      if (IsDeadlock(waiter)) return LockResult::kDeadlock;
      if (now_ns >= end_ns) return LockResult::kTimedOut;
    }
    return LockResult::kAcquired;
  }

  [[gnu::noinline]] LockResult LockSlow(Waiter& waiter, int64_t timeout_ns) {
    if (HoldsLock(waiter.record(), Me(waiter))) return LockResult::kDeadlock;
    if (!waiter.HasNode()) return LockResult::kTooDeep;
    StoreRelease(&waiter.record().waits, Me(waiter));
    const LockResult result = WaitInLine(waiter, timeout_ns);
    StoreRelease(&waiter.record().waits, uint32_t{0});
    return result;
  }

  LockResult WaitInLine(Waiter& waiter, int64_t timeout_ns) {
    if ((word_.Read() & ~QueuedWord::kHeldMask) != 0) {
      return Queue(waiter, timeout_ns);
    }
    const uint32_t seen = word_.SetPending();
    if ((seen & ~QueuedWord::kHeldMask) != 0) {
      if ((seen & QueuedWord::kPendingMask) == 0) word_.ClearPending();
      return Queue(waiter, timeout_ns);
    }
    const LockResult result = WaitFor(waiter, timeout_ns, [&] {
      return (word_.ReadAcquire() & QueuedWord::kHeldMask) == 0;
    });
    if (result == LockResult::kAcquired) {
      word_.TakeAsPending();
      waiter.events.Count(LockEvent::kPending);
    } else {
      word_.ClearPending();
    }
    return result;
  }

  LockResult Queue(Waiter& waiter, int64_t timeout_ns) {
    const uint32_t me = waiter.TakeNode();
    Node& node = waiter.node(me);
    waiter.events.Count(LockEvent::kQueued);
    StoreRelaxed(&node.next, uint32_t{0});  // relaxed: published by the swap.
    StoreRelaxed(&node.state, kNodeWaiting);
    StoreRelaxed(&node.phase, Phase::kPublished);
    const uint32_t before = word_.SwapTail(me);
    LockResult result = LockResult::kAcquired;
    if (before != 0) {
      StoreRelease(&waiter.node(before).next, me);
      StoreRelaxed(&node.phase, Phase::kLinked);
      result = AwaitHead(waiter, node);
    }
    if (result == LockResult::kAborted) return result;  // Keeps the node.
    StoreRelaxed(&node.phase, Phase::kHead);
    if (result == LockResult::kAcquired) {
      result = WaitFor(waiter, 2 * timeout_ns,
                       [&] { return (word_.ReadAcquire() & kBusy) == 0; });
    }
    if (result == LockResult::kAborted) return result;
    const uint32_t verdict =
        result == LockResult::kAcquired ? kNodeGranted : kNodeTimedOut;
    if (!Leave(waiter, node, me, verdict)) return LockResult::kAborted;
    waiter.ReturnNode(me);
    return result;
  }

  // Has no time limit of its own: the head's ends the wait of all.
  static LockResult AwaitHead(Waiter& waiter, Node& node) {
    uint32_t state = kNodeWaiting;
    if (!YieldWait::Until(waiter, &node, [&] {
          return (state = LoadAcquire(&node.state)) != kNodeWaiting;
        })) {
      return LockResult::kAborted;
    }
    return state == kNodeGranted ? LockResult::kAcquired
                                 : LockResult::kTimedOut;
  }

  // Takes the lock if that is the verdict, and tells the next one its own.
  bool Leave(Waiter& waiter, Node& node, uint32_t me, uint32_t verdict) {
    const bool take = verdict == kNodeGranted;
    const uint32_t tail = me << QueuedWord::kTailShift;
    uint32_t seen = word_.Read();
    while ((seen >> QueuedWord::kTailShift) == me) {
      const uint32_t low = take ? QueuedWord::kHeld : seen & ~tail;
      if (take && (seen & kBusy) != 0) break;  // A pending one will queue.
      if (word_.Replace(seen, low)) return true;
    }
    if (take) word_.TakeAsHead();
    uint32_t next = 0;
    if (!YieldWait::Until(waiter, &node, [&] {
          return (next = LoadAcquire(&node.next)) != 0;
        })) {
      return false;
    }
    StoreRelease(&waiter.node(next).state, verdict);
    return true;
  }

  QueuedWord word_;
};

}  // namespace hackbench::sync
