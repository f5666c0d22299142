// SPDX-License-Identifier: MIT
// Does B differ from A, and by how much, when both were run in the same short
// blocks of time? Drift, steps and slow neighbours shift a whole block and drop
// out; long tails lose their weight because only ranks count.
//
// Test: each value is aligned by its block's centre (the mean of the two arms'
// means), all are ranked together, and the rank sum of B is referred to the
// permutations of labels inside each block (Hodges and Lehmann, "Rank methods
// for combination of independent experiments in analysis of variance", Annals
// of Mathematical Statistics 33, 1962). Estimate: the shift at which that
// statistic is centred, the median of all differences between an aligned B and
// an aligned A. Interval: the shifts that the test does not refuse.
//
// Values are on the scale where the effect is a shift: logarithms for times.
// Do not use it where the arms ran one after the other (two_sample.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hackbench::results {

struct Block {
  std::vector<double> a;
  std::vector<double> b;
};

struct Interval {
  double low = 0;
  double high = 0;
};

struct PermutationP {
  double p = 1;       // Two-sided, never 0.
  bool exact = true;  // By all permutations; else by kDraws random ones.
};

inline constexpr int kDraws = 10000;

class AlignedRankTest {
 public:
  // Blocks without one of the arms are left out. `seed` serves only those
  // cases whose permutations are too many to count (see PermutationP::exact).
  explicit AlignedRankTest(std::span<const Block> blocks, uint64_t seed = 1);

  // False when no block holds both arms.
  bool can_run() const { return !differences_.empty(); }

  // The test of B - A = `shift`.
  PermutationP Test(double shift = 0) const;

  // The Hodges-Lehmann estimate of B - A. Needs can_run().
  double Shift() const;

  // The shifts that the test at 1 - confidence does not refuse; 0 lies outside
  // exactly when Test().p < 1 - confidence. Nothing when the blocks are too few
  // for any shift to be refused.
  std::optional<Interval> ShiftInterval(double confidence) const;

  size_t blocks() const { return blocks_.size(); }

 private:
  // Shifts in ascending order where the order of ranks changes; position 2k is
  // the gap below differences_[k], position 2k+1 that shift itself.
  double ShiftAt(size_t position) const;
  size_t PositionOf(double shift) const;
  bool Accepts(size_t position, double alpha) const;
  size_t LastAccepted(size_t inside, size_t outside, double alpha) const;

  std::vector<Block> blocks_;  // Aligned.
  std::vector<double> differences_;
  std::vector<double> unique_;
  uint64_t seed_;
};

}  // namespace hackbench::results
