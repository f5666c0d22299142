// SPDX-License-Identifier: MIT
// lkp's compare, as in every 0-day report: %stddev, %change, %stddev, and
// fail:runs where launches failed.
#include <fmt/format.h>

#include "results/layout_list.h"
#include "results/text.h"

namespace hackbench::results {
namespace {

// The sign of lkp: shown above 2 % only.
std::string Spread(const Summary& summary) {
  if (summary.cov < 0.02) return "        ";
  return fmt::format("± {:3.0f}%  ", 100 * summary.cov);
}

std::string MetricName(const ComparisonRow& row) {
  std::string name = "hackbench." + row.metric.name + "_" + row.metric.unit;
  if (!row.cell.empty()) name += "." + row.cell;
  for (char& c : name) {
    if (c == ' ') c = '.';
  }
  return name;
}

void AddRow(const ComparisonRow& row, std::string& text) {
  const Comparison& c = row.result;
  text += fmt::format("{:>10} {}{:>9} {:>10} {} {}\n", FigureText(c.a.mean),
                      Spread(c.a), fmt::format("{:+.1f}%", 100 * c.effect),
                      FigureText(c.b.mean), Spread(c.b), MetricName(row));
  if (row.failed_a + row.failed_b == 0) return;
  const auto rate = [](int64_t failed, int64_t launches) {
    return launches == 0
               ? 0.0
               : static_cast<double>(failed) / static_cast<double>(launches);
  };
  text += fmt::format(
      "{:>10} {:>17} {:>10}          {}\n",
      fmt::format("{}:{}", row.failed_a, row.launches_a),
      fmt::format("{:.0f}%", 100 * (rate(row.failed_b, row.launches_b) -
                                    rate(row.failed_a, row.launches_a))),
      fmt::format("{}:{}", row.failed_b, row.launches_b),
      "hackbench.fail (fail:runs %reproduction fail:runs)");
}

}  // namespace

absl::StatusOr<std::string> FormatLkp(const Report& report) {
  std::string text;
  std::string last;
  for (const RowGroup& group : GroupRows(report)) {
    for (const ComparisonRow* row : group.rows) {
      if (const std::string heads = row->a + "\n" + row->b; heads != last) {
        last = heads;
        text += fmt::format(
            "{:<16} {}\n---------------- ---------------------------\n"
            "         %stddev     %change         %stddev\n"
            "             \\          |                \\\n",
            row->a, row->b);
      }
      AddRow(*row, text);
    }
  }
  text +=
      "%change: Hodges-Lehmann ratio, positive = the value rose; %stddev: n-1, "
      "of the launches (not lkp's best run)\n";
  return text + NotesText(report);
}

}  // namespace hackbench::results
