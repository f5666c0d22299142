// SPDX-License-Identifier: MIT
// What every lock of the list promises, by threads and by forked processes.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <thread>

#include "sync/lock_test_rig.h"

namespace hackbench::sync {
namespace {

template <class... L>
testing::Types<L...> TypesOf(Locks<L...>);
using AllLocks = decltype(TypesOf(LockList{}));

struct LockName {
  template <class L>
  static std::string GetName(int) {
    std::string name;
    for (const char letter : L::kName) {
      name += letter == '-' ? '_' : letter;
    }
    return name;
  }
};

#if HACKBENCH_THREAD_SANITIZER
constexpr bool kUnderThreadSanitizer = true;
#else
constexpr bool kUnderThreadSanitizer = false;
#endif

// Waits as long as it takes: on a busy machine the time limit of a lock that
// has one passes, which is no fault of the lock's.
template <class L>
LockResult LockPatiently(L& lock, Waiter& waiter) {
  if constexpr (L::kTraits.times_out) {
    constexpr int64_t kHourNs = 3'600'000'000'000;
    return lock.LockFor(waiter, kHourNs);
  } else {
    return lock.Lock(waiter);
  }
}

// The leading bytes that the first in line may change at any time, so that a
// change there says nothing of who has arrived: the low half of a queued word
// whose head forbids stealing and goes to sleep.
template <class L>
constexpr size_t kHeadMarks = 0;
template <bool kSteal, Scope kScope>
constexpr size_t kHeadMarks<BasicPvQueuedLock<kSteal, kScope>> = 2;

template <class L>
class LockTest : public testing::Test {
 protected:
  // `none` promises nothing, and `busted` breaks its promise.
  static constexpr bool kKeepsPromise =
      L::kTraits.excludes && !std::is_same_v<L, BustedLock>;
};
TYPED_TEST_SUITE(LockTest, AllLocks, LockName);

TYPED_TEST(LockTest, ExcludesThreads) {
  if (!this->kKeepsPromise) GTEST_SKIP();
  for (const int tasks : TaskCounts<TypeParam>()) {
    Rig<TypeParam> rig(static_cast<uint32_t>(tasks));
    const int rounds = RoundsFor<TypeParam>(tasks);
    atomics::RunInThreads(tasks, [&](int i) { rig.Work(i, rounds); });
    EXPECT_TRUE(rig.IsIntact(rounds)) << tasks << " threads";
  }
}

TYPED_TEST(LockTest, ExcludesProcesses) {
  if (!this->kKeepsPromise || !TypeParam::kTraits.process_shared) GTEST_SKIP();
  for (const int tasks : TaskCounts<TypeParam>()) {
    Rig<TypeParam> rig(static_cast<uint32_t>(tasks));
    const int rounds = RoundsFor<TypeParam>(tasks);
    EXPECT_TRUE(
        atomics::RunInProcesses(tasks, [&](int i) { rig.Work(i, rounds); }));
    EXPECT_TRUE(rig.IsIntact(rounds)) << tasks << " processes";
  }
}

// Everything past the fast path at once: no spin, no yield.
TYPED_TEST(LockTest, WorksWithoutABudget) {
  if (!this->kKeepsPromise || TypeParam::kTraits.pure_spin) GTEST_SKIP();
  constexpr int kTasks = 8;
  const int rounds = atomics::Rounds(300);
  Rig<TypeParam> rig(kTasks, WaitBudget{.spins = 0, .yields = 0});
  atomics::RunInThreads(kTasks, [&](int i) { rig.Work(i, rounds); });
  EXPECT_TRUE(rig.IsIntact(rounds));
}

TYPED_TEST(LockTest, TriesWithoutWaiting) {
  if (!this->kKeepsPromise || !TypeParam::kTraits.has_try) GTEST_SKIP();
  Rig<TypeParam> rig(2);
  [[maybe_unused]] typename SessionOf<TypeParam>::Type session;
  Waiter holder(rig.arena(), 0);
  ASSERT_TRUE(rig.lock().TryLock(holder));
  std::thread([&] {
    [[maybe_unused]] typename SessionOf<TypeParam>::Type other_session;
    Waiter other(rig.arena(), 1);
    EXPECT_FALSE(rig.lock().TryLock(other));
  }).join();
  rig.lock().Unlock(holder);
  std::thread([&] {
    [[maybe_unused]] typename SessionOf<TypeParam>::Type other_session;
    Waiter other(rig.arena(), 1);
    EXPECT_TRUE(rig.lock().TryLock(other));
    rig.lock().Unlock(other);
  }).join();
}

TYPED_TEST(LockTest, HoldsFourAndReleasesInAnyOrder) {
  Rig<TypeParam> rig(1);
  [[maybe_unused]] typename SessionOf<TypeParam>::Type session;
  Waiter waiter(rig.arena(), 0);
  std::array<TypeParam*, kNodesPerTask> locks = {};
  for (TypeParam*& lock : locks) lock = rig.MakeOne();
  for (int round = 0; round < 3; ++round) {
    for (TypeParam* lock : locks) ASSERT_TRUE(Holds(lock->Lock(waiter)));
    for (const size_t i : {0U, 2U, 1U, 3U}) locks[i]->Unlock(waiter);
  }
}

// Nothing of the waiters may be written after the release: the lock's memory
// is not there any more.
TYPED_TEST(LockTest, UnlockTouchesNothingAfterTheRelease) {
  if (!this->kKeepsPromise || TypeParam::kTraits.is_baseline) GTEST_SKIP();
  constexpr size_t kPage = 4096;
  // clh takes a spare node for each lock made.
  Arena arena =
      MapOrDie({.tasks = 2, .spare_nodes = 128, .lock_bytes = 16 * kPage});
  auto address = reinterpret_cast<uintptr_t>(arena.Allocate(8 * kPage));
  address = (address + kPage - 1) & ~(kPage - 1);
  void* page = reinterpret_cast<void*>(address);
  auto* lock = static_cast<TypeParam*>(page);
  for (int round = 0; round < atomics::Rounds(100); ++round) {
    std::memset(page, 0, sizeof(TypeParam));
    ASSERT_TRUE(MakeLock<TypeParam>(page, arena));
    uint32_t held = 0;
    uint32_t released = 0;
    std::thread first([&] {
      [[maybe_unused]] typename SessionOf<TypeParam>::Type session;
      Waiter waiter(arena, 0);
      ASSERT_TRUE(Holds(LockPatiently(*lock, waiter)));
      StoreRelease(&held, 1U);
      lock->Unlock(waiter);
      StoreRelease(&released, 1U);
    });
    std::thread second([&] {
      [[maybe_unused]] typename SessionOf<TypeParam>::Type session;
      Waiter waiter(arena, 1);
      while (LoadAcquire(&held) == 0) sched_yield();
      ASSERT_TRUE(Holds(LockPatiently(*lock, waiter)));
      ASSERT_EQ(mprotect(page, kPage, PROT_NONE), 0);
      while (LoadAcquire(&released) == 0) sched_yield();
      ASSERT_EQ(mprotect(page, kPage, PROT_READ | PROT_WRITE), 0);
      lock->Unlock(waiter);
    });
    first.join();
    second.join();
  }
}

TYPED_TEST(LockTest, WaitersLeaveAnAbortedRun) {
  if (!this->kKeepsPromise || !TypeParam::kTraits.checks_abort) GTEST_SKIP();
  constexpr int kWaiters = 3;
  Rig<TypeParam> rig(kWaiters + 1);
  [[maybe_unused]] typename SessionOf<TypeParam>::Type session;
  Waiter holder(rig.arena(), kWaiters);
  ASSERT_TRUE(Holds(rig.lock().Lock(holder)));
  uint32_t aborted = 0;
  std::vector<std::thread> waiters;
  for (uint32_t i = 0; i < kWaiters; ++i) {
    waiters.emplace_back([&, i] {
      [[maybe_unused]] typename SessionOf<TypeParam>::Type own_session;
      Waiter waiter(rig.arena(), i);
      if (LockPatiently(rig.lock(), waiter) == LockResult::kAborted) {
        atomics::FetchAdd(&aborted, 1);
      }
    });
  }
  rig.arena().Abort(AbortReason::kDeadline);
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(aborted, static_cast<uint32_t>(kWaiters));
}

TYPED_TEST(LockTest, ServesInOrderOfArrival) {
  if (!TypeParam::kTraits.fifo) GTEST_SKIP();
  constexpr uint32_t kWaiters = 4;
  for (int round = 0; round < 3; ++round) {
    Rig<TypeParam> rig(kWaiters + 1);
    Waiter holder(rig.arena(), kWaiters);
    ASSERT_TRUE(Holds(rig.lock().Lock(holder)));
    std::vector<uint32_t> served;
    std::vector<std::thread> waiters;
    const auto bytes = [&] {
      std::array<char, sizeof(TypeParam)> copy;
      const auto* lock = reinterpret_cast<const char*>(&rig.lock());
      for (size_t i = 0; i < copy.size(); ++i) copy[i] = LoadAcquire(lock + i);
      for (size_t i = 0; i < kHeadMarks<TypeParam>; ++i) copy[i] = 0;
      return copy;
    };
    for (uint32_t i = 0; i < kWaiters; ++i) {
      const auto before = bytes();
      waiters.emplace_back([&, i] {
        Waiter waiter(rig.arena(), i);
        if (!Holds(LockPatiently(rig.lock(), waiter))) return;
        served.push_back(i);
        rig.lock().Unlock(waiter);
      });
      // An arrival shows in the lock's own bytes.
      while (bytes() == before) sched_yield();
    }
    rig.lock().Unlock(holder);
    for (std::thread& waiter : waiters) waiter.join();
    EXPECT_EQ(served, (std::vector<uint32_t>{0, 1, 2, 3}));
  }
}

TEST(BustedLockTest, IsConvictedWithThreads) {
  if (kUnderThreadSanitizer) GTEST_SKIP() << "it is a data race, and meant so";
  constexpr int kTasks = 8;
  constexpr int kRounds = 400;
  Rig<BustedLock> rig(kTasks);
  atomics::RunInThreads(kTasks, [&](int i) { rig.Work(i, kRounds); });
  EXPECT_FALSE(rig.IsIntact(kRounds));
}

TEST(BustedLockTest, IsConvictedWithProcesses) {
  constexpr int kTasks = 8;
  constexpr int kRounds = 400;
  Rig<BustedLock> rig(kTasks);
  EXPECT_TRUE(
      atomics::RunInProcesses(kTasks, [&](int i) { rig.Work(i, kRounds); }));
  EXPECT_FALSE(rig.IsIntact(kRounds));
}

// The locks again with the two other ways to wait.
using OtherWaits =
    testing::Types<BasicTasLock<YieldWait>, BasicTasLock<HybridWait>,
                   BasicTtasLock<HybridWait>, BasicTicketLock<YieldWait>,
                   BasicTicketLock<HybridWait>, BasicTicket8Lock<HybridWait>,
                   BasicMcsLock<YieldWait>, BasicMcsLock<HybridWait>,
                   BasicClhLock<YieldWait>, BasicClhLock<HybridWait>,
                   BasicQueuedLock<YieldWait>, BasicQueuedLock<HybridWait>,
                   BasicQueuedWordLock<YieldWait>,
                   BasicQueuedWordLock<HybridWait>, BasicCnaLock<HybridWait>,
                   BasicShuffleLock<HybridWait>,
                   BasicQrwLock<YieldWait, BasicQueuedInlineLock<YieldWait>>>;
template <class L>
class OtherWaitTest : public testing::Test {};
TYPED_TEST_SUITE(OtherWaitTest, OtherWaits);

TYPED_TEST(OtherWaitTest, ExcludesManyTasksOfBothSorts) {
  constexpr int kTasks = 64;
  for (const WaitBudget budget : {WaitBudget{}, WaitBudget{0, 0}}) {
    const int rounds = atomics::Rounds(20);
    Rig<TypeParam> threads(kTasks, budget);
    atomics::RunInThreads(kTasks, [&](int i) { threads.Work(i, rounds); });
    EXPECT_TRUE(threads.IsIntact(rounds));
    Rig<TypeParam> processes(kTasks, budget);
    EXPECT_TRUE(atomics::RunInProcesses(
        kTasks, [&](int i) { processes.Work(i, rounds); }));
    EXPECT_TRUE(processes.IsIntact(rounds));
  }
}

}  // namespace
}  // namespace hackbench::sync
