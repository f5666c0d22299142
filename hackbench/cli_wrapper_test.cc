// SPDX-License-Identifier: MIT
// What the harnesses that run a hackbench read from its output. Each takes
// exactly the figures it looks for, whatever our options add on stderr, and
// also where a harness keeps both streams in one log.
#include <gtest/gtest.h>

#include "hackbench/cli_runner.h"

namespace hackbench::cli {
namespace {

enum class Reads { kStdout, kBoth };

struct Wrapper {
  std::string name;
  std::string pattern;  // Tried on each line; group 1 is the figure.
  Reads reads = Reads::kStdout;
};

constexpr char kTime[] = R"(\d+\.\d{3})";

// The patterns are those of the harnesses; awk fields and sed scripts are
// written as the expression they amount to.
const std::vector<Wrapper>& TimeReaders() {
  static const std::vector<Wrapper> readers = {
      {"Phoronix", R"(Time: (\S+))", Reads::kBoth},
      {"Linaro", R"(^Time\S*\s+(\S+))", Reads::kBoth},
      {"lkp", R"(^Time:\s+(\S+))", Reads::kBoth},
      {"mmtests before 2019", R"(^Time: (.*))"},
      {"schedtests", R"(^(?=.*Time)\s*\S+\s+(\S+))", Reads::kBoth},
      {"Workload Automation", R"(Time: (\d+.*))"},
      {"autotest, avocado", R"(^Time:\s+(\S+))", Reads::kBoth},
      {"lacombar", R"(^.*: (.*))"},
      {"awk", R"(^Time:\s*(\S*))", Reads::kBoth},
      {"grep -oP", R"(^Time:\s*([0-9.]+))", Reads::kBoth},
      {"grep -i", R"([Tt][Ii][Mm][Ee]:\s*(.*))", Reads::kBoth},
  };
  return readers;
}

std::string Log(const Result& result, Reads reads) {
  return reads == Reads::kStdout ? result.out : result.out + result.err;
}

// Every reader of times finds `runs` of them and nothing else.
void ExpectTimes(const Result& result, size_t runs,
                 const std::vector<Wrapper>& readers) {
  for (const Wrapper& wrapper : readers) {
    SCOPED_TRACE(wrapper.name);
    const std::vector<std::string> times =
        ExtractByLine(Log(result, wrapper.reads), wrapper.pattern);
    EXPECT_EQ(times.size(), runs) << result.out << result.err;
    for (const std::string& time : times) {
      EXPECT_TRUE(Matches(time, kTime)) << time;
    }
  }
}

// `text` has `figure` behind the pattern `runs` times and nothing else.
void ExpectFigure(const std::string& text, const std::string& pattern,
                  const std::string& figure, size_t runs) {
  EXPECT_EQ(ExtractByLine(text, pattern),
            std::vector<std::string>(runs, figure))
      << pattern << "\n"
      << text;
}

// Workload Automation looks for these anywhere in a line, lkp at its start.
void ExpectHeader(const Result& result, size_t runs) {
  const std::string both = Log(result, Reads::kBoth);
  ExpectFigure(both, R"((\d+) groups)", "1", runs);
  ExpectFigure(both, R"((\d+) file descriptors)", "6", runs);
  ExpectFigure(both, R"((\d+) messages)", "4", runs);
  ExpectFigure(both, R"((\d+) bytes)", "100", runs);
  const std::string running =
      R"(^Running in .* mode with (?:\d+ groups using )"
      R"(\d+ file descriptors each \(== (\d+) tasks\)))";
  ExpectFigure(both, running, "6", runs);
  ExpectFigure(both,
               R"(^Running in .* mode with (\d+) groups using (\d+) file )"
               R"(descriptors each \(== (\d+) tasks\))",
               "1", runs);
  ExpectFigure(both, R"(^Each sender will pass (\d+) messages of (\d+) bytes)",
               "4", runs);
  ExpectFigure(both,
               R"(^Each sender passed (\d+) messages of (\d+) bytes in )"
               R"(average)",
               "", 0);
}

TEST(CliWrapperTest, EveryReaderFindsTheFiguresOfAnRtTestsRun) {
  const std::vector<std::pair<std::string, size_t>> runs = {
      {"", 1},
      {"-T", 1},
      {"--process --pipe", 1},
      {"--latency -p", 1},
      {"--timing work", 1},
      {"--verify", 1},
      {"--repeat 3", 3},
      {"--repeat 2 --warmup 1 --latency -p --timing work", 2},
      {"--log-level debug --repeat 2", 2},
  };
  for (const auto& [words, count] : runs) {
    SCOPED_TRACE(words);
    const Result result = RunToEnd(Split("-g 1 -f 3 -l 4 " + words));
    EXPECT_EQ(result.exit_code, 0);
    ExpectTimes(result, count, TimeReaders());
    ExpectHeader(result, count);
  }
}

TEST(CliWrapperTest, DoubtsAreNoFigures) {
  for (const std::string words :
       {"-g 1x -f 3y -l 4z", "-T -P -g 1 -f 3 -l 4", "1 4 -f 3 -s 100",
        "process 1 4 -f 3 -T", "1 4 5 -f 3 -p -pipe"}) {
    SCOPED_TRACE(words);
    const Result result = RunToEnd(Split(words));
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_FALSE(result.err.empty());
    ExpectTimes(result, 1, TimeReaders());
    ExpectHeader(result, 1);
  }
}

TEST(CliWrapperTest, EveryReaderFindsTheTimeOfAClassicRun) {
  const std::vector<std::pair<std::string, size_t>> runs = {
      {"1 process 1", 1},
      {"1", 1},
      {"1 thread 1", 1},
      {"-pipe 1 process 1", 1},
      {"1 thread 1 -pipe", 1},
      {"1x thread 1 2", 1},
      {"1 thread 1 --repeat 3", 3},
      {"-pipe 1 thread 1 --latency", 1},
  };
  for (const auto& [words, count] : runs) {
    SCOPED_TRACE(words);
    const Result result = RunToEnd(Split(words));
    EXPECT_EQ(result.exit_code, 0);
    ExpectTimes(result, count, TimeReaders());
  }
}

// Linaro's script quotes all its options into one word.
TEST(CliWrapperTest, OneQuotedWordStillYieldsOneTime) {
  const Result result = RunToEnd({"-s 64 -l 5 -g 1 -f 20"});
  EXPECT_EQ(result.exit_code, 0);
  ExpectTimes(result, 1, TimeReaders());
}

TEST(CliWrapperTest, ReadersOfPerfFindItsTime) {
  const std::vector<Wrapper> readers = {
      {"lkp", R"(Total time:\s*([\d.]+)\s*\[sec\])", Reads::kBoth},
      {"mmtests", R"(^(?=.*Total time:)\s*\S+\s+\S+\s+(\S+))", Reads::kBoth},
      {"mmtests with perl", R"(Total time: ([0-9.]*))", Reads::kBoth},
  };
  const std::vector<std::pair<std::string, size_t>> runs = {
      {"--nr_loops 1 --group 1", 1},
      {"--pipe --thread -g 1 -l 1", 1},
      {"-g 1 -l 1 -t 1 process 1", 1},
      {"-p -t -g 1 -l 1 --latency --timing work", 1},
      {"-t -g 1 -l 1 -r 3", 3},
  };
  for (const auto& [words, count] : runs) {
    SCOPED_TRACE(words);
    const Result result = RunToEnd(Split("sched messaging " + words));
    EXPECT_EQ(result.exit_code, 0);
    ExpectTimes(result, count, readers);
  }
}

// A run that gives no time gives none to any reader, on either stream.
TEST(CliWrapperTest, FailedRunsGiveNoTimeToAnyReader) {
  for (const std::string words :
       {"-g 0", "-g 2147483647", "-g 1 -l 10000000 --timeout 1", "--grops 1",
        "1 process 10000000 --timeout 1", "-p -i", "0", "foo"}) {
    SCOPED_TRACE(words);
    const Result result = RunToEnd(Split(words));
    EXPECT_NE(result.exit_code, 0);
    ExpectTimes(result, 0, TimeReaders());
  }
}

// Harnesses probe or judge by the exit code alone.
TEST(CliWrapperTest, ProbesSucceed) {
  for (const std::string words :
       {"-g 1 --process --pipe -l 1 -s 1", "2 process 10", "2 thread 10",
        "-P -g 3 -l 10 -s 1000", "-g 1 -f 4 --threads --pipe -l 10 -s 100"}) {
    SCOPED_TRACE(words);
    EXPECT_EQ(RunToEnd(Split(words)).exit_code, 0);
  }
}

}  // namespace
}  // namespace hackbench::cli
