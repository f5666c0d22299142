// SPDX-License-Identifier: MIT
#include "results/reading.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "results/status_text.h"

namespace hackbench::results {
namespace {

using End = LaunchOutcome::End;

LaunchOutcome Printed(const std::string& out, const std::string& err = "") {
  LaunchOutcome outcome;
  outcome.end = End::kExited;
  outcome.out = out;
  outcome.err = err;
  outcome.elapsed_ns = 1'500'000'000;
  return outcome;
}

Reading Read(const LaunchOutcome& outcome, const TextMetric& metric = {},
             const Arm& arm = {}) {
  const auto reader = OutputReader::Make(metric);
  EXPECT_TRUE(reader.ok()) << reader.status();
  return reader->Read(arm, outcome);
}

constexpr const char* kRtTests =
    "Running in process mode with 10 groups using 40 file descriptors each (== "
    "400 tasks)\nEach sender will pass 100 messages of 100 bytes\nTime: "
    "0.482\n";
constexpr const char* kRecord =
    R"({"schema":"hackbench.run/1","role":"measure","status":"ok",)"
    R"("config":{"groups":10,"mode":"thread","nodelay":true},)"
    R"("timings_ns":{"setup":1000000,"total":2500000000,"work":2400000000,)"
    R"("reap":100000000},"messages":1000,"use":{"user_ns":5,"system_ns":6,)"
    R"("voluntary_switches":1500,"involuntary_switches":500,"minor_faults":3,)"
    R"("max_rss_bytes":4096}})"
    "\n";

TEST(ReadingTest, ReadsTheLinesOfEveryHackbench) {
  EXPECT_EQ(Read(Printed(kRtTests)).values.at("time"),
            std::vector<double>{0.482});
  EXPECT_EQ(Read(Printed("Running with 10*40 (== 400) tasks.\nTime: 1.5\n"))
                .values.at("time"),
            std::vector<double>{1.5});
  EXPECT_EQ(Read(Printed("# 20 sender\n\n     Total time: 0.125 [sec]\n"))
                .values.at("time"),
            std::vector<double>{0.125});
}

TEST(ReadingTest, RepeatedLinesAreValuesOfOneLaunch) {
  EXPECT_EQ(Read(Printed("Time: 1.0\nTime: 2.0\n")).values.at("time").size(),
            2u);
}

TEST(ReadingTest, ALaunchWithoutATimeIsNoResult) {
  for (const char* const text :
       {"", "Time: \n", "Time: x\n", "no Time: 1.0 s\n"}) {
    const Reading reading = Read(Printed(text));
    EXPECT_EQ(reading.status, "failed") << text;
    EXPECT_TRUE(reading.values.empty());
  }
}

TEST(ReadingTest, AFailureIsNoResultEvenWithATime) {
  LaunchOutcome outcome = Printed("Time: 1.0\n", "first\nlast words\n");
  outcome.exit_code = 3;
  const Reading reading = Read(outcome);
  EXPECT_EQ(reading.status, "failed");
  EXPECT_EQ(reading.message, "exit code 3: last words");
  EXPECT_TRUE(reading.values.empty());
  outcome.end = End::kTimedOut;
  EXPECT_EQ(Read(outcome).status, "timeout");
  outcome.end = End::kInterrupted;
  EXPECT_EQ(Read(outcome).status, "interrupted");
  outcome.end = End::kNotStarted;
  EXPECT_EQ(Read(outcome).status, "failed");
}

TEST(ReadingTest, ReadsWhatARegularExpressionFinds) {
  const TextMetric metric{.regex = "([0-9.]+) ops/s", .name = "rate"};
  EXPECT_EQ(Read(Printed("it made 12.5 ops/s\n"), metric).values.at("rate"),
            std::vector<double>{12.5});
  // stderr where stdout has nothing.
  EXPECT_EQ(Read(Printed("", "7 ops/s\n"), metric).values.at("rate"),
            std::vector<double>{7});
  EXPECT_EQ(Read(Printed("1.2.3 ops/s\n"), metric).status, "failed");
  EXPECT_EQ(Read(Printed(""), {.name = "wall"}).values.at("wall"),
            std::vector<double>{1.5});
  EXPECT_FALSE(OutputReader::Make({.regex = "("}).ok());
  EXPECT_FALSE(OutputReader::Make({.regex = "no group"}).ok());
}

TEST(ReadingTest, AVeryLongLineIsNoTrouble) {
  const std::string line(3 << 20, 'x');
  EXPECT_EQ(Read(Printed(line + "\nTime: 1.0\n"), {.regex = "Time: (.*)"})
                .values.at("time"),
            std::vector<double>{1.0});
}

TEST(ReadingTest, ReadsARecord) {
  const Arm arm{.label = "A", .prints_record = true};
  const Reading reading = Read(Printed(kRecord), {}, arm);
  EXPECT_EQ(reading.status, "ok") << reading.message;
  EXPECT_DOUBLE_EQ(reading.values.at("time")[0], 2.5);
  EXPECT_DOUBLE_EQ(reading.values.at("work")[0], 2.4);
  EXPECT_DOUBLE_EQ(reading.values.at("ctxsw_per_message")[0], 2);
  EXPECT_EQ(Read(Printed("Time: 1.0\n"), {}, arm).status, "failed");
}

// What a CI wrapper does that hands all options over as one word: the program
// reads none of them.
TEST(ReadingTest, AProgramThatRanSomethingElseIsCaught) {
  const Arm arm{.label = "A",
                .argv = {"hackbench", "-T -g 1"},
                .expected = {{"mode", "thread"}, {"groups", "1"}}};
  const Reading reading = Read(Printed(kRtTests), {}, arm);
  EXPECT_EQ(reading.status, "mismatch");
  EXPECT_EQ(reading.message,
            "the program did not run what was asked for: groups is 10, 1 was "
            "asked for; mode is process, thread was asked for");
  EXPECT_TRUE(reading.values.empty());
}

TEST(ReadingTest, ARecordThatDiffersFromWhatWasAskedIsCaught) {
  Arm arm{.label = "A", .prints_record = true};
  arm.expected = {{"groups", "10"}, {"mode", "thread"}, {"nodelay", "on"}};
  EXPECT_EQ(Read(Printed(kRecord), {}, arm).status, "ok");
  arm.expected["groups"] = "11";
  EXPECT_EQ(Read(Printed(kRecord), {}, arm).status, "mismatch");
}

TEST(ReadingTest, ConfigurationOfLines) {
  using Config = std::map<std::string, std::string>;
  EXPECT_EQ(ConfigOfLines(kRtTests), (Config{{"mode", "process"},
                                             {"groups", "10"},
                                             {"fds", "20"},
                                             {"tasks", "400"},
                                             {"loops", "100"},
                                             {"datasize", "100"}}));
  EXPECT_EQ(ConfigOfLines("Running with 5*40 (== 200) tasks.\n"),
            (Config{{"groups", "5"}, {"fds", "20"}, {"tasks", "200"}}));
  EXPECT_TRUE(ConfigOfLines("anything").empty());
}

}  // namespace
}  // namespace hackbench::results
