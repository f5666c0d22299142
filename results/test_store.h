// SPDX-License-Identifier: MIT
// Stores with made-up results, for tests and benchmarks.
#pragma once

#include <absl/status/status.h>

#include <string>

#include "results/recipe.h"
#include "results/store.h"

namespace hackbench::results {

struct TestFill {
  int64_t blocks = 1;   // Run and stored.
  int64_t planned = 0;  // Blocks beyond those.
  int64_t arms = 2;
  double ratio = 1.0;      // Of B's values to A's.
  int64_t created_ns = 0;  // 0: now.
  std::string kind = "ab";
};

struct TestLaunch {
  int64_t round = 0;
  int64_t attempt = 0;
  double value = 1;
  std::string status = "ok";
};

// An experiment with its plan and launches; its id.
std::string FillStore(Store& store, const TestFill& fill);

StoredRun TestRun(const std::string& exp_id, int64_t seq,
                  const TestLaunch& launch);
absl::Status AddTestRun(Store& store, const std::string& exp_id, int64_t seq,
                        const TestLaunch& launch);

// Every row of every table as text, sorted: two stores are equal when this is.
std::string DumpOf(Store& store);

}  // namespace hackbench::results
