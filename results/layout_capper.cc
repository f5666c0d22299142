// SPDX-License-Identifier: MIT
// "arm64: xchg: Implement cmpxchg_double" (Steve Capper, Oct 2014): arms in
// columns, mean and standard deviation below.
#include <fmt/format.h>

#include "results/layout_list.h"
#include "results/text.h"

namespace hackbench::results {

absl::StatusOr<std::string> FormatCapper2014(const Report& report) {
  std::string text;
  for (const RowGroup& group : GroupRows(report)) {
    std::vector<std::string> head = {group.cell, group.base};
    std::vector<std::string> mean = {
        "mean", fmt::format("{:.4f}", group.base_summary->mean)};
    std::vector<std::string> stddev = {
        "std dev", fmt::format("{:.4f}", group.base_summary->stddev)};
    std::vector<std::string> runs = {"runs",
                                     fmt::format("{}", group.base_summary->n)};
    std::vector<std::string> effect = {"change", ""};
    for (const ComparisonRow* row : group.rows) {
      const Comparison& c = row->result;
      head.push_back(row->b);
      mean.push_back(fmt::format("{:.4f}", c.b.mean));
      stddev.push_back(fmt::format("{:.4f}", c.b.stddev));
      runs.push_back(fmt::format("{}", c.b.n));
      effect.push_back(
          fmt::format("{} {}", PercentText(c.effect), VerdictWord(c)));
    }
    text += fmt::format("{} [{}]\n", group.metric.name, group.metric.unit) +
            Columns({head, mean, stddev, runs, effect});
  }
  return text +
         "std dev: n-1; change: Hodges-Lehmann ratio, negative = less\n" +
         NotesText(report);
}

}  // namespace hackbench::results
