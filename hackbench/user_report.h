// SPDX-License-Identifier: MIT
// The user plane in words: what its parts did, step by step and part by part,
// and the lists of its parts.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

#include "hackbench/launch.h"
#include "hackbench/plan.h"
#include "hackbench/user_tally.h"

namespace hackbench {

// The lines of --stats.
std::vector<std::string> StatsText(const RunPlan& plan,
                                   const UserFigures& figures,
                                   uint64_t messages, int64_t switches);

// What to say when page faults of the shared arena, which the kernel's own
// memory has none of, are much of the time; empty otherwise.
std::string FaultWarning(const RunPlan& plan, const LaunchResult& result);

// What is outside is the sampler's own start.
bool IsReported(Step step, const StepTally& tally);

// Mean cycles of one step, the price of the clock subtracted.
double StepCycles(const StepTally& step, uint64_t clock_cycles);

// The lines of --phases.
std::vector<std::string> PhasesText(const UserFigures& figures);

// What `hackbench --list WHAT` prints for a part of the user plane; empty for
// another word.
std::string PartListText(std::string_view what);

// The words that PartListText knows.
std::vector<std::string_view> PartListNames();

}  // namespace hackbench
