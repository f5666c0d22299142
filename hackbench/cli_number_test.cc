// SPDX-License-Identifier: MIT
// Every number of the command line at and beyond its limits, and what the
// machine or the arithmetic cannot do: refused before the first line is
// printed and the first task exists.
#include <gtest/gtest.h>

#include "hackbench/cli_runner.h"

namespace hackbench::cli {
namespace {

constexpr char kMaxInt[] = "2147483647";
constexpr char kMaxUint[] = "4294967295";

struct Number {
  std::string option;  // As it is given.
  std::string name;    // As messages name it.
  std::string min;
  std::string max;
  std::string below;
};

const std::vector<Number>& Numbers() {
  static const std::vector<Number> numbers = {
      {"-g", "--groups|-g", "1", kMaxInt, "0"},
      {"--groups", "--groups|-g", "1", kMaxInt, "-1"},
      {"-f", "--fds|-f", "1", kMaxInt, "0"},
      {"-l", "--loops|-l", "1", kMaxUint, "0"},
      {"-s", "--datasize|-s", "1", kMaxInt, "0"},
      {"--repeat", "--repeat", "1", "1000000", "0"},
      {"--warmup", "--warmup", "0", "1000000", "-1"},
      {"--timeout", "--timeout", "0", kMaxInt, "-1"},
      {"--hang-after", "--hang-after", "0", kMaxInt, "-1"},
      {"--nice", "--nice", "-20", "19", "-21"},
  };
  return numbers;
}

// stdout stays empty: nothing was begun.
void ExpectRefused(const Argv& words, const std::string& err) {
  SCOPED_TRACE(testing::PrintToString(words));
  const Result result = RunToEnd(words);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "hackbench: " + err + "\n");
  EXPECT_EQ(result.exit_code, 1);
}

TEST(CliNumberTest, NumbersOutsideTheirRangeAreRefused) {
  for (const Number& number : Numbers()) {
    for (const std::string& value :
         {number.below, std::string("-99999999999999999999"),
          std::to_string(std::stoll(number.max) + 1),
          std::string("99999999999"), std::string("99999999999999999999"),
          std::string("abc"), std::string("")}) {
      // An empty word behind a letter is not a value of its own.
      ExpectRefused({number.option, value},
                    number.name + " '" + value +
                        "': expected a whole number from " + number.min +
                        " to " + number.max);
    }
  }
}

TEST(CliNumberTest, ValuesThatWrapIn32BitsAreRefused) {
  // The peers read these as 1, 1, -5 and -1 and go on with that.
  ExpectRefused({"-g", "4294967297"},
                "--groups|-g '4294967297': expected a whole number from 1 to "
                "2147483647");
  ExpectRefused({"-s", "4294967297"},
                "--datasize|-s '4294967297': expected a whole number from 1 to "
                "2147483647");
  ExpectRefused({"-l", "-5", "-g", "1"},
                "--loops|-l '-5': expected a whole number from 1 to "
                "4294967295");
  ExpectRefused({"-g-1"},
                "--groups|-g '-1': expected a whole number from 1 to "
                "2147483647");
}

TEST(CliNumberTest, OperandsHaveTheRangesOfTheirOptions) {
  ExpectRefused({"0"},
                "groups '0': expected a whole number from 1 to "
                "2147483647");
  ExpectRefused({"--", "-1"},
                "groups '-1': expected a whole number from 1 to "
                "2147483647");
  ExpectRefused({"99999999999"},
                "groups '99999999999': expected a whole number from 1 to "
                "2147483647");
  ExpectRefused({"1", "process", "0"},
                "loops '0': expected a whole number from 1 to 4294967295");
  ExpectRefused({"1", "thread", "4294967296"},
                "loops '4294967296': expected a whole number from 1 to "
                "4294967295");
}

TEST(CliNumberTest, NegativeOperandsAreTakenForOptions) {
  ExpectRefused({"-1"}, "unknown option -1; hackbench --help lists all");
  ExpectRefused({"1", "process", "-5"},
                "unknown option -5; hackbench --help lists all");
}

TEST(CliNumberTest, WordsInPlaceOfOperandsAreRefused) {
  const std::string usage =
      "; hackbench [-pipe] [GROUPS [process|thread [LOOPS]]]";
  ExpectRefused(
      {"1", "process", "abc"},
      "'abc' is neither a number of loops nor process or thread" + usage);
  ExpectRefused(
      {"2", "foo"},
      "'foo' is neither a number of loops nor process or thread" + usage);
  ExpectRefused({"2", "proces"},
                "'proces' is neither a number of loops nor process or thread "
                "(did you mean 'process'?)" +
                    usage);
  ExpectRefused(
      {"--", "-g", "1"},
      "'-g' is neither a number of groups nor process or thread" + usage);
  ExpectRefused(
      {""}, "'' is neither a number of groups nor process or thread" + usage);
}

TEST(CliNumberTest, TextBehindANumberIsDoubted) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"1e3", "1"}, {"2.5", "2"}, {"1x", "1"}, {"1 0", "1"}, {" 2 ", "2"}};
  for (const auto& [value, read] : cases) {
    SCOPED_TRACE(value);
    const Result option = RunToEnd({"-g", value, "-f", "1", "-l", "1"});
    EXPECT_EQ(option.err, "hackbench: warning: --groups|-g '" + value +
                              "' was read as " + read + "; running as: -g " +
                              read +
                              " -f 1 -l 1 -s 100 -P --transport socketpair\n");
    EXPECT_EQ(option.exit_code, 0);
    const Result operand = RunToEnd({value, "thread", "1"});
    EXPECT_EQ(operand.err, "hackbench: warning: groups '" + value +
                               "' was read as " + read + "; running as: -g " +
                               read +
                               " -f 20 -l 1 -s 100 -T --transport "
                               "socketpair\n");
    EXPECT_EQ(operand.exit_code, 0);
  }
}

TEST(CliNumberTest, HexadecimalIsZeroWithTextBehind) {
  ExpectRefused({"-l", "0x10"},
                "--loops|-l '0x10': expected a whole number from 1 to "
                "4294967295");
}

TEST(CliNumberTest, ProductsBeyond63BitsAreRefused) {
  ExpectRefused({"-f", kMaxInt, "-l", kMaxUint, "-s", kMaxInt, "-g", kMaxInt},
                "--groups 2147483647 x --fds 2147483647 x --fds 2147483647 x "
                "--loops 4294967295 x --datasize 2147483647 does not fit 63 "
                "bits; use smaller numbers");
}

// The need, the limit and a remedy are all named.
TEST(CliNumberTest, NeedsBeyondTheMachineAreRefused) {
  const std::string tail =
      R"( tasks[^\n]*, [^\n]+ is \d+; [^\n]+ or use fewer )"
      R"(--groups\n)";
  for (const std::string words :
       {"-g 2147483647 -f 1", "-g 107374183", "-T -g 107374183",
        "-T -g 214748365 -l 1", "-f 20000000 -g 1", "200000000 process 1"}) {
    SCOPED_TRACE(words);
    const Result result = RunToEnd(Split(words));
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(Matches(
        result.err,
        R"(hackbench: --groups \d+ --fds \d+ as (processes|threads) needs \d+)" +
            tail))
        << result.err;
    EXPECT_EQ(result.exit_code, 1);
  }
}

TEST(CliNumberTest, MessagesBeyondTheMemoryAreRefused) {
  // 20 receivers and as many senders of 2 GiB; more than a test machine has.
  const Result result = RunToEnd(Split("-g 100 -s 2147483647"));
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(Matches(result.err,
                      R"(hackbench: --groups 100 --fds 20 as processes needs )"
                      R"(\d+ (MiB of memory|tasks)[^\n]*, [^\n]+ is \d+; )"
                      R"([^\n]+ or use fewer --groups\n)"))
      << result.err;
  EXPECT_EQ(result.exit_code, 1);
}

// The peers print such a run's 2^32 messages as -1294967296, or stop after
// F*L modulo 2^32 of them and report a time.
TEST(CliNumberTest, MoreThanFourBillionMessagesReallyRun) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"-f 20 -l 214748365 -g 1", "214748365 messages of 100 bytes\n"},
      {"-f 1 -l 3000000000 -g 1", "3000000000 messages of 100 bytes\n"},
      {"-f 1 -T -l 4294967295 -g 1", "4294967295 messages of 100 bytes\n"},
  };
  for (const auto& [words, last] : cases) {
    SCOPED_TRACE(words);
    const Result result = RunToEnd(Split(words + " --timeout 1"));
    EXPECT_TRUE(result.out.ends_with("Each sender will pass " + last))
        << result.out;
    EXPECT_TRUE(result.err.starts_with(
        "hackbench: ended by --timeout after 1 s; unfinished: 1 of 1\n"))
        << result.err;
    EXPECT_EQ(result.exit_code, 124);
  }
}

TEST(CliNumberTest, PerfFormRunsMoreThanFourBillionMessages) {
  // perf ends at once with exit 1 and says nothing.
  const Result result =
      RunToEnd(Split("sched messaging -g 1 -l 214748365 --timeout 1"));
  EXPECT_EQ(result.out, "# Running 'sched/messaging' benchmark:\n");
  EXPECT_EQ(result.exit_code, 124);
}

}  // namespace
}  // namespace hackbench::cli
