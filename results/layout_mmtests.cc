// SPDX-License-Identifier: MIT
// mmtests' compare-kernels: one row per statistic, one column per arm, the gain
// in parentheses, asterisks where it is significant.
#include <fmt/format.h>

#include "results/layout_list.h"

namespace hackbench::results {
namespace {

struct Statistic {
  const char* name;
  double (*of)(const Summary& summary);
};

constexpr Statistic kStatistics[] = {
    {"Min", [](const Summary& s) { return s.min; }},
    {"Amean", [](const Summary& s) { return s.mean; }},
    {"Stddev", [](const Summary& s) { return s.stddev; }},
    {"CoeffVar", [](const Summary& s) { return 100 * s.cov; }},
    {"Max", [](const Summary& s) { return s.max; }},
};

std::string Cell(double base, double value, bool higher, bool significant) {
  double gain = base == 0 ? 0 : 100 - value * 100 / base;
  if (higher) gain = -gain;
  const char open = significant ? '*' : '(';
  const char close = significant ? '*' : ')';
  return fmt::format("{:>14.4f} {}{:7.2f}%{}", value, open, gain, close);
}

}  // namespace

absl::StatusOr<std::string> FormatMmtests(const Report& report) {
  const std::vector<RowGroup> groups = GroupRows(report);
  std::string text;
  std::string last_metric;
  for (const RowGroup& group : groups) {
    const std::string title =
        fmt::format("{} [{}]", group.metric.name, group.metric.unit);
    if (title != last_metric) {
      text += title + "\n";
      last_metric = title;
    }
    const std::string cell = group.cell.empty() ? "-" : group.cell;
    text += fmt::format("{:<9} {:<12}{:>24}", "", "", group.base);
    for (const ComparisonRow* row : group.rows) {
      text += fmt::format("{:>25}", row->b);
    }
    text += "\n";
    for (const Statistic& statistic : kStatistics) {
      const double base = statistic.of(*group.base_summary);
      text += fmt::format("{:<9} {:<12}{}", statistic.name, cell,
                          Cell(base, base, false, false));
      for (const ComparisonRow* row : group.rows) {
        const bool is_mean = std::string_view(statistic.name) == "Amean";
        const bool spread = std::string_view(statistic.name) == "Stddev" ||
                            std::string_view(statistic.name) == "CoeffVar";
        text += ' ';
        text += Cell(base, statistic.of(row->result.b),
                     row->metric.better == "higher" && !spread,
                     is_mean && row->result.real);
      }
      text += "\n";
    }
  }
  text +=
      "significance: block permutation (Welch and U where unpaired), adjusted, "
      "not the mmtests rule; positive = better\n";
  return text + NotesText(report);
}

}  // namespace hackbench::results
