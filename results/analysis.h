// SPDX-License-Identifier: MIT
// From stored launches to a table of comparisons.
//
// The unit is the launch: several values of one launch count as their mean.
// Where the arms were started under different kernels, the unit is the boot, as
// no number of launches within one boot says anything about another; with fewer
// than five boots on a side the row is descriptive only.
//
// A difference between two arms that was not declared (another governor, a
// configuration the program reports itself) is a confounder and is named.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "results/arm.h"
#include "results/comparison.h"
#include "results/stationarity.h"
#include "results/store.h"

namespace hackbench::results {

struct ArmData {
  std::string label;  // "A", or "v6.6 A" across experiments.
  Arm arm;
  std::map<int64_t, std::vector<double>> by_block;
  std::map<std::string, std::vector<double>> by_boot;
  std::vector<double> values;
  std::vector<Observation> observations;
  std::vector<double> unflagged;  // Without launches the machine disturbed.
  int64_t failed = 0;             // Attempts without a result.
  int64_t launches = 0;           // Attempts in all, warm-ups left out.
  std::set<std::string> env_ids;
  std::set<std::string> config_ids;
};

struct ArmSummary {
  std::string label;
  std::map<std::string, std::string> settings;
  std::string metric;
  Summary summary = {};
  int64_t failed = 0;
  int64_t launches = 0;
};

struct ComparisonRow {
  StoredMetric metric;
  std::string a;  // Labels.
  std::string b;
  std::string cell;  // What both have in common within a sweep: "groups=10".
  Comparison result = {};
  int64_t failed_a = 0;
  int64_t launches_a = 0;
  int64_t failed_b = 0;
  int64_t launches_b = 0;
  std::vector<std::string> confounded = {};
  std::vector<std::string> notes = {};
};

struct Report {
  std::string title;
  std::vector<std::string> header;  // Lines about experiment and design.
  std::vector<ComparisonRow> rows;
  std::vector<ArmSummary> arms;
  Adjust adjust = Adjust::kHolm;
  double margin = 0.01;
  double alpha = 0.05;
  std::vector<std::string> footnotes;
  size_t hidden = 0;  // Rows a display filter left out; the family keeps them.
};

struct AnalysisOptions {
  std::vector<std::string> metrics;  // Empty: the one that was gated on.
  double alpha = 0.05;
  double confidence = 0.95;
  std::optional<Adjust> adjust;  // Holm; Benjamini-Hochberg for sweeps.
  std::optional<double> margin;  // As the recipe says.
};

// The arms of one experiment against their baselines.
absl::StatusOr<Report> AnalyseExperiment(Store& store,
                                         const std::string& exp_id,
                                         const AnalysisOptions& options);

struct Side {
  Store* store;
  std::string exp_id;
  std::string label;
};

// The first side's arms against those of each other one. Arms are matched by
// their settings and labels; with one arm on each side nothing needs to match.
absl::StatusOr<Report> AnalyseSides(const std::vector<Side>& sides,
                                    const AnalysisOptions& options);

// The method of a row in plain words, and what would change its verdict.
std::string Explain(const ComparisonRow& row, const Report& report);

}  // namespace hackbench::results
