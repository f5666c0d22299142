// SPDX-License-Identifier: MIT
// What each way of writing a run prints, to the byte: the lines of the old
// program whose words were used, and one warning for what it would have
// misread.
#include <gtest/gtest.h>

#include "hackbench/cli_runner.h"

namespace hackbench::cli {
namespace {

// The lines of the three grammars, with the time masked.
std::string ClassicLines(int groups) {
  return "Running with " + std::to_string(groups) +
         "*40 (== " + std::to_string(40 * groups) + ") tasks.\nTime: T\n";
}

std::string RtTestsLines(int groups, int fds, int loops, int datasize,
                         const std::string& mode = "process") {
  const std::string per_group = std::to_string(2 * fds);
  return "Running in " + mode + " mode with " + std::to_string(groups) +
         " groups using " + per_group +
         " file descriptors each (== " + std::to_string(2 * fds * groups) +
         " tasks)\nEach sender will pass " + std::to_string(loops) +
         " messages of " + std::to_string(datasize) + " bytes\nTime: T\n";
}

constexpr char kPerfBanner[] = "# Running 'sched/messaging' benchmark:\n";

std::string PerfLines(const std::string& tasks = "processes") {
  return kPerfBanner + ("# 20 sender and receiver " + tasks) +
         " per group\n# 1 groups == 40 " + tasks +
         " run\n\n     Total time: T [sec]\n";
}

std::string Warning(const std::string& doubt, const std::string& run) {
  return "hackbench: warning: " + doubt + "; running as: " + run + "\n";
}

constexpr char kOneGroupOneLoop[] =
    "-g 1 -f 20 -l 1 -s 100 -P --transport socketpair";

struct Case {
  Argv words;
  std::string out;
  std::string err;
  int exit_code = 0;
};

void ExpectAll(const std::vector<Case>& cases, const RunSetup& setup = {}) {
  for (const Case& test : cases) {
    SCOPED_TRACE(testing::PrintToString(test.words));
    const Result result = RunToEnd(test.words, setup);
    EXPECT_EQ(Mask(result.out), test.out);
    EXPECT_EQ(result.err, test.err);
    EXPECT_EQ(result.exit_code, test.exit_code);
  }
}

TEST(CliGrammarTest, OperandsPrintTheClassicLines) {
  ExpectAll({
      {Split("1 process 1"), ClassicLines(1), ""},
      {Split("2 thread 1"), ClassicLines(2), ""},
      {Split("1"), ClassicLines(1), ""},
      {Split("-pipe 1 thread 1"), ClassicLines(1), ""},
      {Split("-pipe 1"), ClassicLines(1), ""},
      {Split("-- 1 process 1"), ClassicLines(1), ""},
      // What is new does not change whose lines they are.
      {Split("1 process 1 --verify"), ClassicLines(1), ""},
  });
}

TEST(CliGrammarTest, WithoutWordsTheDefaultRunPrintsTheRtTestsLines) {
  ExpectAll({{{}, RtTestsLines(10, 20, 100, 100), ""}});
}

TEST(CliGrammarTest, OptionsPrintTheRtTestsLines) {
  ExpectAll({
      {Split("-g 1 -l 1"), RtTestsLines(1, 20, 1, 100), ""},
      {Split("-g 3 -f 2 -l 4 -s 5"), RtTestsLines(3, 2, 4, 5), ""},
      {Split("-g1 -f2 -l3 -s1"), RtTestsLines(1, 2, 3, 1), ""},
      {Split("-T -g 1 -f 1 -l 1"), RtTestsLines(1, 1, 1, 100, "threaded"), ""},
      {Split("-P -g 1 -f 1 -l 1"), RtTestsLines(1, 1, 1, 100), ""},
      {Split("-p -g 1 -f 1 -l 1"), RtTestsLines(1, 1, 1, 100), ""},
      // Nothing newer than rt-tests 2.4 gets past connect() here.
      {Split("-i -g 1 -f 1 -l 1"), RtTestsLines(1, 1, 1, 100), ""},
      {Split("run -g 1 -f 1 -l 1"), RtTestsLines(1, 1, 1, 100), ""},
  });
}

TEST(CliGrammarTest, OptionsMayBeBundledShortenedAndRepeated) {
  const std::string threads = RtTestsLines(1, 1, 4, 100, "threaded");
  ExpectAll({
      {Split("-g 1 -f 1 -pTl 4"), threads, ""},
      {Split("-pTl4 -g1 -f1"), threads, ""},
      {Split("--thread --l 4 --gr 1 --fd=1 --pip"), threads, ""},
      {Split("--process -g 1 -f 1 -l 4"), RtTestsLines(1, 1, 4, 100), ""},
      {Split("--d 8 --fd 1 -g 1 -l 4"), RtTestsLines(1, 1, 4, 8), ""},
      {Split("-g 9 -l 9 -f 1 -g 1 -l 4"), RtTestsLines(1, 1, 4, 100), ""},
  });
}

// Each of these is refused by some release of rt-tests, because of where the
// option stands.
TEST(CliGrammarTest, PositionOfAnOptionDoesNotMatter) {
  ExpectAll({
      {Split("--groups=2"), RtTestsLines(2, 20, 100, 100), ""},
      {Split("--loops=5 -g 1"), RtTestsLines(1, 20, 5, 100), ""},
      {Split("--loops=5"), RtTestsLines(10, 20, 5, 100), ""},
      {Split("-g 1 -l 10 -s 64"), RtTestsLines(1, 20, 10, 64), ""},
      {Split("-s 64 -g 1 -l 10"), RtTestsLines(1, 20, 10, 64), ""},
  });
}

TEST(CliGrammarTest, PerfFormPrintsThePerfLines) {
  ExpectAll({
      {Split("sched messaging -g 1 -l 1"), PerfLines(), ""},
      {Split("sched messaging -t -g 1 -l 1"), PerfLines("threads"), ""},
      {Split("sched messaging --thread --pipe --group 1 --nr_loops=1"),
       PerfLines("threads"), ""},
      {Split("--format=default sched messaging -ptg 1 -l 1"),
       PerfLines("threads"), ""},
      {Split("sched messaging -g 1 -l 1 --format=simple"), "T\n", ""},
      {Split("--format=simple sched messaging -g 1 -l 1"), "T\n", ""},
      {Split("-f simple sched messaging -tg 1 -l 1"), "T\n", ""},
      {Split("-r 2 -f simple sched messaging -tg 1 -l 1 --log-level off"),
       "T\nT\n", ""},
  });
}

TEST(CliGrammarTest, PerfNameSelectsThePerfForm) {
  const RunSetup setup{.called_as = "perf-bench-sched-messaging"};
  ExpectAll(
      {
          {Split("-t -g 1 -l 1"), PerfLines("threads"), ""},
          {Split("messaging -t -g 1 -l 1"), PerfLines("threads"), ""},
          {Split("-g 1x"), kPerfBanner,
           "hackbench: --group|-g '1x': expected a whole number from 1 to "
           "2147483647\n",
           129},
      },
      setup);
}

TEST(CliGrammarTest, PerfFormRefusesWithPerfsExitCode) {
  const std::string number = ": expected a whole number from 1 to 2147483647\n";
  ExpectAll({
      // perf runs no group at all here and reports a time for it.
      {Split("sched messaging -g 0"), kPerfBanner,
       "hackbench: --group|-g '0'" + number, 129},
      {Split("sched messaging -g -1"), kPerfBanner,
       "hackbench: --group|-g '-1'" + number, 129},
      {Split("sched messaging -g abc"), kPerfBanner,
       "hackbench: --group|-g 'abc'" + number, 129},
      {Split("sched messaging -g 1k"), kPerfBanner,
       "hackbench: --group|-g '1k'" + number, 129},
      {Split("sched messaging -g 4294967295"), kPerfBanner,
       "hackbench: --group|-g '4294967295'" + number, 129},
      {Split("sched messaging -g 1 -l 0"), kPerfBanner,
       "hackbench: --nr_loops|-l '0': expected a whole number from 1 to "
       "4294967295\n",
       129},
      {Split("sched messaging -s 100"), kPerfBanner,
       "hackbench: unknown option -s; hackbench --help lists all\n", 129},
      {Split("sched messaging --format=json"), kPerfBanner,
       "hackbench: --format|-f 'json': choices are default, simple\n", 129},
      {Split("sched pipe"), "",
       "hackbench: sched knows one suite: hackbench sched messaging\n", 129},
  });
}

TEST(CliGrammarTest, MixedUseIsHonouredAndSaid) {
  const std::string beside =
      "operands beside options are honoured (other hackbenches ignore them)";
  ExpectAll({
      {Split("process 1 2 -s 16"), RtTestsLines(1, 20, 2, 16),
       Warning("'process' before the number of groups is honoured; " + beside,
               "-g 1 -f 20 -l 2 -s 16 -P --transport socketpair")},
      {Split("1 process 2 -p"), RtTestsLines(1, 20, 2, 100),
       Warning(beside, "-g 1 -f 20 -l 2 -s 100 -P --transport pipe")},
      {Split("-p 1 thread 2"), RtTestsLines(1, 20, 2, 100, "threaded"),
       Warning(beside, "-g 1 -f 20 -l 2 -s 100 -T --transport pipe")},
      // perf runs its default, 10 groups of 100 loops, whatever stands there.
      {Split("sched messaging 1 process 1"), PerfLines(),
       Warning(beside, kOneGroupOneLoop)},
  });
}

// Options and operands alike.
TEST(CliGrammarTest, LastOfTwoThatDisagreeCounts) {
  const std::string beside =
      "operands beside options are honoured (other hackbenches ignore them)";
  const std::string both =
      "both threads and processes were asked for; the last one counts (pipes "
      "are -p)";
  ExpectAll({
      {Split("1 process 2 -f 2 -T"), RtTestsLines(1, 2, 2, 100, "threaded"),
       Warning(both + "; " + beside,
               "-g 1 -f 2 -l 2 -s 100 -T --transport socketpair")},
      {Split("-T -f 2 1 process 2"), RtTestsLines(1, 2, 2, 100),
       Warning(both + "; " + beside,
               "-g 1 -f 2 -l 2 -s 100 -P --transport socketpair")},
      {Split("9 -g 1 -f 2"), RtTestsLines(1, 2, 100, 100),
       Warning(beside, "-g 1 -f 2 -l 100 -s 100 -P --transport socketpair")},
  });
}

TEST(CliGrammarTest, WhatTheOldProgramsMisreadIsSaidOnce) {
  ExpectAll({
      {Split("1 thread 1 -pipe"), ClassicLines(1),
       Warning("'-pipe' after other words is honoured (the classic program "
               "takes it first only)",
               "-g 1 -f 20 -l 1 -s 100 -T --transport pipe")},
      {Split("1 process 1 2 -- -3"), ClassicLines(1),
       Warning("operand '2' is ignored; operand '-3' is ignored",
               kOneGroupOneLoop)},
      {Split("-T -P -g 1 -f 1 -l 1"), RtTestsLines(1, 1, 1, 100),
       Warning("both threads and processes were asked for; the last one "
               "counts (pipes are -p)",
               "-g 1 -f 1 -l 1 -s 100 -P --transport socketpair")},
      {Split("-P -T -g 1 -f 1 -l 1"), RtTestsLines(1, 1, 1, 100, "threaded"),
       Warning("both threads and processes were asked for; the last one "
               "counts (pipes are -p)",
               "-g 1 -f 1 -l 1 -s 100 -T --transport socketpair")},
      // A widely used harness hands over all its options like this.
      {{"-s 64 -l 5 -g 1 -f 20"},
       RtTestsLines(10, 20, 100, 64),
       Warning("' 64 -l 5 -g 1 -f 20' is one word, of which only "
               "--datasize|-s 64 was read; give each option a word of its own",
               "-g 10 -f 20 -l 100 -s 64 -P --transport socketpair")},
  });
}

TEST(CliGrammarTest, StrictMakesEachDoubtAnError) {
  const std::vector<std::pair<Argv, std::string>> cases = {
      {Split("process 1 1"),
       "'process' before the number of groups is "
       "honoured"},
      {Split("1 process 1 -p"),
       "operands beside options are honoured (other "
       "hackbenches ignore them)"},
      {Split("1 -pipe"),
       "'-pipe' after other words is honoured (the classic "
       "program takes it first only)"},
      {Split("1 process 1 2"), "operand '2' is ignored"},
      {Split("-T -P"),
       "both threads and processes were asked for; the last "
       "one counts (pipes are -p)"},
      {{"-s 64 -l 5"},
       "' 64 -l 5' is one word, of which only --datasize|-s 64 was read; give "
       "each option a word of its own"},
      {Split("-g 1x -f 2y"),
       "--groups|-g '1x' was read as 1; --fds|-f '2y' "
       "was read as 2"},
  };
  for (const auto& [words, doubt] : cases) {
    Argv strict = words;
    strict.push_back("--strict");
    ExpectAll({{strict, "", "hackbench: " + doubt + " (--strict)\n", 1}});
  }
  ExpectAll(
      {{Split("--strict -g 1 -f 1 -l 1"), RtTestsLines(1, 1, 1, 100), ""}});
}

}  // namespace
}  // namespace hackbench::cli
