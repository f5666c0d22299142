// SPDX-License-Identifier: MIT
// What must hold for any data, whatever the figures are.
#include "results/aligned_rank.h"

#include <gtest/gtest.h>

#include <cmath>

#include "results/random.h"
#include "results/two_sample.h"

namespace hackbench::results {
namespace {

// Blocks of `size` + `size` with drift between them; `digits` rounds, so that
// small numbers make ties.
std::vector<Block> Draw(Random& random, int blocks, int size, double shift,
                        double step = 0) {
  std::vector<Block> result;
  const auto round = [&](double x) {
    return step == 0 ? x : std::round(x / step) * step;
  };
  for (int i = 0; i < blocks; ++i) {
    const double drift = random.Unit();
    Block block;
    for (int j = 0; j < size; ++j) {
      block.a.push_back(round(drift + 0.1 * random.Unit()));
      block.b.push_back(round(drift + shift + 0.1 * random.Unit()));
    }
    result.push_back(std::move(block));
  }
  return result;
}

std::vector<Block> Swapped(std::vector<Block> blocks) {
  for (Block& block : blocks) std::swap(block.a, block.b);
  return blocks;
}

TEST(AlignedRankTest, SwappingTheArmsSwapsTheSign) {
  Random random(1);
  for (int i = 0; i < 50; ++i) {
    const std::vector<Block> blocks = Draw(random, 4, 2, 0.02, i % 2 * 0.01);
    const AlignedRankTest test(blocks);
    const AlignedRankTest swapped(Swapped(blocks));
    EXPECT_NEAR(test.Test().p, swapped.Test().p, 1e-12);
    EXPECT_NEAR(test.Shift(), -swapped.Shift(), 1e-12);
    const auto interval = test.ShiftInterval(0.95);
    const auto mirrored = swapped.ShiftInterval(0.95);
    ASSERT_EQ(interval.has_value(), mirrored.has_value());
    if (!interval) continue;
    EXPECT_NEAR(interval->low, -mirrored->high, 1e-9);
    EXPECT_NEAR(interval->high, -mirrored->low, 1e-9);
  }
}

TEST(AlignedRankTest, WhatShiftsAWholeBlockDoesNotCount) {
  Random random(2);
  std::vector<Block> blocks = Draw(random, 5, 2, 0.03);
  const AlignedRankTest before(blocks);
  for (Block& block : blocks) {
    const double step = 10 * random.Unit();
    for (double& a : block.a) a += step;
    for (double& b : block.b) b += step;
  }
  const AlignedRankTest after(blocks);
  EXPECT_NEAR(before.Test().p, after.Test().p, 1e-9);
  EXPECT_NEAR(before.Shift(), after.Shift(), 1e-9);
}

// Also with ties, with one launch per arm and with blocks of unequal size.
TEST(AlignedRankTest, TheIntervalHoldsZeroExactlyWhenTheTestDoes) {
  Random random(3);
  int excluded = 0;
  for (int i = 0; i < 400; ++i) {
    const double shift = 0.04 * (random.Unit() - 0.5);
    std::vector<Block> blocks =
        Draw(random, 6 + i % 5, 1 + i % 3, shift, i % 4 * 0.01);
    if (i % 7 == 0) blocks[0].a.push_back(blocks[0].a[0] + 0.01);
    const AlignedRankTest test(blocks);
    const auto interval = test.ShiftInterval(0.95);
    if (!interval) continue;
    EXPECT_LE(interval->low, interval->high);
    const bool holds_zero = interval->low <= 0 && interval->high >= 0;
    const double p = test.Test().p;
    // An end that is 0 itself, but for rounding, may go either way.
    if (std::abs(interval->low) < 1e-12 || std::abs(interval->high) < 1e-12) {
      continue;
    }
    EXPECT_EQ(holds_zero, p >= 0.05)
        << i << ": p " << p << " [" << interval->low << ", " << interval->high
        << "]";
    excluded += holds_zero ? 0 : 1;
  }
  EXPECT_GT(excluded, 20);
}

TEST(AlignedRankTest, PIsUniformWhereThereIsNothing) {
  Random random(4);
  constexpr int kRounds = 2000;
  int below[4] = {};
  constexpr double kLevels[4] = {0.05, 0.2, 0.5, 0.8};
  for (int i = 0; i < kRounds; ++i) {
    const std::vector<Block> blocks = Draw(random, 6, 2, 0);
    const double p = AlignedRankTest(blocks).Test().p;
    for (int level = 0; level < 4; ++level) below[level] += p <= kLevels[level];
  }
  for (int level = 0; level < 4; ++level) {
    const double expected = kLevels[level];
    // Four standard errors, for a seed that stays the same.
    const double error = 4 * std::sqrt(expected * (1 - expected) / kRounds);
    EXPECT_NEAR(static_cast<double>(below[level]) / kRounds, expected, error);
  }
}

TEST(AlignedRankTest, DrawnPermutationsComeCloseToCountedOnes) {
  Random random(5);
  std::vector<Block> wide(1);
  // One block of 400 + 400 is too much to count.
  for (int i = 0; i < 400; ++i) {
    wide[0].a.push_back(random.Unit());
    wide[0].b.push_back(random.Unit() + 0.05);
  }
  const AlignedRankTest test(wide, 17);
  const PermutationP drawn = test.Test();
  EXPECT_FALSE(drawn.exact);
  EXPECT_GT(drawn.p, 0);
  EXPECT_EQ(drawn.p, test.Test().p);  // The seed is fixed.
  // Within one block the test is Mann and Whitney's, and normal at this size.
  EXPECT_NEAR(drawn.p, MannWhitney(wide[0].a, wide[0].b).p, 0.02);
}

TEST(AlignedRankTest, TooFewBlocksHaveNoInterval) {
  Random random(6);
  const AlignedRankTest one(Draw(random, 1, 2, 5.0));
  EXPECT_TRUE(one.can_run());
  EXPECT_NEAR(one.Test().p, 2.0 / 6, 1e-12);
  EXPECT_FALSE(one.ShiftInterval(0.95).has_value());
  const AlignedRankTest three(Draw(random, 3, 2, 5.0));
  EXPECT_NEAR(three.Test().p, 2.0 / 216, 1e-12);
  EXPECT_TRUE(three.ShiftInterval(0.95).has_value());
}

TEST(AlignedRankTest, ABlockWithOneArmIsLeftOut) {
  const std::vector<Block> blocks = {{{1.0}, {}}, {{}, {2.0}}};
  const AlignedRankTest test(blocks);
  EXPECT_FALSE(test.can_run());
  EXPECT_EQ(test.Test().p, 1);
  EXPECT_FALSE(test.ShiftInterval(0.95).has_value());
}

TEST(AlignedRankTest, EqualValuesAreNoDifference) {
  const std::vector<Block> blocks(6, Block{{1, 1}, {1, 1}});
  const AlignedRankTest test(blocks);
  EXPECT_EQ(test.Test().p, 1);
  EXPECT_EQ(test.Shift(), 0);
  const std::vector<Block> apart(6, Block{{1, 1}, {2, 2}});
  const AlignedRankTest far(apart);
  EXPECT_LT(far.Test().p, 0.001);
  const auto interval = far.ShiftInterval(0.95);
  ASSERT_TRUE(interval.has_value());
  EXPECT_EQ(interval->low, 1);
  EXPECT_EQ(interval->high, 1);
}

}  // namespace
}  // namespace hackbench::results
