// SPDX-License-Identifier: MIT
#include "hackbench/report.h"

#include <gtest/gtest.h>

namespace hackbench {
namespace {

RunPlan PlanOf(Grammar grammar, Mode mode) {
  RunOptions options;
  options.grammar = grammar;
  options.mode = mode;
  options.groups = 2;
  return *MakePlan(options);
}

LaunchResult ResultOf(int64_t total_ns) {
  LaunchResult result;
  result.total_ns = total_ns;
  return result;
}

TEST(ReportTest, RtTestsLinesToTheByte) {
  EXPECT_EQ(HeaderText(PlanOf(Grammar::kRtTests, Mode::kThread)),
            "Running in threaded mode with 2 groups using 40 file descriptors "
            "each (== 80 tasks)\n"
            "Each sender will pass 100 messages of 100 bytes\n");
  EXPECT_EQ(ResultText(PlanOf(Grammar::kRtTests, Mode::kThread),
                       ResultOf(12'003'999'999)),
            "Time: 12.003\n");
}

TEST(ReportTest, ClassicLinesToTheByte) {
  EXPECT_EQ(HeaderText(PlanOf(Grammar::kClassic, Mode::kProcess)),
            "Running with 2*40 (== 80) tasks.\n");
  EXPECT_EQ(
      ResultText(PlanOf(Grammar::kClassic, Mode::kProcess), ResultOf(999'999)),
      "Time: 0.000\n");
}

TEST(ReportTest, PerfLinesToTheByte) {
  RunPlan plan = PlanOf(Grammar::kPerf, Mode::kProcess);
  EXPECT_EQ(HeaderText(plan), "");
  EXPECT_EQ(PerfBannerText() + ResultText(plan, ResultOf(912'000'000)),
            "# Running 'sched/messaging' benchmark:\n"
            "# 20 sender and receiver processes per group\n"
            "# 2 groups == 80 processes run\n"
            "\n"
            "     Total time: 0.912 [sec]\n");
  plan.options.simple_format = true;
  EXPECT_EQ(ResultText(plan, ResultOf(912'000'000)), "0.912\n");
}

TEST(ReportTest, UnsignedCountsAreNotPrintedNegative) {
  RunOptions options;
  options.groups = 1;
  options.fds = 1;
  options.loops = 3'000'000'000;
  EXPECT_NE(HeaderText(*MakePlan(options)).find("3000000000 messages"),
            std::string::npos);
}

// Wrappers that merge both streams match these at the start of a line.
TEST(ReportTest, FiguresForStderrNeverLookLikeAResult) {
  Histogram latency;
  latency.Record(1000);
  for (const std::string& text :
       {TimingText(ResultOf(1'000'000)), LatencyText(latency)}) {
    EXPECT_EQ(text.find("Time"), std::string::npos) << text;
    for (const char* word : {" groups", " messages", " bytes"}) {
      EXPECT_EQ(text.find(word), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace hackbench
