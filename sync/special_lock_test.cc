// SPDX-License-Identifier: MIT
// What only some locks promise.
#include <gtest/gtest.h>

#include <thread>

#include "sync/lock_test_rig.h"
#include "sync/preempt.h"

namespace hackbench::sync {
namespace {

template <class L>
L* MakeIn(Arena& arena) {
  void* memory = arena.Allocate(sizeof(L));
  EXPECT_TRUE(MakeLock<L>(memory, arena));
  return static_cast<L*>(memory);
}

// 16 bits of tickets come round again (a 15-bit one was misread on ia64).
TEST(TicketLockTest, SurvivesItsWrap) {
  Arena arena = MapOrDie({.tasks = 3});
  Waiter waiter(arena, 0);
  BasicTicketLock<YieldWait> lock(uint16_t{65534});
  for (int i = 0; i < 1 << 17; ++i) {
    ASSERT_FALSE(lock.IsLocked()) << i;
    ASSERT_EQ(lock.Lock(waiter), LockResult::kAcquired);
    ASSERT_TRUE(lock.IsLocked()) << i;
    lock.Unlock(waiter);
  }
}

TEST(TicketLockTest, QueuesAcrossItsWrap) {
  Arena arena = MapOrDie({.tasks = 4});
  BasicTicketLock<YieldWait> lock(uint16_t{65533});
  uint64_t count = 0;
  const int rounds = atomics::Rounds(2000);
  atomics::RunInThreads(4, [&](int task) {
    Waiter waiter(arena, static_cast<uint32_t>(task));
    for (int i = 0; i < rounds; ++i) {
      if (!Holds(lock.Lock(waiter))) return;
      ++count;
      lock.Unlock(waiter);
    }
  });
  EXPECT_EQ(count, 4U * static_cast<unsigned>(rounds));
}

TEST(McsLockTest, RefusesToNestDeeperThanItsNodes) {
  Arena arena = MapOrDie({.tasks = 1});
  Waiter waiter(arena, 0);
  std::array<McsLock, kNodesPerTask + 1> locks;
  for (uint32_t i = 0; i < kNodesPerTask; ++i) {
    ASSERT_EQ(locks[i].Lock(waiter), LockResult::kAcquired);
  }
  EXPECT_EQ(locks[kNodesPerTask].Lock(waiter), LockResult::kTooDeep);
  locks[0].Unlock(waiter);
  EXPECT_EQ(locks[kNodesPerTask].Lock(waiter), LockResult::kAcquired);
}

// Whoever has no node left must not touch the pending byte, or a head waits
// for a successor that never queues.
TEST(QueuedLockTest, WaitsWithoutANode) {
  Arena arena = MapOrDie({.tasks = 5});
  auto* lock = MakeIn<BasicQueuedLock<YieldWait>>(arena);
  uint64_t count = 0;
  const int rounds = atomics::Rounds(500);
  atomics::RunInThreads(4, [&](int task) {
    Waiter waiter(arena, static_cast<uint32_t>(task));
    if (task % 2 == 0) {
      while (waiter.HasNode()) waiter.TakeNode();
    }
    for (int i = 0; i < rounds; ++i) {
      if (!Holds(lock->Lock(waiter))) return;
      ++count;
      if (i % 8 == 0) sched_yield();
      lock->Unlock(waiter);
    }
  });
  EXPECT_EQ(count, 4U * static_cast<unsigned>(rounds));
}

template <class L>
class SharedLockTest : public testing::Test {};
using SharedLocks =
    testing::Types<BasicQrwLock<YieldWait, BasicQueuedInlineLock<YieldWait>>,
                   QrwAdaptiveLock>;
TYPED_TEST_SUITE(SharedLockTest, SharedLocks);

TYPED_TEST(SharedLockTest, ReadersHoldItTogetherAndKeepWritersOut) {
  Arena arena = MapOrDie({.tasks = 3});
  auto* lock = MakeIn<TypeParam>(arena);
  Waiter one(arena, 0);
  Waiter two(arena, 1);
  ASSERT_TRUE(Holds(lock->LockShared(one)));
  ASSERT_TRUE(Holds(lock->LockShared(two)));
  Waiter writer(arena, 2);
  EXPECT_FALSE(lock->TryLock(writer));
  lock->UnlockShared(one);
  EXPECT_FALSE(lock->TryLock(writer));
  lock->UnlockShared(two);
  EXPECT_TRUE(lock->TryLock(writer));
  EXPECT_FALSE(lock->TryLockShared(one));
  lock->Unlock(writer);
  EXPECT_FALSE(lock->IsLocked());
}

// A writer that waits is served although readers keep coming: each of them
// goes only when the next is in.
TYPED_TEST(SharedLockTest, AWriterGetsThroughOverlappingReaders) {
  Arena arena = MapOrDie({.tasks = 3});
  auto* lock = MakeIn<TypeParam>(arena);
  uint32_t wrote = 0;
  const auto read = [&](int task) {
    Waiter waiter(arena, static_cast<uint32_t>(task));
    while (LoadAcquire(&wrote) == 0) {
      if (!Holds(lock->LockShared(waiter))) return;
      sched_yield();
      lock->UnlockShared(waiter);
    }
  };
  std::thread first(read, 0);
  std::thread second(read, 1);
  std::thread writer([&] {
    Waiter waiter(arena, 2);
    if (Holds(lock->Lock(waiter))) {
      StoreRelease(&wrote, 1U);
      lock->Unlock(waiter);
    }
  });
  first.join();
  second.join();
  writer.join();
  EXPECT_EQ(wrote, 1U);
}

TYPED_TEST(SharedLockTest, ReadersSeeWholeWrites) {
  constexpr int kTasks = 6;
  for (const bool processes : {false, true}) {
    Arena arena = MapOrDie({.tasks = kTasks});
    auto* lock = MakeIn<TypeParam>(arena);
    auto* guarded = static_cast<Guarded*>(arena.Allocate(sizeof(Guarded)));
    const int rounds = atomics::Rounds(1500);
    const auto work = [&](int task) {
      Waiter waiter(arena, static_cast<uint32_t>(task));
      for (int i = 0; i < rounds; ++i) {
        if (task < 2) {
          if (!Holds(lock->Lock(waiter))) return;
          guarded->first = guarded->first + 1;
          if (i % 16 == 0) sched_yield();
          guarded->second = guarded->second + 1;
          lock->Unlock(waiter);
        } else {
          if (!Holds(lock->LockShared(waiter))) return;
          if (guarded->first != guarded->second) {
            atomics::FetchAdd(&guarded->failed, 1);
          }
          lock->UnlockShared(waiter);
        }
      }
    };
    if (processes) {
      EXPECT_TRUE(atomics::RunInProcesses(kTasks, work));
    } else {
      atomics::RunInThreads(kTasks, work);
    }
    EXPECT_EQ(guarded->failed, 0U);
    EXPECT_EQ(guarded->first, 2U * static_cast<unsigned>(rounds));
  }
}

TEST(ResilientLockTest, FindsThatItHoldsTheLockItself) {
  Arena arena = MapOrDie({.tasks = 1});
  auto* lock = MakeIn<ResilientLock>(arena);
  Waiter waiter(arena, 0);
  ASSERT_EQ(lock->Lock(waiter), LockResult::kAcquired);
  EXPECT_EQ(lock->Lock(waiter), LockResult::kDeadlock);
  lock->Unlock(waiter);
  EXPECT_EQ(lock->Lock(waiter), LockResult::kAcquired);
}

TEST(ResilientLockTest, FindsTwoThatWaitForEachOther) {
  Arena arena = MapOrDie({.tasks = 2});
  std::array<ResilientLock*, 2> locks = {MakeIn<ResilientLock>(arena),
                                         MakeIn<ResilientLock>(arena)};
  uint32_t ready = 0;
  uint32_t deadlocks = 0;
  // No limit that could pass: only the check can end it.
  constexpr int64_t kForeverNs = int64_t{1} << 50;
  atomics::RunInThreads(2, [&](int task) {
    const auto mine = static_cast<size_t>(task);
    Waiter waiter(arena, static_cast<uint32_t>(task));
    ASSERT_TRUE(Holds(locks[mine]->Lock(waiter)));
    atomics::FetchAdd(&ready, 1);
    while (LoadAcquire(&ready) < 2) sched_yield();
    const LockResult result = locks[1 - mine]->LockFor(waiter, kForeverNs);
    if (result == LockResult::kDeadlock) atomics::FetchAdd(&deadlocks, 1);
    if (Holds(result)) locks[1 - mine]->Unlock(waiter);
    locks[mine]->Unlock(waiter);
  });
  EXPECT_GE(deadlocks, 1U);
  EXPECT_FALSE(locks[0]->IsLocked());
  EXPECT_FALSE(locks[1]->IsLocked());
}

TEST(ResilientLockTest, TheWholeQueueGivesUpAndTheLockIsUsableAfterwards) {
  constexpr int kWaiters = 6;
  Arena arena = MapOrDie({.tasks = kWaiters + 1});
  auto* lock = MakeIn<ResilientLock>(arena);
  Waiter holder(arena, kWaiters);
  ASSERT_TRUE(Holds(lock->Lock(holder)));
  uint32_t timed_out = 0;
  atomics::RunInThreads(kWaiters, [&](int task) {
    Waiter waiter(arena, static_cast<uint32_t>(task));
    if (lock->LockFor(waiter, 5'000'000) == LockResult::kTimedOut) {
      atomics::FetchAdd(&timed_out, 1);
    }
  });
  EXPECT_EQ(timed_out, static_cast<uint32_t>(kWaiters));
  lock->Unlock(holder);
  EXPECT_FALSE(lock->IsLocked());
  EXPECT_EQ(lock->Lock(holder), LockResult::kAcquired);
}

// Two NUMA nodes that are not there: the queues are reordered for real.
template <class L>
class NumaLockTest : public testing::Test {};
using NumaLocks =
    testing::Types<BasicCnaLock<YieldWait>, BasicShuffleLock<YieldWait>,
                   BasicCnaLock<HybridWait>, BasicShuffleLock<HybridWait>>;
TYPED_TEST_SUITE(NumaLockTest, NumaLocks);

TYPED_TEST(NumaLockTest, ServesEverybodyWhileItReorders) {
  constexpr int kTasks = 12;
  Arena arena = MapOrDie({.tasks = kTasks});
  auto* lock = MakeIn<TypeParam>(arena);
  uint64_t count = 0;
  uint64_t reordered = 0;
  const int rounds = atomics::Rounds(300);
  atomics::RunInThreads(kTasks, [&](int task) {
    Waiter waiter(arena, static_cast<uint32_t>(task));
    waiter.numa_node = static_cast<uint32_t>(task % 2);
    for (int i = 0; i < rounds; ++i) {
      if (!Holds(lock->Lock(waiter))) return;
      ++count;
      // Time for a queue to form.
      if (i % 2 == 0) sched_yield();
      lock->Unlock(waiter);
    }
    if (!Holds(lock->Lock(waiter))) return;
    reordered += waiter.events.Of(LockEvent::kReordered);
    lock->Unlock(waiter);
  });
  EXPECT_EQ(count,
            static_cast<uint64_t>(kTasks) * static_cast<uint64_t>(rounds));
  EXPECT_GT(reordered, 0U);
}

TEST(PreemptLockTest, CountsOnlyWhereTheModelDoes) {
  Arena arena = MapOrDie({.tasks = 1});
  Waiter waiter(arena, 0);
  PreemptLock<HybridLock, PreemptFull, Call::kOutOfLine> full;
  PreemptLock<HybridLock, PreemptNone, Call::kInline> none;
  ASSERT_TRUE(Holds(none.Lock(waiter)));
  EXPECT_EQ(preempt_state.count, 0U);
  ASSERT_TRUE(Holds(full.Lock(waiter)));
  EXPECT_EQ(preempt_state.count, 1U);
  SetNeedResched();
  none.Unlock(waiter);
  EXPECT_EQ(preempt_state.no_resched, 0U) << "not while one is held";
  full.Unlock(waiter);
  EXPECT_EQ(preempt_state.count, 0U);
  EXPECT_EQ(preempt_state.no_resched, 1U) << "the switch was made";
}

TEST(ArenaTest, RefusesMoreTasksThanCanBeNamed) {
  EXPECT_TRUE(Arena::Map({.tasks = 16000}).ok());
  const auto refused = Arena::Map({.tasks = 17000});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message().find("17000"), std::string::npos);
}

TEST(WaitBudgetTest, ZeroIsZeroAndMoreIsMore) {
  EXPECT_EQ(WaitBudget::Calibrated(0, 0).spins, 0U);
  EXPECT_LT(WaitBudget::Calibrated(10'000).spins,
            WaitBudget::Calibrated(1'000'000).spins);
}

}  // namespace
}  // namespace hackbench::sync
