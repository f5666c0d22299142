// SPDX-License-Identifier: MIT
#include "hackbench/run_parser.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace hackbench {
namespace {

using Words = std::vector<std::string_view>;

RunOptions MustParse(const Words& words) {
  const absl::StatusOr<ParsedRun> run = ParseRun(words);
  EXPECT_TRUE(run.ok()) << run.status();
  return run.ok() ? run->options : RunOptions{};
}

std::vector<std::string> DoubtsOf(const Words& words) {
  const absl::StatusOr<ParsedRun> run = ParseRun(words);
  EXPECT_TRUE(run.ok()) << run.status();
  return run.ok() ? run->doubts : std::vector<std::string>{};
}

std::string ErrorOf(const absl::StatusOr<ParsedRun>& run) {
  return run.ok() ? "accepted" : std::string(run.status().message());
}

TEST(RunParserTest, NoWordsIsTheDefaultRunInRtTestsLines) {
  const RunOptions options = MustParse({});
  EXPECT_EQ(options.grammar, Grammar::kRtTests);
  EXPECT_EQ(EffectiveCommandLine(options),
            "-g 10 -f 20 -l 100 -s 100 -P --transport socketpair");
}

TEST(RunParserTest, ClassicOperandsAreGroupsModeLoops) {
  const RunOptions options = MustParse({"-pipe", "20", "thread", "1000"});
  EXPECT_EQ(options.grammar, Grammar::kClassic);
  EXPECT_EQ(EffectiveCommandLine(options),
            "-g 20 -f 20 -l 1000 -s 100 -T --transport pipe");
  EXPECT_TRUE(DoubtsOf({"-pipe", "20", "thread", "1000"}).empty());
}

TEST(RunParserTest, NewOptionsLeaveTheClassicGrammarAlone) {
  EXPECT_EQ(MustParse({"100", "process", "--repeat", "5"}).grammar,
            Grammar::kClassic);
  EXPECT_TRUE(DoubtsOf({"100", "process", "--repeat", "5"}).empty());
}

TEST(RunParserTest, MixedUseIsHonouredInRtTestsLinesAndDoubted) {
  const Words words = {"process", "10", "1000", "-s", "16"};
  EXPECT_EQ(MustParse(words).grammar, Grammar::kRtTests);
  EXPECT_EQ(EffectiveCommandLine(MustParse(words)),
            "-g 10 -f 20 -l 1000 -s 16 -P --transport socketpair");
  EXPECT_EQ(DoubtsOf(words).size(), 2u);
}

TEST(RunParserTest, BundlesPrefixesAndTheLastOneWins) {
  EXPECT_EQ(EffectiveCommandLine(MustParse({"-pTl", "4000"})),
            "-g 10 -f 20 -l 4000 -s 100 -T --transport pipe");
  EXPECT_EQ(EffectiveCommandLine(MustParse({"--pip", "--thr", "--l=7"})),
            "-g 10 -f 20 -l 7 -s 100 -T --transport pipe");
  EXPECT_EQ(MustParse({"-g", "3", "-g4"}).groups, 4);
  EXPECT_EQ(MustParse({"--process"}).mode, Mode::kProcess);
}

// Every abbreviation that rt-tests 2.10 takes must stay what it is there,
// whatever long names are added.
TEST(RunParserTest, NewNamesNeverTakeAnOldAbbreviation) {
  for (const std::string_view word :
       {"--d=5", "--l=5", "--g=5", "--fd=5", "--t", "--pi", "--pr", "--fi",
        "--i", "--h"}) {
    const absl::StatusOr<ParsedRun> run = ParseRun(Words{word});
    EXPECT_TRUE(run.ok()) << word << ": " << run.status();
  }
}

TEST(RunParserTest, OneQuotedWordKeepsItsFirstNumber) {
  const Words words = {"-s 64 -l 5 -g 1 -f 20"};
  EXPECT_EQ(EffectiveCommandLine(MustParse(words)),
            "-g 10 -f 20 -l 100 -s 64 -P --transport socketpair");
  ASSERT_EQ(DoubtsOf(words).size(), 1u);
  EXPECT_NE(DoubtsOf(words)[0].find("one word"), std::string::npos);
}

TEST(RunParserTest, StrictRefusesEveryDoubt) {
  for (const Words& words :
       std::initializer_list<Words>{{"-g", "1x"},
                                    {"-s 64 -l 5"},
                                    {"process", "10"},
                                    {"10", "-p"},
                                    {"10", "-pipe"},
                                    {"-T", "-P"},
                                    {"10", "process", "5", "extra"}}) {
    EXPECT_EQ(DoubtsOf(words).empty(), false) << words[0];
    Words strict = words;
    strict.push_back("--strict");
    EXPECT_NE(ErrorOf(ParseRun(strict)).find("--strict"), std::string::npos)
        << words[0];
  }
}

TEST(RunParserTest, RefusesNumbersThatCannotRun) {
  for (const std::string_view option : {"-g", "-f", "-l", "-s", "--repeat"}) {
    for (const std::string_view value :
         {"0", "-1", "abc", "", "99999999999", "0x10",
          "123456789012345678901234567890"}) {
      EXPECT_NE(ErrorOf(ParseRun(Words{option, value})).find("expected"),
                std::string::npos)
          << option << " " << value;
    }
  }
  EXPECT_NE(ErrorOf(ParseRun(Words{"0"})).find("groups"), std::string::npos);
  EXPECT_NE(ErrorOf(ParseRun(Words{"2", "process", "0"})).find("loops"),
            std::string::npos);
}

TEST(RunParserTest, RefusesTwoTransports) {
  for (const Words& words : std::initializer_list<Words>{
           {"-p", "-i"}, {"-pipe", "2", "-i"}, {"-p", "--transport=tcp"}}) {
    EXPECT_NE(ErrorOf(ParseRun(words)).find("together"), std::string::npos);
  }
  EXPECT_EQ(MustParse({"-p", "--transport", "pipe"}).transport, "pipe");
}

TEST(RunParserTest, ErrorsSuggestTheNearestName) {
  EXPECT_NE(ErrorOf(ParseRun(Words{"--grops=2"})).find("'groups'"),
            std::string::npos);
  EXPECT_NE(ErrorOf(ParseRun(Words{"2", "treads"})).find("'thread'"),
            std::string::npos);
  EXPECT_NE(ErrorOf(ParseRun(Words{"--sched", "idel"})).find("'idle'"),
            std::string::npos);
}

TEST(RunParserTest, SaysWhatIsMissingOrTooMuch) {
  EXPECT_NE(ErrorOf(ParseRun(Words{"-g"})).find("needs a value"),
            std::string::npos);
  EXPECT_NE(ErrorOf(ParseRun(Words{"--pipe=3"})).find("takes no value"),
            std::string::npos);
  EXPECT_NE(ErrorOf(ParseRun(Words{"--t=3"})).find("takes no value"),
            std::string::npos);
}

TEST(RunParserTest, PerfHasItsOwnLetters) {
  const absl::StatusOr<ParsedRun> run = ParsePerfRun(
      Words{"-t", "-p", "-g", "2", "--nr_loops=7", "-f", "simple"});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->options.grammar, Grammar::kPerf);
  EXPECT_TRUE(run->options.simple_format);
  EXPECT_EQ(EffectiveCommandLine(run->options),
            "-g 2 -f 20 -l 7 -s 100 -T --transport pipe");
  EXPECT_EQ(ErrorOf(ParsePerfRun(Words{"-s", "100"})).find("unknown option"),
            0u);
}

TEST(RunParserTest, PerfNumbersAreStrict) {
  EXPECT_NE(ErrorOf(ParsePerfRun(Words{"-g", "1x"})).find("expected"),
            std::string::npos);
}

TEST(RunParserTest, UsageExitCodesAreTheGrammars) {
  EXPECT_EQ(UsageExitCode(Grammar::kClassic), 1);
  EXPECT_EQ(UsageExitCode(Grammar::kRtTests), 1);
  EXPECT_EQ(UsageExitCode(Grammar::kPerf), 129);
  EXPECT_EQ(UsageExitCode(Grammar::kCommand), 2);
}

}  // namespace
}  // namespace hackbench
