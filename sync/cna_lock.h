// SPDX-License-Identifier: MIT
// A NUMA-aware MCS lock after Dice and Kogan, 2019: the holder hands over to
// the next waiter of its own node and moves those it skips to a second queue,
// which is put in front again now and then. On one node it is an MCS lock.
//
// Which node a task is on is Waiter::numa_node, a hint.
#pragma once

#include "sync/lock_traits.h"
#include "sync/wait_policy.h"

namespace hackbench::sync {

template <class Wait>
class BasicCnaLock {
 public:
  static constexpr std::string_view kName = "cna";
  static constexpr std::string_view kSummary =
      "mcs that stays on its NUMA node for a while";
  static constexpr LockTraits kTraits = {.pure_spin = Wait::kPure,
                                         .fifo = true};

  LockResult Lock(Waiter& waiter) {
    const uint32_t me = waiter.TakeNode();
    if (me == 0) return LockResult::kTooDeep;
    Node& node = waiter.node(me);
    // relaxed: the exchange publishes them.
    StoreRelaxed(&node.next, uint32_t{0});
    StoreRelaxed(&node.state, kNodeWaiting);
    StoreRelaxed(&node.secondary, uint32_t{0});
    const uint32_t before = atomics::Xchg<atomics::Order::kFull>(&tail_, me);
    if (before != 0 && !Queue(waiter, node, before, me)) {
      return LockResult::kAborted;
    }
    owner_ = me;
    return LockResult::kAcquired;
  }
  bool TryLock(Waiter& waiter) {
    if (LoadRelaxed(&tail_) != 0) return false;  // relaxed: a look only.
    const uint32_t me = waiter.TakeNode();
    if (me == 0) return false;
    StoreRelaxed(&waiter.node(me).next, uint32_t{0});
    StoreRelaxed(&waiter.node(me).secondary, uint32_t{0});
    uint32_t none = 0;
    if (!atomics::Cmpxchg<atomics::Order::kFull>(&tail_, none, me)) {
      waiter.ReturnNode(me);
      return false;
    }
    owner_ = me;
    return true;
  }
  void Unlock(Waiter& waiter) {
    const uint32_t me = owner_;
    Node& node = waiter.node(me);
    uint32_t next = LoadAcquire(&node.next);
    if (next == 0) {
      if (ReleaseAsLast(waiter, node, me)) return;
      if (!YieldWait::Until(waiter, &node, [&] {
            return (next = LoadAcquire(&node.next)) != 0;
          })) {
        return;
      }
    }
    HandOver(waiter, node, next);
    waiter.ReturnNode(me);
  }
  bool IsLocked() const { return LoadAcquire(&tail_) != 0; }

 private:
  // One hand-over in so many puts the second queue in front.
  static constexpr uint32_t kHandOversPerFlush = 65536;

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

  // Nobody behind us: leave, or make the second queue the first.
  bool ReleaseAsLast(Waiter& waiter, Node& node, uint32_t me) {
    uint32_t expected = me;
    if (node.secondary == 0) {
      if (!atomics::Cmpxchg<atomics::Order::kRelease>(&tail_, expected, 0)) {
        return false;
      }
      waiter.ReturnNode(me);
      return true;
    }
    const uint32_t head = node.secondary;
    if (!atomics::Cmpxchg<atomics::Order::kRelease>(
            &tail_, expected, waiter.node(head).secondary_tail)) {
      return false;
    }
    Grant(waiter, head, 0);
    waiter.ReturnNode(me);
    return true;
  }

  void HandOver(Waiter& waiter, Node& node, uint32_t next) {
    if (waiter.node(next).numa_node == node.numa_node && node.secondary == 0) {
      Grant(waiter, next, 0);
      return;
    }
    const bool flush = ++hand_overs_ % kHandOversPerFlush == 0;
    const uint32_t near = flush ? 0 : FindNear(waiter, node, next);
    if (near != 0) {
      Grant(waiter, near, node.secondary);
    } else if (node.secondary != 0) {
      const uint32_t head = node.secondary;
      Node& last = waiter.node(waiter.node(head).secondary_tail);
      StoreRelease(&last.next, next);
      Grant(waiter, head, 0);
    } else {
      Grant(waiter, next, 0);
    }
  }

  // The first waiter of our node, those before it moved to the second queue;
  // 0 when there is none.
  static uint32_t FindNear(Waiter& waiter, Node& node, uint32_t next) {
    uint32_t last_far = 0;
    uint32_t at = next;
    while (at != 0 && waiter.node(at).numa_node != node.numa_node) {
      last_far = at;
      at = LoadAcquire(&waiter.node(at).next);
    }
    if (at == 0 || last_far == 0) return at;
    waiter.events.Count(LockEvent::kReordered);
    if (node.secondary == 0) {
      node.secondary = next;
    } else {
      Node& tail = waiter.node(waiter.node(node.secondary).secondary_tail);
      StoreRelease(&tail.next, next);
    }
    waiter.node(node.secondary).secondary_tail = last_far;
    StoreRelease(&waiter.node(last_far).next, uint32_t{0});
    return at;
  }

  static void Grant(Waiter& waiter, uint32_t to, uint32_t secondary) {
    waiter.node(to).secondary = secondary;
    StoreRelease(&waiter.node(to).state, kNodeGranted);
    Wait::Wake(waiter, &waiter.node(to));
  }

  uint32_t tail_ = 0;
  uint32_t owner_ = 0;  // These two under the lock.
  uint32_t hand_overs_ = 0;
};
using CnaLock = BasicCnaLock<SpinWait>;

}  // namespace hackbench::sync
