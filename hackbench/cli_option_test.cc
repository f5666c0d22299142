// SPDX-License-Identifier: MIT
// What is new behind long options: transports, checks, figures on
// stderr. stdout keeps the lines of the grammar whatever they add.
#include <gtest/gtest.h>

#include "hackbench/cli_runner.h"
#include "hackbench/transport_list.h"

namespace hackbench::cli {
namespace {

std::string Lines(const std::string& groups, int fds, int tasks,
                  const std::string& work,
                  const std::string& mode = "process") {
  return "Running in " + mode + " mode with " + groups + " groups using " +
         std::to_string(2 * fds) +
         " file descriptors each (== " + std::to_string(tasks) +
         " tasks)\nEach sender will pass " + work + " bytes\nTime: T\n";
}

void ExpectCleanRun(const std::string& words, const std::string& lines,
                    const RunSetup& setup = {}) {
  SCOPED_TRACE(words);
  const Result result = RunToEnd(Split(words), setup);
  EXPECT_EQ(Mask(result.out), lines);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.exit_code, 0);
}

TEST(CliOptionTest, EveryTransportRunsInBothModesWithAndWithoutVerify) {
  for (const TransportEntry& entry : kTransportList) {
    if (!entry.traits.has_descriptors) continue;
    for (const std::string mode : {"-P", "-T"}) {
      for (const std::string verify : {"", " --verify"}) {
        ExpectCleanRun("-g 2 -f 3 -l 20 " + mode + " --transport " +
                           std::string(entry.name) + verify,
                       Lines("2", 3, 12, "20 messages of 100",
                             mode == "-T" ? "threaded" : "process"));
      }
    }
  }
}

TEST(CliOptionTest, NodelayIsForTcp) {
  ExpectCleanRun("-i --nodelay -g 1 -f 2 -l 5",
                 Lines("1", 2, 4, "5 messages of 100"));
}

// Whole messages, and several senders' pieces mixed at any byte.
TEST(CliOptionTest, VerifyHoldsForEverySizeOfMessage) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"socketpair", "16"}, {"socketpair", "4097"}, {"socketpair", "70000"},
      {"pipe", "4096"},     {"pipe", "4097"},       {"pipe", "70000"},
      {"tcp", "1"},         {"tcp", "70000"},
  };
  for (const auto& [transport, size] : cases) {
    for (const std::string mode : {"-P", "-T"}) {
      ExpectCleanRun("-g 1 -f 3 -l 5 --verify " + mode + " --transport " +
                         transport + " -s " + size,
                     Lines("1", 3, 6, "5 messages of " + size,
                           mode == "-T" ? "threaded" : "process"));
    }
  }
}

TEST(CliOptionTest, VerifyOfMessagesTooSmallForAHeaderIsRefused) {
  const Result result = RunToEnd(Split("-p -g 1 -s 15 --verify"));
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err,
            "hackbench: --datasize 15: --verify needs at least 16 bytes in a "
            "message\n");
  EXPECT_EQ(result.exit_code, 1);
}

// rt-tests keeps a message on a stack of 16 KiB or 8 MiB.
TEST(CliOptionTest, BigMessagesFitInBothModes) {
  ExpectCleanRun("-T -g 1 -f 2 -l 1 -s 12000",
                 Lines("1", 2, 4, "1 messages of 12000", "threaded"));
  ExpectCleanRun("-T -g 1 -l 1 -s 12000",
                 Lines("1", 20, 40, "1 messages of 12000", "threaded"));
  ExpectCleanRun("-g 1 -f 1 -l 1 -s 7000000",
                 Lines("1", 1, 2, "1 messages of 7000000"));
  ExpectCleanRun("-g 1 -f 2 -l 1 -s 8388608",
                 Lines("1", 2, 4, "1 messages of 8388608"));
  ExpectCleanRun("-T -g 1 -f 2 -l 1 -s 8388608",
                 Lines("1", 2, 4, "1 messages of 8388608", "threaded"));
  ExpectCleanRun("-g 1 -f 1 -l 1 -s 20000000 -p",
                 Lines("1", 1, 2, "1 messages of 20000000"));
}

TEST(CliOptionTest, ManySmallGroupsRun) {
  ExpectCleanRun("-f 1 -g 2 -l 100", Lines("2", 1, 4, "100 messages of 100"));
  const int groups = IsEmulated() || IsSanitized() ? 100 : 1000;
  ExpectCleanRun(
      "-f 1 -g " + std::to_string(groups) + " -l 10",
      Lines(std::to_string(groups), 1, 2 * groups, "10 messages of 100"));
}

constexpr char kLatency[] =
    R"(hackbench: latency of 45 samples in us, at most 3\.1 % high: )"
    R"(p50 \d+\.\d, p90 \d+\.\d, p99 \d+\.\d, p99\.9 \d+\.\d, max \d+\.\d\n)";

TEST(CliOptionTest, LatencyGoesToStderr) {
  for (const std::string words :
       {"-p", "-p -T", "-p --verify", "", "--transport fifo"}) {
    SCOPED_TRACE(words);
    const Result result = RunToEnd(Split("-g 1 -f 3 -l 5 --latency " + words));
    EXPECT_TRUE(Matches(result.err, kLatency)) << result.err;
    EXPECT_TRUE(result.out.ends_with("\n"));
    EXPECT_EQ(result.exit_code, 0);
  }
}

TEST(CliOptionTest, LatencyNeedsWholeMessages) {
  const Result mixed = RunToEnd(Split("-i -g 1 -f 2 --latency"));
  EXPECT_EQ(mixed.out, "");
  EXPECT_EQ(mixed.err,
            "hackbench: --latency needs whole messages, but tcp may mix "
            "several senders at any byte; use --fds 1 or another transport\n");
  EXPECT_EQ(mixed.exit_code, 1);
  const Result alone = RunToEnd(Split("-i -g 5 -f 1 -l 9 --latency"));
  EXPECT_TRUE(Matches(alone.err, kLatency)) << alone.err;
  EXPECT_EQ(alone.exit_code, 0);
}

TEST(CliOptionTest, TimingWorkSplitsTheTimeOnStderr) {
  const Result result = RunToEnd(Split("-g 1 -f 2 -l 5 --timing work"));
  EXPECT_EQ(Mask(result.out), Lines("1", 2, 4, "5 messages of 100"));
  EXPECT_TRUE(Matches(
      result.err,
      R"(hackbench: setup \d+\.\d{3} ms; from start to last message )"
      R"(\d+\.\d{3} ms, to last task reaped \d+\.\d{3} ms \(reaping alone )"
      R"(\d+\.\d{3} ms\)\n)"))
      << result.err;
  EXPECT_EQ(result.exit_code, 0);
}

std::string SummaryOf(int n) {
  return "hackbench: n=" + std::to_string(n) +
         R"(: mean \d+\.\d{6} s, stddev \d+\.\d{6} s \(n-1\), CoV \d+\.\d{2} )"
         R"(%, min \d+\.\d{6} s, median \d+\.\d{6} s, max \d+\.\d{6} s\n)";
}

TEST(CliOptionTest, RepeatPrintsWhatSoManyCallsWould) {
  const std::string rt_tests = Lines("1", 2, 4, "5 messages of 100");
  const std::string classic = "Running with 1*40 (== 40) tasks.\nTime: T\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"-g 1 -f 2 -l 5 --repeat 3", rt_tests + rt_tests + rt_tests},
      {"-g 1 -f 2 -l 5 --repeat 3 --warmup 2", rt_tests + rt_tests + rt_tests},
      {"1 thread 1 --repeat 3", classic + classic + classic},
      {"sched messaging -r 3 -t -g 1 -l 1 -f simple", "T\nT\nT\n"},
  };
  for (const auto& [words, out] : cases) {
    SCOPED_TRACE(words);
    const Result result = RunToEnd(Split(words));
    EXPECT_EQ(Mask(result.out), out);
    EXPECT_TRUE(Matches(result.err, SummaryOf(3))) << result.err;
    EXPECT_EQ(result.exit_code, 0);
  }
}

TEST(CliOptionTest, OneMeasuredRunHasNoSummary) {
  ExpectCleanRun("-g 1 -f 2 -l 5 --warmup 2 --repeat 1",
                 Lines("1", 2, 4, "5 messages of 100"));
}

TEST(CliOptionTest, NamedFifosLeaveNoFile) {
  const TempDirectory directory;
  ExpectCleanRun("-g 2 -f 2 -l 5 --transport fifo",
                 Lines("2", 2, 8, "5 messages of 100"),
                 {.environment = {{"TMPDIR", directory.path()}}});
  EXPECT_EQ(directory.Names(), std::vector<std::string>{});
}

TEST(CliOptionTest, NamedFifosNeedTheirDirectory) {
  const Result result = RunToEnd(Split("-g 1 -f 2 -l 5 --transport fifo"),
                                 {.environment = {{"TMPDIR", "/nonexistent"}}});
  EXPECT_TRUE(Matches(result.err,
                      R"(hackbench: group 0, channel 0: mkfifo )"
                      R"(/nonexistent/hackbench-\d+-0: No such file or )"
                      R"(directory\n)"))
      << result.err;
  EXPECT_EQ(result.exit_code, 1);
}

}  // namespace
}  // namespace hackbench::cli
