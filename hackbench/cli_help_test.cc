// SPDX-License-Identifier: MIT
// Texts that are asked for, and words nobody knows.
#include <gtest/gtest.h>

#include <sstream>

#include "hackbench/cli_runner.h"
#include "hackbench/command_list.h"
#include "hackbench/option_table.h"
#include "hackbench/transport_list.h"

namespace hackbench::cli {
namespace {

// Whether `text` has a line for the option, with its letter and value.
bool NamesOption(const std::string& text, const OptionRow& row) {
  std::string line = "\n      --";
  if (row.letter != 0)
    line = {'\n', ' ', ' ', '-', row.letter, ',', ' ', '-', '-'};
  line += row.name;
  if (row.takes_value()) line.append("=").append(row.value_name);
  const size_t at = text.find(line);
  if (at == std::string::npos) return false;
  const char next = text[at + line.size()];
  return next == ' ' || next == '\n';
}

void ExpectNamesAll(const std::string& text, Spelling spelling) {
  for (const OptionRow& row : OptionTable()) {
    if ((row.spellings & spelling) != 0) {
      EXPECT_TRUE(NamesOption(text, row)) << row.name << "\n" << text;
    }
  }
}

TEST(CliHelpTest, HelpNamesEveryOptionOfTheTable) {
  for (const std::string words :
       {"-h", "--help", "--hel", "-g 1 -h", "run -h"}) {
    SCOPED_TRACE(words);
    const Result result = RunToEnd(Split(words));
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "");
    EXPECT_TRUE(result.out.starts_with("usage: hackbench [OPTIONS]\n"));
    ExpectNamesAll(result.out, kRtTestsSpelling);
  }
}

TEST(CliHelpTest, PerfHelpNamesPerfsOptions) {
  const Result result = RunToEnd(Split("sched messaging --help"));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(
      result.out.starts_with("usage: hackbench sched messaging [OPTIONS]\n"));
  ExpectNamesAll(result.out, kPerfSpelling);
}

TEST(CliHelpTest, HelpFitsATerminal) {
  const Result result = RunToEnd({"--help"});
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LT(line.size(), 80u) << line;
  }
}

TEST(CliHelpTest, HelpListsEveryCommand) {
  const Result result = RunToEnd({"help"});
  EXPECT_EQ(result.exit_code, 0);
  for (const CommandEntry& entry : kCommandList) {
    EXPECT_NE(result.out.find("\n  " + std::string(entry.name) + " "),
              std::string::npos)
        << result.out;
  }
}

TEST(CliHelpTest, ListNamesEveryTransport) {
  const Result result = RunToEnd(Split("--list transports"));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  std::istringstream lines(result.out);
  std::string line;
  for (const TransportEntry& entry : kTransportList) {
    std::string expected(entry.name);
    expected.resize(12, ' ');
    expected += std::string(entry.summary) + " [";
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(line.substr(0, expected.size()), expected);
    EXPECT_EQ(line.back(), ']');
  }
  EXPECT_FALSE(std::getline(lines, line));
}

TEST(CliHelpTest, VersionIsOneLine) {
  const Result result = RunToEnd({"--version"});
  EXPECT_EQ(result.out, "hackbench " HACKBENCH_VERSION "\n");
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.exit_code, 0);
}

struct Refusal {
  std::string words;
  std::string err;
  int exit_code = 1;
};

TEST(CliHelpTest, UnknownWordsAreRefusedWithTheNearestName) {
  const std::string list = "; hackbench --help lists all\n";
  const std::vector<Refusal> refusals = {
      {"--loop", "--loops needs a value; hackbench --help shows which\n"},
      {"--grops 2", "unknown option --grops (did you mean 'groups'?)" + list},
      {"--dataszie=1",
       "unknown option --dataszie (did you mean 'datasize'?)" + list},
      {"--zzz", "unknown option --zzz" + list},
      {"-x", "unknown option -x" + list},
      {"-gx 1",
       "--groups|-g 'x': expected a whole number from 1 to 2147483647\n"},
      {"proces",
       "'proces' is neither a number of groups nor a command (did "
       "you mean 'process'?); hackbench --help shows both\n"},
      {"foo",
       "'foo' is neither a number of groups nor a command; hackbench "
       "--help shows both\n"},
      {"--transport scoketpair",
       "unknown transport 'scoketpair' (did you mean 'socketpair'?); choices: "
       "hackbench --list transports\n"},
      {"--list transport",
       "--list 'transport': choices are allocators, locks, rwlocks, refcounts, "
       "preempts, transports (did you mean 'transports'?)\n"},
      {"--timing wor",
       "--timing 'wor': choices are total, work (did you mean 'work'?)\n"},
      {"--sched fifo",
       "--sched 'fifo': choices are other, batch, idle, fifo:N\n"},
      {"--log-level loud",
       "--log-level 'loud': choices are off, error, "
       "warning, info, debug\n"},
      {"--footprint pear",
       "--footprint 'pear': choices are peer, lean (did "
       "you mean 'peer'?)\n"},
      {"--p", "--p is ambiguous: --processes, --pipe\n"},
      {"--threads=3", "--threads takes no value\n"},
      {"--groups", "--groups needs a value; hackbench --help shows which\n"},
      {"-g", "--groups needs a value; hackbench --help shows which\n"},
      {"run --grops 2",
       "unknown option --grops (did you mean 'groups'?)" + list, 2},
      {"run -g 0",
       "--groups|-g '0': expected a whole number from 1 to 2147483647\n", 2},
      {"run --transport x",
       "unknown transport 'x'; choices: hackbench --list transports\n", 2},
  };
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.words);
    const Result result = RunToEnd(Split(refusal.words));
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "hackbench: " + refusal.err);
    EXPECT_EQ(result.exit_code, refusal.exit_code);
  }
}

TEST(CliHelpTest, OptionsThatExcludeEachOtherAreRefused) {
  const std::vector<Refusal> refusals = {
      {"-p -i -g 1",
       "--inet|-i cannot be used together with transport pipe: "
       "a message takes one way\n"},
      {"-i -p -g 1",
       "--pipe|-p cannot be used together with transport tcp: a "
       "message takes one way\n"},
      {"--transport fifo -p",
       "--pipe|-p cannot be used together with "
       "transport fifo: a message takes one way\n"},
      {"-pipe 1 -i", "-pipe cannot be used together with transport tcp\n"},
      {"--nodelay -g 1",
       "--nodelay does nothing for transport socketpair; use "
       "it with tcp\n"},
  };
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.words);
    const Result result = RunToEnd(Split(refusal.words));
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "hackbench: " + refusal.err);
    EXPECT_EQ(result.exit_code, 1);
  }
}

}  // namespace
}  // namespace hackbench::cli
