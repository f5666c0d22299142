// SPDX-License-Identifier: MIT
#include "results/layout.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "results/layout_list.h"
#include "results/text.h"

namespace hackbench::results {
namespace {

Summary Of(double mean, double stddev, size_t n = 12) {
  return {.n = n,
          .mean = mean,
          .stddev = stddev,
          .cov = stddev / mean,
          .min = mean - stddev,
          .median = mean,
          .max = mean + stddev};
}

// The figures of the example in the design notes.
Report Example() {
  Report report;
  report.title = "ab  01J9K3";
  ComparisonRow row;
  row.metric = {"time", "s", "lower"};
  row.a = "v6.6";
  row.b = "v6.7";
  Comparison& c = row.result;
  c.a = Of(1.412, 0.013);
  c.b = Of(1.361, 0.012);
  c.blocks = 6;
  c.paired = true;
  c.mean_effect = 1.361 / 1.412 - 1;
  c.effect = -0.036;
  c.interval = {-0.044, -0.028};
  c.p = c.p_adjusted = 0.0001;
  c.real = true;
  c.verdict = Verdict::kFaster;
  c.b_wins = 1;
  row.launches_a = row.launches_b = 12;
  row.failed_b = 2;
  report.rows.push_back(row);
  report.arms = {{"v6.6", {}, "time", c.a, 0, 12},
                 {"v6.7", {}, "time", c.b, 2, 12}};
  return report;
}

std::string Format(std::string_view name, const Report& report) {
  for (const LayoutEntry& entry : kLayoutList) {
    if (entry.name != name) continue;
    const auto text = entry.format(report);
    EXPECT_TRUE(text.ok()) << text.status();
    return *text;
  }
  ADD_FAILURE() << name;
  return "";
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(LayoutTest, Mmtests) {
  const std::string text = Format("mmtests", Example());
  EXPECT_TRUE(Has(text,
                  "Amean     -                   1.4120 (   0.00%)"
                  "         1.3610 *   3.61%*\n"))
      << text;
  EXPECT_TRUE(Has(text, "positive = better"));
}

TEST(LayoutTest, Lkp) {
  const std::string text = Format("lkp", Example());
  EXPECT_TRUE(Has(text, "%stddev     %change         %stddev\n")) << text;
  EXPECT_TRUE(Has(text, "-3.6%"));
  EXPECT_TRUE(Has(text, "0:12")) << text;
  EXPECT_TRUE(Has(text, "17%")) << text;
  EXPECT_TRUE(Has(text, "2:12"));
}

TEST(LayoutTest, BenchstatHasNoPOfZero) {
  const std::string text = Format("benchstat", Example());
  EXPECT_TRUE(Has(text, "-3.60% (p<0.001 n=12)")) << text;
  Report nothing = Example();
  nothing.rows[0].result.real = false;
  nothing.rows[0].result.p_adjusted = 0.3;
  EXPECT_TRUE(Has(Format("benchstat", nothing), "~ (p=0.30 n=12)"));
}

TEST(LayoutTest, PerfStatPrintsTheStandardError) {
  // 0.013 / 1.412 / sqrt(12) = 0.27 %.
  EXPECT_TRUE(Has(Format("perf-stat", Example()),
                  "        1.412000000 seconds time elapsed ( +-  0.27% )"))
      << Format("perf-stat", Example());
}

TEST(LayoutTest, Siewior2019IsLockByPreemptionPerHz) {
  Report report;
  for (const char* const hz : {"100", "250"}) {
    for (const char* const lock : {"ticket", "queued"}) {
      for (const char* const preempt : {"none", "full"}) {
        report.arms.push_back(
            {"x",
             {{"lock", lock}, {"preempt", preempt}, {"hz", hz}},
             "time",
             Of(hz[0] == '1' ? 52.103 : 54.3888, 1, 10),
             0,
             10});
      }
    }
  }
  const std::string text = Format("siewior-2019", report);
  EXPECT_TRUE(Has(text, "HZ_100        | PREEMPT_NONE      | PREEMPT")) << text;
  EXPECT_TRUE(Has(text, "ticket        | 52.1030           | 52.1030"));
  EXPECT_TRUE(Has(text, "HZ_250"));
  EXPECT_FALSE(FormatSiewior2019(Example()).ok());
}

TEST(LayoutTest, Capper2014) {
  const std::string text = Format("capper-2014", Example());
  EXPECT_TRUE(Has(text, "mean     1.4120         1.3610")) << text;
}

TEST(LayoutTest, NativeSaysItInASentence) {
  const std::string text = Format("native", Example());
  EXPECT_TRUE(Has(text,
                  "v6.7 is faster by -3.6 % (95 % CI [-4.4, -2.8] %; "
                  "margin 1.0 %)"))
      << text;
}

TEST(LayoutTest, ConfoundersAreShoutedInEveryTextLayout) {
  Report report = Example();
  report.rows[0].confounded = {"cpu.microcode: 1 / 2"};
  for (const LayoutEntry& entry : kLayoutList) {
    if (entry.name == "siewior-2019") continue;
    const auto text = entry.format(report);
    ASSERT_TRUE(text.ok());
    EXPECT_TRUE(Has(*text, "cpu.microcode: 1 / 2")) << entry.name;
  }
}

TEST(LayoutTest, CsvQuotesAndKeepsItsColumns) {
  Report report = Example();
  report.rows[0].b = "a \"b\", c";
  const std::string text = Format("csv", report);
  EXPECT_TRUE(Has(text, "\"a \"\"b\"\", c\""));
  std::istringstream lines(text);
  std::string head;
  std::string row;
  std::getline(lines, head);
  std::getline(lines, row);
  int head_commas = 0;
  int row_commas = 0;
  bool quoted = false;
  for (const char c : head) head_commas += c == ',';
  for (const char c : row) {
    if (c == '"') quoted = !quoted;
    row_commas += c == ',' && !quoted;
  }
  EXPECT_EQ(head_commas, row_commas);
}

TEST(LayoutTest, MarkdownEscapesPipes) {
  Report report = Example();
  report.rows[0].a = "a|b";
  EXPECT_TRUE(Has(Format("md", report), "| a\\|b |"));
}

TEST(LayoutTest, JsonIsWhole) {
  const auto json = nlohmann::json::parse(Format("json", Example()));
  EXPECT_EQ(json["rows"][0]["verdict"], "faster");
  EXPECT_DOUBLE_EQ(json["rows"][0]["effect"], -0.036);
  EXPECT_EQ(json["arms"].size(), 2u);
}

TEST(TextTest, Figures) {
  EXPECT_EQ(FigureText(1.36149), "1.361");
  EXPECT_EQ(FigureText(0.0012345), "0.001234");
  EXPECT_EQ(FigureText(123456), "123456");
  EXPECT_EQ(FigureText(0), "0");
  EXPECT_EQ(PercentText(-0.0361), "-3.6 %");
  EXPECT_EQ(PercentText(-0.0001), "0.0 %");
  EXPECT_EQ(PText(0.0004), "<0.001");
  EXPECT_EQ(PText(0.0131), "0.013");
  EXPECT_EQ(DurationText(41'000'000'000), "0:41");
  EXPECT_EQ(DurationText(3723'000'000'000), "1:02:03");
  EXPECT_EQ(Columns({{"a", "bb"}, {"ccc", "d"}}), "a    bb\nccc   d\n");
  EXPECT_EQ(DisplayWidth("±1"), 2u);
}

}  // namespace
}  // namespace hackbench::results
