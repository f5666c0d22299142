// SPDX-License-Identifier: MIT
// One sender and one receiver in turns, in one thread: what is on its way
// between them can be looked at, and broken.
#include "hackbench/user_plane.h"

#include <gtest/gtest.h>

#include <vector>

namespace hackbench {
namespace {

class UserPlaneTest : public testing::TestWithParam<const char*> {
 protected:
  UserPlaneTest() {
    RunOptions options;
    options.plane = "user";
    options.mode = Mode::kThread;
    options.transport = GetParam();
    options.groups = 1;
    options.fds = 1;
    options.loops = kLoops;
    plan_ = *MakePlan(options);
    EXPECT_TRUE(board_.Map(plan_.tasks, 0).ok());
    auto plane = UserPlane::Create(plan_);
    EXPECT_TRUE(plane.ok()) << plane.status();
    plane_ = *std::move(plane);
    EXPECT_TRUE(plane_->Reset().ok());
  }

  bool Run(bool is_sender) {
    scratch_.assign(ScratchBytes(plan_.workload.verify, plan_.workload.fds),
                    std::byte{0});
    return RunAgain(is_sender);
  }
  // With what the task remembers of its last run.
  bool RunAgain(bool is_sender) {
    TaskContext context;
    context.workload = &plan_.workload;
    context.user_plane = plane_.get();
    context.task = is_sender ? 1 : 0;
    context.is_sender = is_sender;
    context.slot = &board_.slot(context.task);
    context.buffer = buffer_;
    context.scratch = scratch_.data();
    return plane_->RunTask(context);
  }
  Fault FaultOfReceiver() { return board_.slot(0).fault; }

  static constexpr int kLoops = 5;
  RunPlan plan_;
  TaskBoard board_;
  std::unique_ptr<UserPlane> plane_;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(100);
  std::vector<std::byte> scratch_;
};

TEST_P(UserPlaneTest, NothingIsLeftOfAWholeRun) {
  EXPECT_TRUE(plane_->Audit().ok());
  ASSERT_TRUE(Run(/*is_sender=*/true));
  ASSERT_TRUE(Run(/*is_sender=*/false));
  EXPECT_TRUE(plane_->Audit().ok()) << plane_->Audit();
  const UserFigures figures = plane_->Collect();
  EXPECT_EQ(figures.tally.allocations, figures.tally.frees);
  EXPECT_GT(figures.tally.allocations, 0);
  EXPECT_EQ(board_.slot(0).messages, kLoops);
}

TEST_P(UserPlaneTest, MessagesThatNobodyReadFailTheAudit) {
  ASSERT_TRUE(Run(/*is_sender=*/true));
  const absl::Status status = plane_->Audit();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_NE(status.message().find("lost without a death"), std::string::npos);
}

TEST_P(UserPlaneTest, WhatTheDeadLeftIsCounted) {
  ASSERT_TRUE(Run(/*is_sender=*/true));
  const std::string text = plane_->DescribeRemains();
  EXPECT_NE(text.find("the arena was repaired"), std::string::npos) << text;
  EXPECT_EQ(text.find(" 0 objects"), std::string::npos) << text;
}

TEST_P(UserPlaneTest, TheNextLaunchStartsEmpty) {
  ASSERT_TRUE(Run(/*is_sender=*/true));
  ASSERT_TRUE(Run(/*is_sender=*/false));
  ASSERT_TRUE(plane_->Reset().ok());
  EXPECT_TRUE(plane_->Audit().ok());
  EXPECT_EQ(plane_->Collect().tally.allocations, 0);
  ASSERT_TRUE(Run(/*is_sender=*/true));
  ASSERT_TRUE(Run(/*is_sender=*/false));
  EXPECT_TRUE(plane_->Audit().ok());
}

TEST_P(UserPlaneTest, ARepeatedMessageIsAFault) {
  ASSERT_TRUE(Run(/*is_sender=*/true));
  ASSERT_TRUE(Run(/*is_sender=*/false));
  ASSERT_TRUE(RunAgain(/*is_sender=*/true));
  // The receiver has seen those numbers.
  EXPECT_FALSE(RunAgain(/*is_sender=*/false));
  EXPECT_EQ(FaultOfReceiver(), Fault::kRepeated);
}

INSTANTIATE_TEST_SUITE_P(Models, UserPlaneTest,
                         testing::Values("futex", "socketpair", "pipe"));

}  // namespace
}  // namespace hackbench
