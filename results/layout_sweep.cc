// SPDX-License-Identifier: MIT
// The layout of `sweep`: a line per cell, its baseline, then the others.
#include <fmt/format.h>

#include "results/layout_list.h"
#include "results/text.h"

namespace hackbench::results {
namespace {

// What sets the arm apart within its line.
std::string ShortLabel(const std::string& label, const std::string& cell) {
  std::string text;
  size_t begin = 0;
  while (begin < label.size()) {
    const size_t end = std::min(label.find(' ', begin), label.size());
    const std::string word = label.substr(begin, end - begin);
    if (fmt::format(" {} ", cell).find(fmt::format(" {} ", word)) ==
        std::string::npos) {
      text += fmt::format("{}{}", text.empty() ? "" : " ", word);
    }
    begin = end + 1;
  }
  return text.empty() ? label : text;
}

std::string CellText(const Comparison& c) {
  std::string text = fmt::format("{}  {:+.1f} % {} ", FigureText(c.b.mean),
                                 100 * c.effect, VerdictSign(c));
  if (c.verdict != Verdict::kUndecided) {
    return text + std::string(VerdictWord(c));
  }
  if (c.p < c.options.alpha && !c.real) return text + "raw p " + PText(c.p);
  if (!c.detectable) return text;
  return text + fmt::format("(MDE {:.1f})", 100 * *c.detectable);
}

}  // namespace

absl::StatusOr<std::string> FormatSweep(const Report& report) {
  std::string text = HeaderText(report);
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> last_head;
  for (const RowGroup& group : GroupRows(report)) {
    std::vector<std::string> head = {
        fmt::format("{} [{}]", group.metric.name, group.metric.unit),
        ShortLabel(group.base, group.cell)};
    std::vector<std::string> line = {
        group.cell.empty() ? group.base : group.cell,
        fmt::format("{} ±{:.1f} %", FigureText(group.base_summary->mean),
                    100 * group.base_summary->cov)};
    for (const ComparisonRow* row : group.rows) {
      head.push_back(ShortLabel(row->b, group.cell));
      std::string cell = CellText(row->result);
      if (row->failed_b > 0) {
        cell += fmt::format(" fail:runs {}:{}", row->failed_b, row->launches_b);
      }
      line.push_back(std::move(cell));
    }
    if (head != last_head) lines.push_back(head);
    last_head = std::move(head);
    lines.push_back(std::move(line));
  }
  text += Columns(lines, 1);
  text += fmt::format(
      "± is the CoV of the baseline cell.  < > beyond the margin of {:.1f} %;  "
      "= inside it;  ~ undecided, MDE what would be seen\n",
      100 * report.margin);
  return text + NotesText(report);
}

}  // namespace hackbench::results
