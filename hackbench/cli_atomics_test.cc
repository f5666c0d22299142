// SPDX-License-Identifier: MIT
// `hackbench atomics` from the outside. Figures are never looked at, only that
// each asked-for row has its cells: a number, `noise` or `-`.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "hackbench/cli_runner.h"

namespace hackbench::cli {
namespace {

Result Atomics(const std::string& words) {
  return RunToEnd(Split("atomics --repetitions 3 " + words));
}

size_t LinesOf(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(CliAtomicsTest, TextHasARowForEachVariant) {
  const Result result = Atomics("--variant xchg,cmpxchg-local");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  for (const std::string row : {"none", "xchg", "cmpxchg-local"}) {
    EXPECT_TRUE(Matches(result.out, "[\\s\\S]*\n" + row +
                                        " +[0-9.-]+( +[0-9.]+ ±[0-9.]+| +noise"
                                        "| +-){5}\n[\\s\\S]*"))
        << row << "\n"
        << result.out;
  }
}

TEST(CliAtomicsTest, CsvHasALineForEachFigure) {
  const Result result = Atomics("--variant xchg --cpus 0 --format csv");
  if (result.exit_code == 2) GTEST_SKIP() << result.err;
  EXPECT_TRUE(result.out.starts_with(
      "op,variant,column,unit,figure,median,spread,ns,n,noise\n"));
  // One CPU leaves four columns.
  EXPECT_EQ(LinesOf(result.out), 5U);
}

TEST(CliAtomicsTest, JsonIsOneObject) {
  const Result result = Atomics("--op fence,fetch_add --format json");
  EXPECT_EQ(result.exit_code, 0);
  const auto json = nlohmann::json::parse(result.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << result.out;
  EXPECT_GT(json["rows"].size(), 1U);
  for (const auto& row : json["rows"]) {
    EXPECT_TRUE(row.contains("why_not") || row["latency"]["n"] == 3) << row;
  }
}

TEST(CliAtomicsTest, MarkdownIsATable) {
  const Result result = Atomics("--op fence --format md");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(result.out.starts_with("| variant |")) << result.out;
  EXPECT_NE(result.out.find("\n| fence | "), std::string::npos) << result.out;
}

TEST(CliAtomicsTest, ListStatesTheCpusFacts) {
  const Result result = RunToEnd(Split("atomics --list"));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(Matches(
      result.out,
      R"(CPU: [^\n]+\n  counter: [^\n]+, \d+\.\d+ GHz \((stated by the CPU|)"
      R"(calibrated against CLOCK_MONOTONIC)\)\n  relax: [^\n]+, \d+\.\d )"
      R"([^\n]+\n  cache line: \d+ bytes\n  core cycles by perf_event: )"
      R"((yes|no: [^\n]+)\n[\s\S]*)"))
      << result.out;
}

TEST(CliAtomicsTest, NonsenseIsRefusedWithTheRemedy) {
  for (const std::string words :
       {"--op xchgg", "--variant nothing", "--format xml", "--repetitions 0",
        "--cpus 100000", "--nonsense", "stray", "--op"}) {
    SCOPED_TRACE(words);
    const Result result = RunToEnd(Split("atomics " + words));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.err.starts_with("hackbench: ")) << result.err;
    EXPECT_EQ(LinesOf(result.err), 1U) << result.err;
  }
}

}  // namespace
}  // namespace hackbench::cli
