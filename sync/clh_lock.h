// SPDX-License-Identifier: MIT
// A FIFO spinlock after Craig (1993) and Landin and Hagersten (1994): each
// waiter spins on the line of the one before it and takes that node over when
// it has been released. Owns one node of the arena, so it must be made by
// MakeLock(). Collapses beyond the number of CPUs.
#pragma once

#include "sync/lock_traits.h"
#include "sync/wait_policy.h"

namespace hackbench::sync {

template <class Wait>
class BasicClhLock {
 public:
  static constexpr std::string_view kName = "clh";
  static constexpr std::string_view kSummary =
      "queue, each on the line of the one before";
  static constexpr LockTraits kTraits = {
      .pure_spin = Wait::kPure, .fifo = true, .has_try = false};

  bool Prepare(Arena& arena) {
    tail_ = arena.TakeSpareNode();
    if (tail_ == 0) return false;
    arena.nodes()[tail_].state = kNodeGranted;
    return true;
  }

  LockResult Lock(Waiter& waiter) {
    const uint32_t me = waiter.TakeNode();
    if (me == 0) return LockResult::kTooDeep;
    Node& node = waiter.node(me);
    StoreRelaxed(&node.state, kNodeWaiting);  // relaxed: see the exchange.
    const uint32_t before = atomics::Xchg<atomics::Order::kFull>(&tail_, me);
    Node& other = waiter.node(before);
    if (LoadAcquire(&other.state) != kNodeGranted &&
        !Queue(waiter, node, other)) {
      return LockResult::kAborted;
    }
    StoreRelaxed(&node.prev, before);  // relaxed: for our own unlock.
    StoreRelaxed(&owner_, me);
    return LockResult::kAcquired;
  }
  // Cannot be tried: who has exchanged the tail has to wait.
  bool TryLock(Waiter&) { return false; }
  void Unlock(Waiter& waiter) {
    const uint32_t me = LoadRelaxed(&owner_);
    Node& node = waiter.node(me);
    const uint32_t before = LoadRelaxed(&node.prev);
    waiter.ReplaceNode(me, before);
    StoreRelease(&node.state, kNodeGranted);
    Wait::Wake(waiter, &node);
  }

 private:
  [[gnu::noinline]] static bool Queue(Waiter& waiter, Node& node, Node& other) {
    waiter.events.Count(LockEvent::kQueued);
    StoreRelaxed(&node.phase, Phase::kLinked);
    const bool got = Wait::Until(waiter, &other, [&] {
      return LoadAcquire(&other.state) == kNodeGranted;
    });
    if (got) StoreRelaxed(&node.phase, Phase::kOwner);
    return got;
  }

  uint32_t tail_ = 0;
  uint32_t owner_ = 0;
};
using ClhLock = BasicClhLock<SpinWait>;

}  // namespace hackbench::sync
