// SPDX-License-Identifier: MIT
// Tests for two samples that were not run in common blocks: stored results of
// other days, files, external tables. They cannot tell an effect from drift
// between the two times; whoever prints them says so.
#pragma once

#include <span>

#include "results/aligned_rank.h"

namespace hackbench::results {

struct WelchResult {
  double t = 0;
  double degrees = 0;     // Welch and Satterthwaite.
  double p = 1;           // Two-sided.
  double difference = 0;  // mean(b) - mean(a).
  Interval interval;      // Of the difference.
};

// Needs two values on each side and a spread on one; else p is 1 (equal means)
// or 0 (different constants).
WelchResult Welch(std::span<const double> a, std::span<const double> b,
                  double confidence = 0.95);

struct RankSumResult {
  double u = 0;  // Pairs in which b is larger, a tie counting half.
  double p = 1;  // Two-sided.
  bool exact = false;
};

// Mann and Whitney's U of b over a. Exact where one side has at most eight
// values and there are no ties; else normal, corrected for ties and continuity.
RankSumResult MannWhitney(std::span<const double> a, std::span<const double> b);

struct SignedRankResult {
  double w = 0;  // The smaller of the two sums of ranks.
  double p = 1;  // Two-sided.
  bool exact = false;
};

// Wilcoxon's test of paired differences around 0; zeros are left out. Exact up
// to 50 differences without zeros or ties; else normal, corrected for ties.
SignedRankResult SignedRank(std::span<const double> differences);

// The median of all differences b - a.
double HodgesLehmann(std::span<const double> a, std::span<const double> b);

}  // namespace hackbench::results
