// SPDX-License-Identifier: MIT
// The limits of this machine, user and container that a run meets, checked
// before the first fork. Soft limits are raised where the hard ones allow it.
#pragma once

#include <absl/status/status.h>

#include "hackbench/plan.h"

namespace hackbench {

// ResourceExhausted names the limit, the need and the remedy.
absl::Status CheckLimits(const RunPlan& plan);

}  // namespace hackbench
