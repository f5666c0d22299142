// SPDX-License-Identifier: MIT
// What every layout is built of. A layout is one file and one line in
// layout_list.h; it never computes a statistic of its own, and where it borrows
// the looks of another tool it says which statistic really stands in it.
#pragma once

#include <absl/status/statusor.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "results/analysis.h"

namespace hackbench::results {

struct LayoutEntry {
  std::string_view name;
  std::string_view summary;
  absl::StatusOr<std::string> (*format)(const Report& report);
};

// Rows that share metric, cell and baseline: columns of one table.
struct RowGroup {
  StoredMetric metric;
  std::string cell;
  std::string base;
  const Summary* base_summary = nullptr;
  std::vector<const ComparisonRow*> rows;
};
std::vector<RowGroup> GroupRows(const Report& report);

// Baseline, then the others, in order of appearance.
std::vector<std::string> ColumnLabels(const std::vector<RowGroup>& groups);

// Header, and below a table what must be said: confounders, notes, footnotes.
std::string HeaderText(const Report& report);
std::string NotesText(const Report& report);

// Effect as gain: positive is better whatever the metric's better side.
double Gain(const ComparisonRow& row, double effect);

// "faster", "=", "~": verdict as a sign and a word for narrow tables.
std::string VerdictSign(const Comparison& row);

}  // namespace hackbench::results
