// SPDX-License-Identifier: MIT
// A run of processes has a fixed address space, and the second start that this
// takes shows nowhere else.
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <string>

#include "hackbench/cli_runner.h"

namespace hackbench::cli {
namespace {

std::string FirstLine(pid_t pid, const std::string& name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/" + name);
  std::string line;
  std::getline(file, line);
  return line;
}

TEST(CliLayoutTest, TasksHaveAFixedAddressSpace) {
  if (IsEmulated()) return;
  ProgramRun run(Split("-g 1 -f 1 -l 100000000"));
  const pid_t task = run.AwaitWork(2).front();
  if (FirstLine(task, "personality").empty()) {
    GTEST_SKIP() << "/proc/PID/personality cannot be read here";
  }
  EXPECT_EQ(FirstLine(task, "personality"), "00040000");
  run.Signal(SIGTERM);
  EXPECT_EQ(run.Finish().exit_code, 128 + SIGTERM);
}

TEST(CliLayoutTest, NameAndWordsStay) {
  if (IsEmulated()) return;
  ProgramRun run(Split("-p -g 1 -l 100000000"),
                 {.called_as = "perf-bench-sched-messaging"});
  const pid_t task = run.AwaitWork(40).front();
  // The kernel keeps fifteen characters.
  EXPECT_EQ(FirstLine(run.pid(), "comm"), "perf-bench-sche");
  EXPECT_EQ(FirstLine(task, "comm"), "perf-bench-sche");
  const std::string words = FirstLine(task, "cmdline");
  EXPECT_NE(words.find("perf-bench-sched-messaging"), std::string::npos);
  EXPECT_NE(words.find("100000000"), std::string::npos);
  run.Signal(SIGTERM);
  const Result result = run.Finish();
  EXPECT_EQ(result.exit_code, 128 + SIGTERM);
  // The banner, which perf prints before its options are read, once.
  const size_t banner = result.out.find("Running");
  EXPECT_EQ(result.out.find("Running", banner + 1), std::string::npos);
}

TEST(CliLayoutTest, AGuardLeftInTheEnvironmentOnlyLeavesTheLayoutAsItIs) {
  const Result result =
      RunToEnd(Split("-g 1 -f 1 -l 1"),
               {.environment = {{"HACKBENCH_LAYOUT_TRIED", "1"}}});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
}

}  // namespace
}  // namespace hackbench::cli
