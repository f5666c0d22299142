// SPDX-License-Identifier: MIT
// A FIFO spinlock after Mellor-Crummey and Scott, 1991. Each waiter spins on
// its own line, so a hand-over costs one miss however many wait. Needs a node
// for as long as it is held. Collapses beyond the number of CPUs.
#pragma once

#include "sync/lock_traits.h"
#include "sync/wait_policy.h"

namespace hackbench::sync {

template <class Wait>
class BasicMcsLock {
 public:
  static constexpr std::string_view kName = "mcs";
  static constexpr std::string_view kSummary = "queue, each on its own line";
  static constexpr LockTraits kTraits = {.pure_spin = Wait::kPure,
                                         .fifo = true};

  LockResult Lock(Waiter& waiter) {
    const uint32_t me = waiter.TakeNode();
    if (me == 0) return LockResult::kTooDeep;
    Node& node = waiter.node(me);
    // relaxed: the exchange publishes both.
    StoreRelaxed(&node.next, uint32_t{0});
    StoreRelaxed(&node.state, kNodeWaiting);
    const uint32_t before = atomics::Xchg<atomics::Order::kFull>(&tail_, me);
    if (before != 0 && !Queue(waiter, node, before, me)) {
      return LockResult::kAborted;
    }
    StoreRelaxed(&owner_, me);  // relaxed: for the holder's own unlock.
    return LockResult::kAcquired;
  }
  bool TryLock(Waiter& waiter) {
    if (LoadRelaxed(&tail_) != 0) return false;  // relaxed: a look only.
    const uint32_t me = waiter.TakeNode();
    if (me == 0) return false;
    StoreRelaxed(&waiter.node(me).next, uint32_t{0});
    uint32_t none = 0;
    if (!atomics::Cmpxchg<atomics::Order::kFull>(&tail_, none, me)) {
      waiter.ReturnNode(me);
      return false;
    }
    StoreRelaxed(&owner_, me);
    return true;
  }
  void Unlock(Waiter& waiter) {
    const uint32_t me = LoadRelaxed(&owner_);  // relaxed: we wrote it.
    Node& node = waiter.node(me);
    uint32_t next = LoadAcquire(&node.next);
    if (next == 0) {
      uint32_t expected = me;
      if (atomics::Cmpxchg<atomics::Order::kRelease>(&tail_, expected, 0)) {
        waiter.ReturnNode(me);
        return;
      }
      next = AwaitNext(waiter, node);
      if (next == 0) return;  // Aborted: nobody waits any more.
    }
    StoreRelease(&waiter.node(next).state, kNodeGranted);
    Wait::Wake(waiter, &waiter.node(next));
    waiter.ReturnNode(me);
  }
  bool IsLocked() const { return LoadAcquire(&tail_) != 0; }

 private:
  [[gnu::noinline]] static bool Queue(Waiter& waiter, Node& node,
                                      uint32_t before, uint32_t me) {
    waiter.events.Count(LockEvent::kQueued);
    StoreRelaxed(&node.phase, Phase::kPublished);
    StoreRelease(&waiter.node(before).next, me);
    StoreRelaxed(&node.phase, Phase::kLinked);
    const bool got = Wait::Until(waiter, &node, [&] {
      return LoadAcquire(&node.state) == kNodeGranted;
    });
    if (got) StoreRelaxed(&node.phase, Phase::kOwner);
    return got;
  }
  // The successor has exchanged the tail and is about to say who it is.
  [[gnu::noinline]] static uint32_t AwaitNext(Waiter& waiter, Node& node) {
    uint32_t next = 0;
    YieldWait::Until(waiter, &node,
                     [&] { return (next = LoadAcquire(&node.next)) != 0; });
    return next;
  }

  uint32_t tail_ = 0;
  uint32_t owner_ = 0;
};
using McsLock = BasicMcsLock<SpinWait>;

}  // namespace hackbench::sync
