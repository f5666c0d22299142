// SPDX-License-Identifier: MIT
// A launch as the results module writes it down.
#pragma once

#include <string>

#include "hackbench/launch.h"
#include "hackbench/plan.h"
#include "results/record.h"

namespace hackbench {

struct LaunchRole {
  bool is_warmup = false;
  int64_t index = 0;
};

results::Record MakeRecord(const RunPlan& plan, const LaunchResult& result,
                           LaunchRole role, std::string started_utc,
                           int exit_code);

// For a run that was refused before its first task.
results::Record MakeRefusal(const RunPlan& plan, std::string message,
                            std::string started_utc, int exit_code);

// Now, as ISO 8601 in UTC.
std::string UtcNow();

}  // namespace hackbench
