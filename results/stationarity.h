// SPDX-License-Identifier: MIT
// Whether a session was calm: hints about drift, launches that resemble their
// neighbours, and an effect of the place within a block. Blocks and random
// order take care of all three; the hints say how much there was to take care
// of. Never a verdict.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hackbench::results {

// One launch, in the order of time.
struct Observation {
  int64_t started_ns = 0;
  int64_t pos = 0;
  double value = 0;  // Of the metric; above 0.
};

// Sentences, none where there is nothing to say or fewer than 12 launches. The
// arms' own levels are taken out first.
std::vector<std::string> SessionHints(
    std::span<const std::vector<Observation>> arms);

}  // namespace hackbench::results
