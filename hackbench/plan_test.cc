// SPDX-License-Identifier: MIT
#include "hackbench/plan.h"

#include <gtest/gtest.h>

#include <string>

namespace hackbench {
namespace {

std::string ErrorOf(const RunOptions& options) {
  const absl::StatusOr<RunPlan> plan = MakePlan(options);
  return plan.ok() ? "accepted" : std::string(plan.status().message());
}

TEST(PlanTest, CountsTasksMessagesAndBytesInFull) {
  RunOptions options;
  options.loops = 214748365;  // 32 bits of F x L are 4 in the old programs.
  const absl::StatusOr<RunPlan> plan = MakePlan(options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->tasks, 400u);
  EXPECT_EQ(plan->messages, uint64_t{10} * 20 * 20 * 214748365);
  EXPECT_EQ(plan->payload_bytes, plan->messages * 100);
}

TEST(PlanTest, RefusesProductsBeyond63Bits) {
  RunOptions options;
  options.groups = 2147483647;
  options.fds = 2147483647;
  EXPECT_NE(ErrorOf(options).find("63 bits"), std::string::npos);
}

TEST(PlanTest, ProcessesNeedFewDescriptorsThreadsAll) {
  RunOptions options;
  options.groups = 100;
  EXPECT_LT(MakePlan(options)->need.descriptors, 30);
  options.mode = Mode::kThread;
  EXPECT_EQ(MakePlan(options)->need.descriptors, 2 * 100 * 20 + 4);
}

TEST(PlanTest, UnknownTransportNamesTheNearest) {
  RunOptions options;
  options.transport = "sokcetpair";
  EXPECT_NE(ErrorOf(options).find("'socketpair'"), std::string::npos);
}

TEST(PlanTest, VerifyCountsBytesWhereWritersMayMix) {
  RunOptions options;
  options.verify = true;
  EXPECT_EQ(MakePlan(options)->workload.verify, VerifyMode::kMessage);
  options.transport = "tcp";
  EXPECT_EQ(MakePlan(options)->workload.verify, VerifyMode::kByte);
  options.fds = 1;
  EXPECT_EQ(MakePlan(options)->workload.verify, VerifyMode::kMessage);
  options.fds = 20;
  options.transport = "pipe";
  options.datasize = 4097;
  EXPECT_EQ(MakePlan(options)->workload.verify, VerifyMode::kByte);
}

TEST(PlanTest, LatencyRefusesMixedWriters) {
  RunOptions options;
  options.latency = true;
  options.transport = "tcp";
  EXPECT_NE(ErrorOf(options).find("--fds 1"), std::string::npos);
  options.fds = 1;
  EXPECT_EQ(ErrorOf(options), "accepted");
}

TEST(PlanTest, MessagesMustHoldWhatIsWrittenIntoThem) {
  RunOptions options;
  options.verify = true;
  options.datasize = 15;
  EXPECT_NE(ErrorOf(options).find("at least 16 bytes"), std::string::npos);
  options.latency = true;
  options.datasize = 23;
  EXPECT_NE(ErrorOf(options).find("at least 24 bytes"), std::string::npos);
  options.verify = false;
  options.datasize = 8;
  EXPECT_EQ(ErrorOf(options), "accepted");
}

TEST(PlanTest, NodelayIsForTcpAlone) {
  RunOptions options;
  options.nodelay = true;
  EXPECT_NE(ErrorOf(options).find("--nodelay"), std::string::npos);
  options.transport = "tcp";
  EXPECT_EQ(ErrorOf(options), "accepted");
}

}  // namespace
}  // namespace hackbench
