// SPDX-License-Identifier: MIT
// What else differs between two arms beside what was declared.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "results/store.h"

namespace hackbench::results {

struct ArmData;

struct Confounders {
  // "cpufreq.policy0.scaling_governor: powersave / performance"
  std::vector<std::string> names;
  // A difference that only a boot makes: kernel, its configuration, its line.
  bool needs_boot = false;
};

absl::StatusOr<Confounders> FindConfounders(Store& store_a, const ArmData& a,
                                            Store& store_b, const ArmData& b);

}  // namespace hackbench::results
