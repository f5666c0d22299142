// SPDX-License-Identifier: MIT
// Tasks that are killed at any instruction: nobody hangs, a robust lock is
// taken over, and a run is aborted with a report of who died where.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <vector>

#include "sync/lock_test_rig.h"
#include "sync/supervisor.h"

namespace hackbench::sync {
namespace {

template <class Body>
pid_t Fork(Body body) {
  const pid_t child = fork();
  if (child != 0) return child;
  body();
  _exit(0);
}

void KillAndReap(pid_t pid) {
  kill(pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
}

TEST(SupervisorTest, CompletesWhenAllEndWell) {
  Arena arena = MapOrDie({.tasks = 5});
  Supervisor supervisor(arena);
  for (uint32_t task = 0; task < 5; ++task) {
    ASSERT_TRUE(supervisor.Add(Fork([] {}), task));
  }
  const SupervisedRun run = supervisor.Run(0);
  EXPECT_TRUE(run.completed);
  EXPECT_EQ(run.killed, 0U);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child was left";
}

TEST(SupervisorTest, EndsARunAtItsDeadline) {
  Arena arena = MapOrDie({.tasks = 2});
  Supervisor supervisor(arena);
  for (uint32_t task = 0; task < 2; ++task) {
    ASSERT_TRUE(supervisor.Add(Fork([] { pause(); }), task));
  }
  const SupervisedRun run = supervisor.Run(20'000'000);
  EXPECT_EQ(run.reason, AbortReason::kDeadline);
  EXPECT_EQ(run.killed, 2U) << "they look at no flag";
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child was left";
}

// Of locks that do not survive their holder: the others leave by themselves.
template <class L>
class HolderDeathTest : public testing::Test {};
using Mortal =
    testing::Types<HybridLock, PvQueuedLock, PvQueuedStealLock,
                   BasicTicketLock<YieldWait>, BasicMcsLock<HybridWait>,
                   BasicQueuedLock<YieldWait>, QrwAdaptiveLock>;
TYPED_TEST_SUITE(HolderDeathTest, Mortal);

TYPED_TEST(HolderDeathTest, AbortsTheRunAndSaysWhoDied) {
  constexpr uint32_t kWaiters = 4;
  Rig<TypeParam> rig(kWaiters + 1);
  uint32_t* held = &rig.guarded().arrived;
  Supervisor supervisor(rig.arena());
  const pid_t holder = Fork([&] {
    Waiter waiter(rig.arena(), kWaiters);
    if (!Holds(rig.lock().Lock(waiter))) _exit(1);
    waiter.record().lock = rig.arena().OffsetOf(&rig.lock());
    StoreRelease(&waiter.record().phase, Phase::kOwner);
    StoreRelease(held, 1U);
    for (;;) pause();
  });
  while (LoadAcquire(held) == 0) sched_yield();
  for (uint32_t task = 0; task < kWaiters; ++task) {
    ASSERT_TRUE(supervisor.Add(Fork([&, task] {
                                 Waiter waiter(rig.arena(), task);
                                 const LockResult result =
                                     rig.lock().Lock(waiter);
                                 _exit(result == LockResult::kAborted ? 0 : 1);
                               }),
                               task));
  }
  ASSERT_TRUE(supervisor.Add(holder, kWaiters));
  kill(holder, SIGKILL);
  const SupervisedRun run = supervisor.Run(0);
  EXPECT_EQ(run.reason, AbortReason::kTaskDied);
  EXPECT_EQ(run.death.pid, holder);
  EXPECT_EQ(run.death.signal, SIGKILL);
  EXPECT_EQ(run.death.phase, Phase::kOwner);
  EXPECT_NE(run.death.lock, 0U);
  EXPECT_NE(run.death.Describe().find("killed by signal 9 in phase 'owner'"),
            std::string::npos)
      << run.death.Describe();
  std::cout << TypeParam::kName << ": all gone "
            << static_cast<double>(run.abort_ns) / 1e6
            << " ms after the abort, " << run.killed << " of them killed\n";
}

int64_t NowNs() {
  return std::chrono::steady_clock::now().time_since_epoch() /
         std::chrono::nanoseconds(1);
}

// In shared memory: when somebody was killed last, and how long after that the
// lock was taken over.
struct Takeovers {
  static constexpr uint64_t kMost = 2000;
  int64_t killed_ns;
  uint64_t count;
  int64_t ns[kMost];
};

// Works until it is killed.
template <class L>
void WorkForEver(Rig<L>& rig, uint32_t task, Takeovers* takeovers) {
  [[maybe_unused]] typename SessionOf<L>::Type session;
  Waiter waiter(rig.arena(), task);
  for (;;) {
    const LockResult result = rig.lock().Lock(waiter);
    if (!Holds(result)) _exit(0);
    Guarded& guarded = rig.guarded();
    if (result == LockResult::kOwnerDied) {
      guarded.second = guarded.first;  // Repairs what the dead one left.
      const int64_t ns = NowNs() - LoadRelaxed(&takeovers->killed_ns);
      takeovers->ns[takeovers->count++ % Takeovers::kMost] = ns;
    } else if (guarded.first != guarded.second) {
      guarded.violations = guarded.violations + 1;
    }
    guarded.first = guarded.first + 1;
    guarded.second = guarded.second + 1;
    rig.lock().Unlock(waiter);
  }
}

// Kills `kills` random tasks, one after the other, each replaced. After every
// death the others must get on: `first` grows. A hang is ctest's to end.
template <class L>
void Storm(int kills) {
  constexpr uint32_t kTasks = 4;
  Rig<L> rig(kTasks);
  auto* takeovers =
      static_cast<Takeovers*>(rig.arena().Allocate(sizeof(Takeovers)));
  std::vector<pid_t> children;
  const auto start = [&](uint32_t task) {
    return Fork([&, task] { WorkForEver(rig, task, takeovers); });
  };
  for (uint32_t task = 0; task < kTasks; ++task) {
    children.push_back(start(task));
  }
  uint64_t random = 12345;
  for (int i = 0; i < kills; ++i) {
    random = random * 6364136223846793005 + 1442695040888963407;
    const auto victim = static_cast<uint32_t>(random >> 33) % kTasks;
    StoreRelaxed(&takeovers->killed_ns, NowNs());
    KillAndReap(children[victim]);
    const uint64_t before = rig.guarded().first;
    while (rig.guarded().first == before) sched_yield();
    children[victim] = start(victim);
  }
  for (const pid_t child : children) KillAndReap(child);
  EXPECT_EQ(rig.guarded().violations, 0U);
  ASSERT_GT(takeovers->count, 0U) << "nobody was killed while holding it";
  // For people: a test asserts no duration.
  const uint64_t count = std::min(takeovers->count, Takeovers::kMost);
  std::sort(takeovers->ns, takeovers->ns + count);
  const auto us = [&](uint64_t rank) {
    return static_cast<double>(takeovers->ns[std::min(rank, count - 1)]) / 1e3;
  };
  std::cout << L::kName << ": " << count << " takeovers in " << kills
            << " kills; kill to takeover, us: p50 " << us(count / 2) << ", p99 "
            << us(count * 99 / 100) << ", max " << us(count - 1) << "\n";
}

TEST(RobustLockTest, SurvivesAThousandKills) {
  Storm<RobustLock>(atomics::Rounds(1000));
}

TEST(PthreadRobustTest, SurvivesKillsAsTheYardstick) {
  Storm<PthreadRobustLock>(atomics::Rounds(100));
}

TEST(RobustLockTest, TellsTheNextOwnerThatTheLastOneDied) {
  Rig<RobustLock> rig(2);
  const pid_t holder = Fork([&] {
    RobustList list;
    Waiter waiter(rig.arena(), 1);
    if (!Holds(rig.lock().Lock(waiter))) _exit(1);
    StoreRelease(&rig.guarded().arrived, 1U);
    for (;;) pause();
  });
  while (LoadAcquire(&rig.guarded().arrived) == 0) sched_yield();
  RobustList list;
  ASSERT_TRUE(list.registered());
  Waiter waiter(rig.arena(), 0);
  EXPECT_FALSE(rig.lock().TryLock(waiter));
  KillAndReap(holder);
  EXPECT_EQ(rig.lock().Lock(waiter), LockResult::kOwnerDied);
  rig.lock().Unlock(waiter);
  EXPECT_EQ(rig.lock().Lock(waiter), LockResult::kAcquired);
  rig.lock().Unlock(waiter);
}

// A sleeper is woken by the kernel, not by its own timeout.
TEST(RobustLockTest, KilledUnlockersLoseNoWaiter) {
  for (int round = 0; round < atomics::Rounds(100); ++round) {
    Rig<RobustLock> rig(3, WaitBudget{.spins = 0, .yields = 0});
    auto* takeovers =
        static_cast<Takeovers*>(rig.arena().Allocate(sizeof(Takeovers)));
    std::vector<pid_t> children;
    for (uint32_t task = 0; task < 3; ++task) {
      children.push_back(
          Fork([&, task] { WorkForEver(rig, task, takeovers); }));
    }
    while (rig.guarded().first < 50) sched_yield();
    KillAndReap(children[0]);
    KillAndReap(children[1]);
    const uint64_t before = rig.guarded().first;
    while (rig.guarded().first == before) sched_yield();
    KillAndReap(children[2]);
    EXPECT_EQ(rig.guarded().violations, 0U);
  }
}

}  // namespace
}  // namespace hackbench::sync
