// SPDX-License-Identifier: MIT
// CPUs, policies and nice values: they run where the right is there and are
// refused with a remedy where it is not.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "hackbench/cli_runner.h"

namespace hackbench::cli {
namespace {

constexpr char kLines[] =
    "Running in process mode with 1 groups using 4 file descriptors each (== 4 "
    "tasks)\nEach sender will pass 5 messages of 100 bytes\nTime: T\n";

// The lowest CPU this process may use.
std::string AnAllowedCpu() {
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof(cpus), &cpus) != 0) return "0";
  int cpu = 0;
  while (!CPU_ISSET(static_cast<size_t>(cpu), &cpus)) ++cpu;
  return std::to_string(cpu);
}

TEST(CliPlacementTest, PlacementThatNeedsNoRightRuns) {
  const std::string cpu = AnAllowedCpu();
  for (const std::string& words :
       {"--affinity " + cpu, "--affinity " + cpu + "-" + cpu + "," + cpu,
        std::string("--sched other"), std::string("--sched batch"),
        std::string("--sched idle"), std::string("--nice 19"),
        std::string("--sched batch --nice 19 --affinity ") + cpu}) {
    SCOPED_TRACE(words);
    const Result result = RunToEnd(Split("-g 1 -f 2 -l 5 " + words));
    EXPECT_EQ(Mask(result.out), kLines);
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(result.exit_code, 0);
  }
}

TEST(CliPlacementTest, PlacementThatNeedsARightIsRefusedWithoutIt) {
  const uid_t uid = FreshUid();
  if (geteuid() == 0 && (uid == 0 || IsEmulated())) return;
  const RunSetup setup{.limits = {{static_cast<int>(RLIMIT_RTPRIO), 0},
                                  {static_cast<int>(RLIMIT_NICE), 0}},
                       .real_uid = uid,
                       .effective_uid = uid};
  for (const std::string words : {"--sched fifo:1", "--nice -20"}) {
    SCOPED_TRACE(words);
    const Result result = RunToEnd(Split("-g 1 " + words), setup);
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(Matches(result.err,
                        R"(hackbench: --(sched|nice)[^\n]*; it needs root, )"
                        R"(CAP_SYS_NICE or a higher limit \(ulimit -r for )"
                        R"(priorities, -e for nice\)\n)"))
        << result.err;
    EXPECT_EQ(result.exit_code, 1);
  }
}

// Containers may keep it from root too; then it is refused like the others.
TEST(CliPlacementTest, RealTimeRunsOrIsRefused) {
  for (const std::string words : {"-F", "--sched fifo:1"}) {
    SCOPED_TRACE(words);
    const Result result = RunToEnd(Split("-g 1 -f 2 -l 5 " + words));
    if (result.exit_code == 0) {
      EXPECT_EQ(Mask(result.out), kLines);
      EXPECT_EQ(result.err, "");
    } else {
      EXPECT_EQ(result.exit_code, 1);
      EXPECT_NE(result.err.find("it needs root"), std::string::npos)
          << result.err;
    }
  }
}

TEST(CliPlacementTest, PlacementThatCannotBeIsRefused) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"--affinity 1023",
       "--affinity 1023: CPU 1023 is not among those this "
       "process may use (taskset -cp $$ shows them)"},
      {"--affinity 1024",
       "--affinity '1024': expected a CPU list such as "
       "0-3,8 with numbers below 1024"},
      {"--affinity 1-0",
       "--affinity '1-0': expected a CPU list such as 0-3,8 "
       "with numbers below 1024"},
      {"--affinity 0,",
       "--affinity '0,': expected a CPU list such as 0-3,8 "
       "with numbers below 1024"},
      {"--affinity x",
       "--affinity 'x': expected a CPU list such as 0-3,8 with "
       "numbers below 1024"},
      {"--sched rr", "--sched 'rr': choices are other, batch, idle, fifo:N"},
      {"--sched fifo:0", "--sched '0': expected a whole number from 1 to 99"},
      {"--sched fifo:100",
       "--sched '100': expected a whole number from 1 to 99"},
      {"--nice 20", "--nice '20': expected a whole number from -20 to 19"},
  };
  for (const auto& [words, err] : cases) {
    SCOPED_TRACE(words);
    const Result result = RunToEnd(Split("-g 1 " + words));
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "hackbench: " + err + "\n");
    EXPECT_EQ(result.exit_code, 1);
  }
}

// -F wants a right; without it rt-tests leaves all 40 workers.
TEST(CliPlacementTest, RealTimeMainWithoutTheRightIsRefused) {
  const uid_t uid = FreshUid();
  if (geteuid() == 0 && (uid == 0 || IsEmulated())) return;
  const Result result = RunToEnd(
      Split("-F -g 1 -l 1"), {.limits = {{static_cast<int>(RLIMIT_RTPRIO), 0}},
                              .real_uid = uid,
                              .effective_uid = uid});
  EXPECT_EQ(result.out.find("Time:"), std::string::npos);
  EXPECT_TRUE(result.err.starts_with(
      "hackbench: --fifo|-F: SCHED_FIFO for main: Operation not permitted; "))
      << result.err;
  EXPECT_EQ(result.exit_code, 1);
}

}  // namespace
}  // namespace hackbench::cli
