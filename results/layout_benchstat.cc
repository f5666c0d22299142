// SPDX-License-Identifier: MIT
// benchstat's table: old, new, delta with p and n, ~ where there is none.
#include <fmt/format.h>

#include <cmath>

#include "results/layout_list.h"
#include "results/text.h"

namespace hackbench::results {
namespace {

std::string Centre(const Summary& summary) {
  return fmt::format("{} ± {:.0f}%", FigureText(summary.median),
                     100 * summary.cov);
}

std::string Delta(const Comparison& c) {
  std::string n = c.a.n == c.b.n ? fmt::format("n={}", c.a.n)
                                 : fmt::format("n={}+{}", c.a.n, c.b.n);
  const std::string what =
      c.real ? fmt::format("{:+.2f}%", 100 * c.effect) : "~";
  const std::string p = PText(c.p_adjusted);
  return fmt::format("{} (p{}{} {})", what, p.starts_with('<') ? "" : "=", p,
                     n);
}

}  // namespace

absl::StatusOr<std::string> FormatBenchstat(const Report& report) {
  std::vector<std::vector<std::string>> lines;
  std::string last;
  double log_sum = 0;
  int count = 0;
  for (const RowGroup& group : GroupRows(report)) {
    for (const ComparisonRow* row : group.rows) {
      const std::string head =
          fmt::format("{} [{}]", row->metric.name, row->metric.unit);
      if (head + row->a + row->b != last) {
        last = head + row->a + row->b;
        lines.push_back({head, row->a, row->b, "vs base"});
      }
      lines.push_back(
          {group.cell.empty() ? "Hackbench" : "Hackbench/" + group.cell,
           Centre(row->result.a), Centre(row->result.b), Delta(row->result)});
      log_sum += std::log1p(row->result.effect);
      ++count;
    }
  }
  if (count > 1) {
    lines.push_back({"geomean of ratios", "", "",
                     fmt::format("{:+.2f}% ({} rows)",
                                 100 * std::expm1(log_sum / count), count)});
  }
  return Columns(lines) +
         "median ± CoV (not benchstat's interval); delta: Hodges-Lehmann "
         "ratio, "
         "positive = the value rose; p adjusted\n" +
         NotesText(report);
}

}  // namespace hackbench::results
