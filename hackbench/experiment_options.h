// SPDX-License-Identifier: MIT
// What `ab` and `sweep` share on their command lines.
#pragma once

#include <absl/status/statusor.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hackbench/simple_options.h"
#include "results/recipe.h"

namespace hackbench {

// Rows for the option tables of both commands.
std::vector<OptionSpec> ExperimentOptionSpecs();

// How an experiment is run and shown, beside its recipe.
struct ExperimentRequest {
  std::string db = {};
  std::string tag = {};
  std::string layout = {};
  std::string resume = {};  // A reference; "" starts afresh.
  int64_t shard = -1;
  bool quiet = false;
  bool dry_run = false;
  bool gate = false;  // Exit 1 on a regression beyond the margin.
  bool allow_environment_change = false;
  bool allow_parallel = false;
  bool margin_given = false;
};

// Fills order, stop rule, hooks and metric of the recipe; its arms are the
// command's.
absl::StatusOr<ExperimentRequest> ReadExperimentOptions(
    const SimpleOptions& options, results::Recipe& recipe);

// The store's path: --db or the default.
std::string DatabasePath(const SimpleOptions& options);

}  // namespace hackbench
