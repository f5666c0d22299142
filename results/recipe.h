// SPDX-License-Identifier: MIT
// Everything that makes an experiment: its arms, order, stop rule and hooks.
// Stored whole with the results, so that a run can be resumed or repeated.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "results/arm.h"
#include "results/reading.h"
#include "results/schedule.h"

namespace hackbench::results {

struct Hooks {
  std::string setup = {};     // Once, before the first launch.
  std::string prepare = {};   // Before each launch.
  std::string conclude = {};  // After each launch.
  std::string cleanup = {};   // Once, at the end.
};

struct Recipe {
  std::string kind = "ab";  // "ab", "aa", "sweep"
  std::vector<Arm> arms = {};
  // Whom each arm is compared with; a baseline has itself.
  std::vector<int64_t> baseline = {};
  SchedulePlan schedule = {};
  TextMetric metric = {};
  int64_t min_blocks = 6;
  int64_t max_blocks = 40;
  double target = 0.01;  // Half-width of the interval that ends the run.
  double margin = 0.01;
  int64_t time_budget_ns = 0;  // 0: none.
  int64_t timeout_ns = 0;      // Of a launch; 0: none.
  int64_t settle_ns = 0;       // Pause before each launch.
  int64_t retries = 1;         // Of a failed launch.
  // Exit codes that do not end the experiment; `ignore_all` for all failures.
  std::set<int> ignored_exit_codes = {};
  bool ignore_all = false;
  Hooks hooks = {};
  std::string note = {};
};

std::string ToJson(const Recipe& recipe);
// Without the arms, which are stored as rows of their own.
absl::StatusOr<Recipe> RecipeFromJson(std::string_view json);

}  // namespace hackbench::results
