// SPDX-License-Identifier: MIT
// A shuffle lock after Kashyap et al., SOSP 2019: a test-and-set word in front
// of an MCS queue, and a waiter, not the holder, that moves waiters of its own
// NUMA node together while it waits. Newcomers may steal a free word while the
// queue is empty of heads that forbid it.
#pragma once

#include "sync/lock_traits.h"
#include "sync/queued_word.h"
#include "sync/wait_policy.h"

namespace hackbench::sync {

template <class Wait>
class BasicShuffleLock {
 public:
  static constexpr std::string_view kName = "shuffle";
  static constexpr std::string_view kSummary =
      "stealable word, waiters group the queue by NUMA node";
  static constexpr LockTraits kTraits = {.pure_spin = Wait::kPure};

  LockResult Lock(Waiter& waiter) {
    if (word_.TakeFree()) return LockResult::kAcquired;
    return LockSlow(waiter);
  }
  bool TryLock(Waiter&) { return word_.Read() == 0 && word_.TakeFree(); }
  void Unlock(Waiter& waiter) {
    word_.Release();
    Wait::Wake(waiter, this);
  }
  bool IsLocked() const { return word_.ReadAcquire() != 0; }

 private:
  static constexpr uint32_t kBusy =
      QueuedWord::kHeldMask | QueuedWord::kPendingMask;
  static constexpr uint32_t kMaxBatch = 1024;

  [[gnu::noinline]] LockResult LockSlow(Waiter& waiter) {
    if ((word_.Read() & kBusy) == 0 && word_.TakeLowHalf()) {
      waiter.events.Count(LockEvent::kStolen);
      return LockResult::kAcquired;
    }
    const uint32_t me = waiter.TakeNode();
    if (me == 0) return LockResult::kTooDeep;
    waiter.events.Count(LockEvent::kQueued);
    Node& node = waiter.node(me);
    StoreRelaxed(&node.next, uint32_t{0});  // relaxed: published by the swap.
    StoreRelaxed(&node.state, kNodeWaiting);
    StoreRelaxed(&node.shuffler, uint32_t{0});
    StoreRelaxed(&node.batch, uint32_t{0});
    StoreRelaxed(&node.phase, Phase::kPublished);
    const uint32_t before = word_.SwapTail(me);
    if (before != 0) {
      StoreRelease(&waiter.node(before).next, me);
      StoreRelaxed(&node.phase, Phase::kLinked);
      if (!Wait::Until(waiter, &node, [&] {
            if (LoadAcquire(&node.state) == kNodeGranted) return true;
            if (LoadAcquire(&node.shuffler) != 0) Shuffle(waiter, node, me);
            return false;
          })) {
        return LockResult::kAborted;
      }
    } else {
      StoreRelaxed(&node.shuffler, uint32_t{1});
    }
    StoreRelaxed(&node.phase, Phase::kHead);
    const LockResult result = TakeAsHead(waiter, node, me);
    if (result == LockResult::kAcquired) waiter.ReturnNode(me);
    return result;
  }

  LockResult TakeAsHead(Waiter& waiter, Node& node, uint32_t me) {
    word_.ForbidStealing();
    if (!Wait::Until(waiter, this, [&] {
          if ((word_.ReadAcquire() & QueuedWord::kHeldMask) == 0) return true;
          if (LoadAcquire(&node.shuffler) != 0) Shuffle(waiter, node, me);
          return false;
        })) {
      return LockResult::kAborted;
    }
    word_.TakeAsPending();
    uint32_t next = LoadAcquire(&node.next);
    if (next == 0) {
      if (word_.TakeAsLast(me << QueuedWord::kTailShift | QueuedWord::kHeld)) {
        return LockResult::kAcquired;
      }
      if (!YieldWait::Until(waiter, &node, [&] {
            return (next = LoadAcquire(&node.next)) != 0;
          })) {
        return LockResult::kAborted;
      }
    }
    // Whoever still shuffles does so behind its own node; the role is ours to
    // pass on only if we still have it.
    if (LoadAcquire(&node.shuffler) != 0) {
      StoreRelaxed(&waiter.node(next).shuffler, uint32_t{1});
    }
    StoreRelease(&waiter.node(next).state, kNodeGranted);
    Wait::Wake(waiter, &waiter.node(next));
    return LockResult::kAcquired;
  }

  // Moves waiters of our NUMA node up behind us and hands the role to the last
  // of them. Only the one shuffler writes links behind itself, and it leaves
  // the tail alone: whoever links itself to the tail writes that one.
  static void Shuffle(Waiter& waiter, Node& node, uint32_t me) {
    uint32_t batch = LoadRelaxed(&node.batch);
    if (batch >= kMaxBatch) return;
    uint32_t last = me;
    uint32_t prev = me;
    for (;;) {
      const uint32_t at = LoadAcquire(&waiter.node(prev).next);
      if (at == 0) break;
      const uint32_t after = LoadAcquire(&waiter.node(at).next);
      if (waiter.node(at).numa_node != node.numa_node) {
        prev = at;
        continue;
      }
      if (prev == last) {  // Stands right already.
        last = at;
        prev = at;
        StoreRelaxed(&waiter.node(at).batch, ++batch);
        continue;
      }
      if (after == 0) break;  // The tail stays where it is.
      waiter.events.Count(LockEvent::kReordered);
      StoreRelaxed(&waiter.node(at).batch, ++batch);
      StoreRelease(&waiter.node(prev).next, after);
      StoreRelease(&waiter.node(at).next, LoadAcquire(&waiter.node(last).next));
      StoreRelease(&waiter.node(last).next, at);
      last = at;
      if (batch >= kMaxBatch) break;
    }
    if (last == me) return;
    StoreRelaxed(&node.shuffler, uint32_t{0});
    StoreRelease(&waiter.node(last).shuffler, uint32_t{1});
  }

  QueuedWord word_;
};
using ShuffleLock = BasicShuffleLock<SpinWait>;

}  // namespace hackbench::sync
