// SPDX-License-Identifier: MIT
#include "hackbench/user_parts.h"

#include <gtest/gtest.h>

#include "hackbench/plan.h"
#include "hackbench/user_cell.h"
#include "hackbench/user_tally.h"

namespace hackbench {
namespace {

RunOptions UserOptions() {
  RunOptions options;
  options.plane = "user";
  return options;
}

// The message of the refusal, or "accepted".
std::string ErrorOf(const RunOptions& options) {
  const auto plan = MakePlan(options);
  return plan.ok() ? "accepted" : std::string(plan.status().message());
}

void ExpectRefused(const RunOptions& options, std::string_view reason) {
  const std::string error = ErrorOf(options);
  EXPECT_NE(error.find(reason), std::string::npos) << error;
}

TEST(UserPartsTest, TheKernelPlaneIsTheDefault) {
  EXPECT_FALSE(MakePlan({})->user.has_value());
}

TEST(UserPartsTest, EachPartAsksForTheUserPlane) {
  for (const auto give : {+[](RunOptions& o) { o.alloc = "locked"; },
                          +[](RunOptions& o) { o.lock = "mcs"; },
                          +[](RunOptions& o) { o.rwlock = "mcs"; },
                          +[](RunOptions& o) { o.refcount = "atomic"; },
                          +[](RunOptions& o) { o.message_alloc = "skb"; },
                          +[](RunOptions& o) { o.preempt = "full"; },
                          +[](RunOptions& o) { o.churn = 0; },
                          +[](RunOptions& o) { o.hz = 0; }}) {
    RunOptions options;
    give(options);
    ASSERT_EQ(ErrorOf(options), "accepted");
    EXPECT_TRUE(MakePlan(options)->user.has_value());
    options.plane = "kernel";
    ExpectRefused(options, "--plane kernel");
  }
}

TEST(UserPartsTest, EveryNameOfEveryListIsFound) {
  for (const LockEntry& entry : LockTable()) {
    if (!entry.traits.safe) continue;
    RunOptions options = UserOptions();
    options.mode = Mode::kThread;
    options.fds = 1;
    options.churn = 0;
    options.lock = options.rwlock = std::string(entry.name);
    const auto plan = MakePlan(options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->user->lock->name, entry.name);
    EXPECT_EQ(plan->user->cell->lock, entry.name);
    EXPECT_EQ(plan->user->rwlock->name, entry.name);
  }
  for (const RefcountEntry& entry : RefcountTable()) {
    RunOptions options = UserOptions();
    options.refcount = std::string(entry.name);
    EXPECT_EQ(MakePlan(options)->user->refcount->name, entry.name);
  }
  for (const PreemptEntry& entry : PreemptTable()) {
    RunOptions options = UserOptions();
    options.preempt = std::string(entry.name);
    const auto plan = MakePlan(options);
    EXPECT_EQ(plan->user->cell->preempt, entry.name);
    EXPECT_EQ(plan->user->is_coop(), entry.name != "none");
  }
}

TEST(UserPartsTest, AFamilyIsTheFirstOfItsKindThatRunsHere) {
  RunOptions options = UserOptions();
  options.alloc = "cmpxchg-local";
  const auto plan = MakePlan(options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->user->alloc_asked, "cmpxchg-local");
  EXPECT_TRUE(plan->user->allocator->name.starts_with("cmpxchg-local-"));
  EXPECT_EQ(plan->user->allocator->why_not(), "");
}

TEST(UserPartsTest, PartsOfOneProcessAreRefusedBetweenProcesses) {
  for (const auto give : {+[](RunOptions& o) { o.alloc = "malloc"; },
                          +[](RunOptions& o) { o.lock = "std-mutex"; },
                          +[](RunOptions& o) { o.rwlock = "absl-mutex"; }}) {
    RunOptions options = UserOptions();
    give(options);
    ExpectRefused(options, "use threads");
    options.mode = Mode::kThread;
    EXPECT_EQ(ErrorOf(options), "accepted");
  }
}

TEST(UserPartsTest, ControlsAreRefused) {
  RunOptions options = UserOptions();
  options.alloc = "aba";
  ExpectRefused(options, "two owners");
  options = UserOptions();
  options.lock = "busted";
  ExpectRefused(options, "excludes nobody");
}

TEST(UserPartsTest, NoLockKeepsTwoTasksApartAndNoMore) {
  RunOptions options = UserOptions();
  options.lock = "none";
  ExpectRefused(options, "--fds 1");
  options.fds = 1;
  EXPECT_EQ(ErrorOf(options), "accepted");
  options.transport = "pipe";
  ExpectRefused(options, "merges writes");
}

TEST(UserPartsTest, NoLockOfTheTableMeansNoChurn) {
  RunOptions options = UserOptions();
  options.rwlock = "none";
  EXPECT_EQ(MakePlan(options)->user->churn, 0);
  options.churn = 1;
  ExpectRefused(options, "--churn 0");
}

TEST(UserPartsTest, NoAllocatorMeansNoAllocation) {
  RunOptions options = UserOptions();
  options.alloc = "none";
  EXPECT_EQ(MakePlan(options)->user->message_alloc, MessageAlloc::kNone);
  options.message_alloc = "skb";
  ExpectRefused(options, "no memory");
  options = UserOptions();
  options.message_alloc = "none";
  EXPECT_EQ(MakePlan(options)->user->allocator->name, "none");
  options.alloc = "locked";
  ExpectRefused(options, "nothing to do");
}

TEST(UserPartsTest, AFixedObjectHoldsHeadAndMessage) {
  RunOptions options = UserOptions();
  options.message_alloc = "fixed:115";
  ExpectRefused(options, "give 116");
  options.message_alloc = "fixed:116";
  EXPECT_EQ(MakePlan(options)->user->fixed_bytes, 116);
  for (const std::string bad : {"fixed:", "fixed:1x", "fixed", "fixed:-1",
                                "fixed:99999999999999999999", "slab"}) {
    options.message_alloc = bad;
    EXPECT_NE(ErrorOf(options), "accepted") << bad;
  }
}

TEST(UserPartsTest, APipeHasPagesAndNoEndpoints) {
  RunOptions options = UserOptions();
  options.transport = "pipe";
  EXPECT_EQ(MakePlan(options)->user->message_alloc, MessageAlloc::kPage);
  for (const auto give : {+[](RunOptions& o) { o.message_alloc = "skb"; },
                          +[](RunOptions& o) { o.rwlock = "mcs"; },
                          +[](RunOptions& o) { o.refcount = "atomic"; },
                          +[](RunOptions& o) { o.churn = 1; }}) {
    RunOptions bad = options;
    give(bad);
    ExpectRefused(bad, "pipe");
  }
}

TEST(UserPartsTest, TransportsWithoutAModelAreRefused) {
  for (const char* const transport : {"tcp", "fifo"}) {
    RunOptions options = UserOptions();
    options.transport = transport;
    ExpectRefused(options, "has no model");
  }
}

TEST(UserPartsTest, FutexesWakeInTheUserPlaneOnly) {
  RunOptions options;
  options.transport = "futex";
  ExpectRefused(options, "--plane user");
  options.plane = "user";
  const auto plan = MakePlan(options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  // The start gate's two pipes, whatever the number of groups.
  EXPECT_LE(plan->need.descriptors, 4);
}

TEST(UserPartsTest, APipeNeedsAWayBack) {
  RunOptions options;
  options.mode = Mode::kThread;
  options.transport = "pipe";
  const int64_t one_way = MakePlan(options)->need.descriptors;
  options.plane = "user";
  EXPECT_EQ(MakePlan(options)->need.descriptors, one_way + 2 * 10 * 20);
  options.transport = "socketpair";
  EXPECT_EQ(MakePlan(options)->need.descriptors, one_way);
}

TEST(UserPartsTest, MessagesAreVerifiedUnlessToldOtherwise) {
  RunOptions options = UserOptions();
  EXPECT_EQ(MakePlan(options)->workload.verify, VerifyMode::kMessage);
  options.datasize = 15;  // No room for a header.
  EXPECT_EQ(MakePlan(options)->workload.verify, VerifyMode::kByte);
  options.latency = true;
  ExpectRefused(options, "--no-verify");
  options.verify = false;
  EXPECT_EQ(MakePlan(options)->workload.verify, VerifyMode::kNone);
}

TEST(UserPartsTest, SpinnersBeyondTheCpusAreWarnedOfAndLimited) {
  RunOptions options = UserOptions();
  options.lock = "ticket";
  options.groups = 1000;
  auto plan = MakePlan(options);
  EXPECT_NE(plan->warning.find("expected to collapse"), std::string::npos);
  EXPECT_GT(plan->options.timeout_s, 0);
  options.timeout_s = 0;
  plan = MakePlan(options);
  EXPECT_EQ(plan->options.timeout_s, 0);
  options.lock = "hybrid";
  EXPECT_EQ(MakePlan(options)->warning, "");
}

TEST(UserPartsTest, StepsAreNamed) {
  for (const std::string_view name : kStepNames) EXPECT_FALSE(name.empty());
}

}  // namespace
}  // namespace hackbench
