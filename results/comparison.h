// SPDX-License-Identifier: MIT
// One row of a comparison: what B did relative to A in one metric, how sure
// that is, and the word for it.
//
// Effects are relative: 0.03 is 3 % more. They are estimated on logarithms, so
// values must be positive. A row is judged against a margin below which a
// change does not matter:
//   faster, slower  the interval lies wholly beyond the margin and the
//                   adjusted p-value is below alpha
//   same            the 90 % interval lies wholly within the margin (two
//                   one-sided tests)
//   undecided       neither; `detectable` says what this many launches would
//                   have found
// "Is it real" (p) and "does it matter" (margin) stay apart: see `real`.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "results/adjust.h"
#include "results/aligned_rank.h"
#include "results/summary.h"

namespace hackbench::results {

enum class Better { kLower, kHigher, kNone };
enum class Verdict { kFaster, kSlower, kSame, kUndecided };

struct JudgeOptions {
  double confidence = 0.95;
  double alpha = 0.05;
  double margin = 0.01;
  Better better = Better::kLower;
  uint64_t seed = 1;  // For permutations that are drawn, not counted.
};

struct Comparison {
  Summary a;
  Summary b;
  size_t blocks = 0;    // 0 when unpaired.
  bool paired = false;  // Blocks held both arms; else drift is uncontrolled.
  double mean_effect = 0;
  double effect = 0;                 // Hodges-Lehmann.
  std::optional<Interval> interval;  // Of the effect, at the confidence asked.
  std::optional<Interval> equivalence_interval;  // At 90 %, for `same`.
  double p = 1;
  bool p_is_exact = true;
  double p_adjusted = 1;
  double b_wins = 0.5;               // P(a launch of B beats one of A).
  std::optional<double> detectable;  // Effect found with 80 % power.

  JudgeOptions options;
  Verdict verdict = Verdict::kUndecided;
  bool real = false;     // p_adjusted < alpha.
  size_t family = 1;     // Rows that were adjusted together.
  std::string why_none;  // Why there can be no verdict; usually empty.

  // Half the width of the interval; nothing without one.
  std::optional<double> HalfWidth() const;
};

// Launches of both arms in common blocks. InvalidArgument for values that are
// not positive and finite, or an arm without any.
absl::StatusOr<Comparison> ComparePaired(std::span<const Block> blocks,
                                         const JudgeOptions& options);

// Launches that share no blocks: Welch on logarithms and Mann-Whitney, and the
// larger of their p-values.
absl::StatusOr<Comparison> CompareUnpaired(std::span<const double> a,
                                           std::span<const double> b,
                                           const JudgeOptions& options);

// Adjusts the p-values of the family and gives each row its verdict.
void Judge(std::span<Comparison*> family, Adjust adjust);

// "faster", "slower", "same", "undecided"; for metrics with no better side
// "lower" and "higher".
std::string_view VerdictWord(const Comparison& row);

// The word with what qualifies it: "faster (size unclear)", "same (tiny but
// real)", "undecided (would see 2.8 %)".
std::string VerdictText(const Comparison& row);

// Blocks more that would bring the half-width to `target`, or 0.
size_t BlocksToReach(const Comparison& row, double target);

}  // namespace hackbench::results
