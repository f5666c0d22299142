// SPDX-License-Identifier: MIT
#include "results/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace hackbench::results {

std::vector<RowGroup> GroupRows(const Report& report) {
  std::vector<RowGroup> groups;
  for (const ComparisonRow& row : report.rows) {
    const auto found =
        std::find_if(groups.begin(), groups.end(), [&](const RowGroup& group) {
          return group.metric.name == row.metric.name &&
                 group.cell == row.cell && group.base == row.a;
        });
    const bool is_new = found == groups.end();
    RowGroup& group = is_new ? groups.emplace_back() : *found;
    if (is_new) {
      group.metric = row.metric;
      group.cell = row.cell;
      group.base = row.a;
      group.base_summary = &row.result.a;
    }
    group.rows.push_back(&row);
  }
  return groups;
}

std::vector<std::string> ColumnLabels(const std::vector<RowGroup>& groups) {
  std::vector<std::string> labels;
  const auto add = [&](const std::string& label) {
    if (std::find(labels.begin(), labels.end(), label) == labels.end()) {
      labels.push_back(label);
    }
  };
  for (const RowGroup& group : groups) add(group.base);
  for (const RowGroup& group : groups) {
    for (const ComparisonRow* row : group.rows) add(row->b);
  }
  return labels;
}

std::string HeaderText(const Report& report) {
  std::string text = "hackbench " + report.title + "\n";
  for (const std::string& line : report.header) {
    if (!line.empty()) text += line + "\n";
  }
  return text + "\n";
}

std::string NotesText(const Report& report) {
  std::string text;
  std::set<std::string> said;
  const auto say = [&](const std::string& line) {
    if (said.insert(line).second) text += line + "\n";
  };
  for (const ComparisonRow& row : report.rows) {
    for (const std::string& name : row.confounded) {
      say(
          fmt::format("CONFOUNDED {} against {}: not only what was declared "
                      "differs: {}",
                      row.b, row.a, name));
    }
  }
  for (const ComparisonRow& row : report.rows) {
    for (const std::string& note : row.notes) say("note  " + note);
  }
  if (report.hidden > 0) {
    say(fmt::format("{} unchanged rows hidden; --all shows them",
                    report.hidden));
  }
  for (const std::string& line : report.footnotes) say(line);
  return text;
}

double Gain(const ComparisonRow& row, double effect) {
  return row.metric.better == "higher" ? effect : -effect;
}

std::string VerdictSign(const Comparison& row) {
  switch (row.verdict) {
    case Verdict::kSame:
      return "=";
    case Verdict::kUndecided:
      return "~";
    case Verdict::kFaster:
    case Verdict::kSlower:
      break;
  }
  return row.effect < 0 ? "<" : ">";
}

}  // namespace hackbench::results
