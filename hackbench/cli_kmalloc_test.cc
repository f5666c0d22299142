// SPDX-License-Identifier: MIT
// `hackbench kmalloc` from the outside: rows in the layout of 2007, what every
// table says of itself, JSON and CSV with the same figures, refusals.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "hackbench/cli_runner.h"

namespace hackbench::cli {
namespace {

Result Kmalloc(const std::string& words) {
  return RunToEnd(Split("kmalloc --rounds 3 --count 500 " + words));
}

constexpr char kFigures[] = R"(\d+\.\d cycles \[\d+\.\d \d+\.\d \d+\.\d\])";

std::vector<std::string> LinesWith(const std::string& text,
                                   const std::string& part) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.find(part) != std::string::npos) lines.push_back(line);
  }
  return lines;
}

TEST(CliKmallocTest, PrintsTheRowsOf2007) {
  const Result result =
      Kmalloc("--engine locked,cmpxchg-double-packed64 --sizes 8,64");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const std::string figures(kFigures);
  // Two engines, two forms, touched and not.
  const auto batch = LinesWith(result.out, "500 times kmalloc(8) -> ");
  ASSERT_EQ(batch.size(), 8U) << result.out;
  for (const std::string& line : batch) {
    EXPECT_TRUE(Matches(line, R"(500 times kmalloc\(8\) -> )" + figures +
                                  " kfree -> " + figures))
        << line;
  }
  const auto pair = LinesWith(result.out, "500 times kmalloc(64)/kfree -> ");
  ASSERT_EQ(pair.size(), 8U);
  for (const std::string& line : pair) {
    EXPECT_TRUE(Matches(line, R"(500 times kmalloc\(64\)/kfree -> )" + figures))
        << line;
  }
}

TEST(CliKmallocTest, SaysHowItWasMeasured) {
  const Result result = Kmalloc("--engine locked --sizes 8 --test pair");
  for (const char* word :
       {"cpu id: ", "rseq: ", "warm", "arena: ", "huge pages ", "n=3",
        "(irq model none)", "untouched", "objects touched"}) {
    EXPECT_NE(result.out.find(word), std::string::npos) << word;
  }
}

TEST(CliKmallocTest, JsonAndCsvHoldEveryRow) {
  const std::string words =
      "--engine none,locked --sizes 8,300 --test alloc-then-free,pair,bulk ";
  const Result json = Kmalloc(words + "--format json");
  ASSERT_EQ(json.exit_code, 0) << json.err;
  const auto table = nlohmann::json::parse(json.out);
  // `none` has nothing to touch: 3 tests, 2 forms, 2 sizes, 1 or 2 ways.
  EXPECT_EQ(table["rows"].size(), 3U * 2 * 2 * (1 + 2));
  for (const auto& row : table["rows"]) {
    const auto& both = row["both"];
    EXPECT_EQ(both["n"], 3);
    EXPECT_LE(both["min"], both["q1"]);
    EXPECT_LE(both["q1"], both["median"]);
    EXPECT_LE(both["median"], both["q3"]);
    EXPECT_EQ(row.contains("kmalloc"), row["test"] != "pair");
  }
  EXPECT_TRUE(table["warm"]);
  EXPECT_FALSE(std::string(table["cpu_id"]).empty());
  const Result csv = Kmalloc(words + "--format csv");
  // A part each for kmalloc, kfree and both; pairs have one.
  EXPECT_EQ(LinesWith(csv.out, ",both,").size(), 36U);
  EXPECT_EQ(LinesWith(csv.out, ",kfree,").size(), 24U);
}

TEST(CliKmallocTest, TestsOnTwoCpusRunOrSayWhyNot) {
  const Result result = Kmalloc(
      "--engine locked,sheaves-trylock --sizes 64 --touch no --form inline "
      "--test remote,concurrent,larson");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  if (LinesWith(result.out, "not measured").empty()) {
    EXPECT_EQ(LinesWith(result.out, "times kmalloc(64)").size(), 6U);
  } else {
    EXPECT_EQ(LinesWith(result.out, "not measured").size(), 3U);
  }
}

TEST(CliKmallocTest, AnArenaTooSmallIsSaidInTheRow) {
  const Result result = Kmalloc(
      "--engine locked --sizes 16384 --arena-max 4M --test alloc-then-free "
      "--touch no --form call");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(LinesWith(result.out, "refused, the arena is too small").size(),
            1U);
}

TEST(CliKmallocTest, RefusesWithExitCodeTwo) {
  const Result unknown = RunToEnd(Split("kmalloc --engine slbu"));
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.out, "");
  EXPECT_NE(unknown.err.find("unknown --engine 'slbu'"), std::string::npos);
  const Result small = RunToEnd(Split("kmalloc --arena-max 1M"));
  EXPECT_NE(small.exit_code, 0);
  EXPECT_NE(small.err.find("--arena-max"), std::string::npos);
}

TEST(CliKmallocTest, MeasuresPeersInTheSameRun) {
  const Result result = Kmalloc(
      "--engine locked --peers glibc --sizes 64 --test pair --touch no "
      "--form call --format json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto table = nlohmann::json::parse(result.out);
  ASSERT_EQ(table["rows"].size(), 2U);
  EXPECT_EQ(table["rows"][0]["fastest_peer"], "glibc");
  EXPECT_GT(table["rows"][0]["ratio_to_fastest_peer"], 0);
  EXPECT_EQ(table["rows"][1]["peer"], true);
}

TEST(CliKmallocTest, APeerThatIsNotThereIsNamed) {
  const Result result = Kmalloc("--engine locked --peers /nowhere/lib.so");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("/nowhere/lib.so"), std::string::npos);
}

}  // namespace
}  // namespace hackbench::cli
