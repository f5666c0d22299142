// SPDX-License-Identifier: MIT
#include "sync/lockref.h"

#include <gtest/gtest.h>

#include <thread>

#include "sync/lock_test_rig.h"

namespace hackbench::sync {
namespace {

template <class R>
struct RefRig {
  RefRig() : arena(MapOrDie({.tasks = 9})) {
    ref = new (arena.Allocate(sizeof(R))) R{};
  }
  Arena arena;
  R* ref;
};

template <class R>
class LockrefTest : public testing::Test {};
using Order = atomics::Order;
using Refs =
    testing::Types<Lockref<BasicTicketLock<YieldWait>>,
                   Lockref<BasicTicketLock<YieldWait>, false>,
                   Lockref<BasicQueuedLock<YieldWait>, true, Order::kFull>,
                   Lockref<BasicQueuedLock<YieldWait>, false>,
                   Lockref<HybridLock>, Lockref<HybridLock, false>>;
TYPED_TEST_SUITE(LockrefTest, Refs);

TYPED_TEST(LockrefTest, CountsEveryGetAndPutOfManyTasks) {
  constexpr int kTasks = 8;
  const int rounds = atomics::Rounds(5000);
  for (const bool processes : {false, true}) {
    RefRig<TypeParam> rig;
    const auto work = [&](int task) {
      Waiter waiter(rig.arena, static_cast<uint32_t>(task));
      for (int i = 0; i < rounds; ++i) {
        if (!rig.ref->GetNotDead(waiter)) return;
        // Some changes under the lock itself.
        if (i % 8 == 0 && Holds(rig.ref->lock().Lock(waiter))) {
          rig.ref->set_count(rig.ref->count() + 1);
          rig.ref->lock().Unlock(waiter);
        }
        if (i % 2 == 0) rig.ref->Put(waiter);
      }
    };
    if (processes) {
      EXPECT_TRUE(atomics::RunInProcesses(kTasks, work));
    } else {
      atomics::RunInThreads(kTasks, work);
    }
    const int each = rounds - (rounds + 1) / 2 + (rounds + 7) / 8;
    EXPECT_EQ(rig.ref->count(), kTasks * each);
  }
}

TYPED_TEST(LockrefTest, StandsStillWhileTheLockIsHeld) {
  RefRig<TypeParam> rig;
  Waiter holder(rig.arena, 0);
  ASSERT_TRUE(Holds(rig.ref->lock().Lock(holder)));
  uint32_t got = 0;
  std::thread other([&] {
    Waiter waiter(rig.arena, 1);
    rig.ref->Get(waiter);
    StoreRelease(&got, 1U);
  });
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(rig.ref->count(), 0);
    EXPECT_EQ(LoadAcquire(&got), 0U);
    sched_yield();
  }
  rig.ref->lock().Unlock(holder);
  other.join();
  EXPECT_EQ(rig.ref->count(), 1);
}

TYPED_TEST(LockrefTest, DeadIsNotGotAgain) {
  RefRig<TypeParam> rig;
  Waiter waiter(rig.arena, 0);
  ASSERT_TRUE(rig.ref->Get(waiter));
  EXPECT_FALSE(rig.ref->PutOrLock(waiter)) << "the last one locks";
  rig.ref->MarkDead();
  rig.ref->lock().Unlock(waiter);
  EXPECT_FALSE(rig.ref->GetNotDead(waiter));
  EXPECT_FALSE(rig.ref->GetNotZero(waiter));
  EXPECT_EQ(rig.ref->count(), kDeadCount);
}

TYPED_TEST(LockrefTest, ZeroIsNotGotUnlessAsked) {
  RefRig<TypeParam> rig;
  Waiter waiter(rig.arena, 0);
  EXPECT_FALSE(rig.ref->GetNotZero(waiter));
  EXPECT_TRUE(rig.ref->Get(waiter));
  EXPECT_TRUE(rig.ref->GetNotZero(waiter));
  EXPECT_TRUE(rig.ref->PutOrLock(waiter));
  EXPECT_EQ(rig.ref->count(), 1);
}

TEST(LockrefPutReturnTest, SaysWhatIsLeftOrThatItCouldNot) {
  RefRig<Lockref<HybridLock>> rig;
  Waiter waiter(rig.arena, 0);
  EXPECT_EQ(rig.ref->PutReturn(), -1);
  ASSERT_TRUE(rig.ref->Get(waiter));
  ASSERT_TRUE(Holds(rig.ref->lock().Lock(waiter)));
  EXPECT_EQ(rig.ref->PutReturn(), -1) << "held: the count stands still";
  rig.ref->lock().Unlock(waiter);
  EXPECT_EQ(rig.ref->PutReturn(), 0);
}

}  // namespace
}  // namespace hackbench::sync
