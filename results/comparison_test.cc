// SPDX-License-Identifier: MIT
#include "results/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "results/noise_floor.h"

namespace hackbench::results {
namespace {

// Blocks whose B is `ratio` of A, with launches `spread` apart.
std::vector<Block> Blocks(double ratio, double spread, int count = 6) {
  std::vector<Block> blocks;
  for (int i = 0; i < count; ++i) {
    const double base = 1 + 0.1 * i;
    const double wobble = spread * ((i % 3) - 1);
    blocks.push_back(
        {{base * (1 - spread + wobble), base * (1 + spread)},
         {base * ratio * (1 - spread), base * ratio * (1 + spread - wobble)}});
  }
  return blocks;
}

Comparison Judged(const std::vector<Block>& blocks, JudgeOptions options = {},
                  size_t family_size = 1) {
  absl::StatusOr<Comparison> row = ComparePaired(blocks, options);
  EXPECT_TRUE(row.ok()) << row.status();
  std::vector<Comparison> others(family_size, *row);
  std::vector<Comparison*> family;
  for (Comparison& other : others) family.push_back(&other);
  Judge(family, Adjust::kHolm);
  return others[0];
}

TEST(ComparisonTest, WordsFollowTheBetterSide) {
  const std::vector<Block> less = Blocks(0.9, 0.002);
  EXPECT_EQ(VerdictWord(Judged(less)), "faster");
  EXPECT_EQ(VerdictWord(Judged(less, {.better = Better::kHigher})), "slower");
  EXPECT_EQ(VerdictWord(Judged(less, {.better = Better::kNone})), "lower");
  const std::vector<Block> more = Blocks(1.1, 0.002);
  EXPECT_EQ(VerdictWord(Judged(more)), "slower");
  EXPECT_EQ(VerdictWord(Judged(more, {.better = Better::kHigher})), "faster");
  EXPECT_EQ(VerdictWord(Judged(more, {.better = Better::kNone})), "higher");
  EXPECT_NEAR(Judged(more).effect, 0.1, 1e-3);
}

TEST(ComparisonTest, SameNeedsANarrowInterval) {
  EXPECT_EQ(VerdictText(Judged(Blocks(1.0, 0.001))), "same");
  const Comparison wide = Judged(Blocks(1.0, 0.05));
  EXPECT_EQ(wide.verdict, Verdict::kUndecided);
  EXPECT_TRUE(VerdictText(wide).starts_with("undecided (would see "))
      << VerdictText(wide);
}

TEST(ComparisonTest, RealAndMattersAreTwoQuestions) {
  // Real, and wholly inside the margin.
  const Comparison tiny = Judged(Blocks(1.004, 0.0005));
  EXPECT_EQ(tiny.verdict, Verdict::kSame);
  EXPECT_EQ(VerdictText(tiny), "same (tiny but real)");
  // Real, but the interval reaches into the margin.
  const Comparison unclear = Judged(Blocks(1.012, 0.004), {.margin = 0.012});
  EXPECT_TRUE(unclear.real);
  EXPECT_EQ(unclear.verdict, Verdict::kUndecided);
  EXPECT_EQ(VerdictText(unclear), "slower (size unclear)");
}

TEST(ComparisonTest, AFamilyRaisesTheBar) {
  // Three blocks reach p = 0.0093 and no less.
  const std::vector<Block> blocks = Blocks(1.2, 0.001, 3);
  EXPECT_EQ(Judged(blocks).verdict, Verdict::kSlower);
  const Comparison one_of_ten = Judged(blocks, {}, 10);
  EXPECT_EQ(one_of_ten.verdict, Verdict::kUndecided);
  EXPECT_NEAR(one_of_ten.p_adjusted, 10 * 2.0 / 216, 1e-12);
  EXPECT_EQ(one_of_ten.family, 10u);
}

TEST(ComparisonTest, TooFewBlocksAreSaid) {
  const Comparison row = Judged(Blocks(2.0, 0.001, 2));
  EXPECT_EQ(VerdictText(row), "undecided (too few blocks for an interval)");
}

TEST(ComparisonTest, RefusesWhatHasNoRatio) {
  for (const double bad :
       {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(ComparePaired(std::vector<Block>{{{1.0}, {bad}}}, {}).ok());
    const std::vector<double> a = {1, 2, 3, 4};
    const std::vector<double> b = {1, 2, 3, bad};
    EXPECT_FALSE(CompareUnpaired(a, b, {}).ok());
  }
  EXPECT_FALSE(ComparePaired(std::vector<Block>{{{1.0}, {}}}, {}).ok());
}

TEST(ComparisonTest, UnpairedNeedsBothTests) {
  const std::vector<double> a = {1.00, 1.01, 1.02, 1.03, 1.04, 1.05};
  std::vector<double> b;
  for (const double x : a) b.push_back(1.2 * x);
  absl::StatusOr<Comparison> row = CompareUnpaired(a, b, {});
  ASSERT_TRUE(row.ok());
  Comparison* family[] = {&*row};
  Judge(family, Adjust::kHolm);
  EXPECT_FALSE(row->paired);
  EXPECT_EQ(row->verdict, Verdict::kSlower);
  // Welch alone would be at 1e-7; the ranks of 6 + 6 allow 0.002.
  EXPECT_GT(row->p, 0.001);
  const std::vector<double> three = {1, 2, 3};
  const auto few = CompareUnpaired(three, three, {});
  EXPECT_FALSE(few->why_none.empty());
}

TEST(ComparisonTest, SaysHowManyBlocksAreMissing) {
  const Comparison row = Judged(Blocks(1.0, 0.05));
  const double half = *row.HalfWidth();
  EXPECT_EQ(BlocksToReach(row, half), 0u);
  EXPECT_EQ(BlocksToReach(row, half / 2), 18u);  // Four times six, less six.
}

TEST(NoiseFloorTest, IsTheExcessOverTheIntervals) {
  std::vector<AaDifference> calm(10);
  std::vector<AaDifference> noisy(10);
  for (int i = 0; i < 10; ++i) {
    const double side = i % 2 == 0 ? 1 : -1;
    calm[i] = {0.01 * side, 0.02};
    noisy[i] = {0.05 * side, 0.02};
  }
  EXPECT_EQ(FloorOf(calm), 0.0);
  const double variance = 0.05 * 0.05 * 10 / 9;
  EXPECT_NEAR(*FloorOf(noisy), 1.959964 * std::sqrt(variance - 0.0004), 1e-6);
  calm.pop_back();
  EXPECT_FALSE(FloorOf(calm).has_value());
}

}  // namespace
}  // namespace hackbench::results
