// SPDX-License-Identifier: MIT
// The layout of `ab`: everything about each comparison, a sentence at the end.
#include <fmt/format.h>

#include "results/layout_list.h"
#include "results/text.h"

namespace hackbench::results {
namespace {

std::string IntervalText(const std::optional<Interval>& interval) {
  if (!interval) return "-";
  return fmt::format("[{:+.1f}, {:+.1f}] %", 100 * interval->low,
                     100 * interval->high);
}

std::string SpreadText(const Summary& summary) {
  if (summary.n < 2) return "-";
  return fmt::format("{} ({:.1f} %)", FigureText(summary.stddev),
                     100 * summary.cov);
}

std::string RangeText(const Summary& summary) {
  return FigureText(summary.min) + ".." + FigureText(summary.max);
}

void AddRow(const ComparisonRow& row,
            std::vector<std::vector<std::string>>& lines) {
  const Comparison& c = row.result;
  const std::string metric =
      fmt::format("{} [{}]", row.metric.name, row.metric.unit);
  lines.push_back({metric, "mean", FigureText(c.a.mean), FigureText(c.b.mean),
                   PercentText(c.mean_effect)});
  lines.push_back({"", "stddev (n-1)", SpreadText(c.a), SpreadText(c.b)});
  lines.push_back(
      {"", "median", FigureText(c.a.median), FigureText(c.b.median)});
  lines.push_back({"", "min..max", RangeText(c.a), RangeText(c.b)});
  lines.push_back(
      {"", "n", fmt::format("{}", c.a.n), fmt::format("{}", c.b.n)});
  lines.push_back({"", "HL ratio", "", "", PercentText(c.effect),
                   IntervalText(c.interval), PText(c.p_adjusted),
                   VerdictText(c)});
}

std::string Sentence(const ComparisonRow& row, const Report& report) {
  const Comparison& c = row.result;
  std::string text;
  const std::string times = c.interval ? IntervalText(c.interval) : "";
  switch (c.verdict) {
    case Verdict::kSame:
      text = fmt::format("{} is the same as {} within ±{:.1f} %", row.b, row.a,
                         100 * report.margin);
      break;
    case Verdict::kUndecided:
      text = fmt::format("{} against {} is undecided", row.b, row.a);
      break;
    case Verdict::kFaster:
    case Verdict::kSlower:
      text = fmt::format("{} is {} by {}", row.b, VerdictWord(c),
                         PercentText(c.effect));
      break;
  }
  if (!times.empty()) {
    text += fmt::format(" ({:.0f} % CI {}; margin {:.1f} %)",
                        100 * c.options.confidence, times, 100 * report.margin);
  }
  text += fmt::format(". P(a launch of {} beats one of {}) = {:.2f}\n", row.b,
                      row.a, c.b_wins);
  return text;
}

}  // namespace

absl::StatusOr<std::string> FormatNative(const Report& report) {
  std::string text = HeaderText(report);
  for (const RowGroup& group : GroupRows(report)) {
    for (const ComparisonRow* row : group.rows) {
      std::vector<std::vector<std::string>> lines = {
          {"metric", "stat", row->a, row->b, "diff",
           fmt::format("{:.0f} % CI", 100 * row->result.options.confidence),
           row->result.family > 1 ? "p adjusted" : "p", "verdict"}};
      AddRow(*row, lines);
      text += Columns(lines, 2) + "\n" + Sentence(*row, report);
    }
  }
  if (report.rows.empty()) {
    // One arm, as in a noise floor: nothing to compare.
    std::vector<std::vector<std::string>> lines = {
        {"arm", "metric", "mean", "stddev (n-1)", "median", "n"}};
    for (const ArmSummary& arm : report.arms) {
      lines.push_back({arm.label, arm.metric, FigureText(arm.summary.mean),
                       SpreadText(arm.summary), FigureText(arm.summary.median),
                       fmt::format("{}", arm.summary.n)});
    }
    text += Columns(lines, 2);
  }
  return text + NotesText(report);
}

}  // namespace hackbench::results
