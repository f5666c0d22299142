// SPDX-License-Identifier: MIT
// From a checked recipe to exit code: the store, one experiment at a time on
// this machine, progress on a terminal, the report at the end.
//
// 0 done; 1 slower beyond the margin under --gate; 2 the experiment failed or
// could not begin; 3 undecided under --gate; 128+n ended by signal n, with
// everything until then stored.
#pragma once

#include "hackbench/experiment_options.h"
#include "results/recipe.h"
#include "results/store.h"

namespace hackbench {

int RunExperiment(const ExperimentRequest& request, results::Recipe recipe);

// The same `count` times, for a noise floor, which is printed.
int RunNoiseFloor(const ExperimentRequest& request,
                  const results::Recipe& recipe, int64_t count);

}  // namespace hackbench
