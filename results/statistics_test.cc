// SPDX-License-Identifier: MIT
// Our statistics against figures made with other software; see
// results/golden/make_statistics.py.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "results/adjust.h"
#include "results/aligned_rank.h"
#include "results/quantile.h"
#include "results/two_sample.h"

namespace hackbench::results {
namespace {

using Json = nlohmann::json;
using Values = std::vector<double>;

constexpr double kAgree = 1e-9;

const Json& Golden() {
  static const Json golden = [] {
    std::ifstream file(HACKBENCH_GOLDEN "/statistics.json");
    EXPECT_TRUE(file) << HACKBENCH_GOLDEN;
    return Json::parse(file);
  }();
  return golden;
}

void ExpectNear(double ours, const Json& theirs) {
  const double value = theirs.get<double>();
  EXPECT_NEAR(ours, value, kAgree * std::max(1.0, std::abs(value)));
}

TEST(StatisticsTest, WelchAgreesWithScipy) {
  ASSERT_GE(Golden()["two_samples"].size(), 5u);
  for (const Json& sample : Golden()["two_samples"]) {
    const WelchResult ours =
        Welch(sample["a"].get<Values>(), sample["b"].get<Values>());
    ExpectNear(ours.t, sample["welch"]["t"]);
    ExpectNear(ours.p, sample["welch"]["p"]);
    ExpectNear(ours.degrees, sample["welch"]["df"]);
    ExpectNear(ours.interval.low, sample["welch"]["low"]);
    ExpectNear(ours.interval.high, sample["welch"]["high"]);
  }
}

TEST(StatisticsTest, MannWhitneyAgreesWithScipyAlsoWithTies) {
  bool saw_exact = false;
  bool saw_normal = false;
  for (const Json& sample : Golden()["two_samples"]) {
    const RankSumResult ours =
        MannWhitney(sample["a"].get<Values>(), sample["b"].get<Values>());
    ExpectNear(ours.u, sample["mann_whitney"]["u"]);
    ExpectNear(ours.p, sample["mann_whitney"]["p"]);
    (ours.exact ? saw_exact : saw_normal) = true;
  }
  EXPECT_TRUE(saw_exact && saw_normal);
}

TEST(StatisticsTest, SignedRankAgreesWithScipyAlsoWithZeros) {
  for (const Json& sample : Golden()["paired"]) {
    const SignedRankResult ours = SignedRank(sample["d"].get<Values>());
    ExpectNear(ours.w, sample["w"]);
    ExpectNear(ours.p, sample["p"]);
  }
}

TEST(StatisticsTest, AdjustedPValuesAgree) {
  for (const Json& family : Golden()["families"]) {
    const Values p = family["p"];
    const Values holm = AdjustP(p, Adjust::kHolm);
    const Values bh = AdjustP(p, Adjust::kBenjaminiHochberg);
    for (size_t i = 0; i < p.size(); ++i) {
      ExpectNear(holm[i], family["holm"][i]);
      ExpectNear(bh[i], family["bh"][i]);
    }
    EXPECT_EQ(AdjustP(p, Adjust::kNone), p);
  }
}

TEST(StatisticsTest, QuantilesMadAndRanksAgree) {
  for (const Json& sample : Golden()["quantiles"]) {
    const Values v = sample["v"];
    for (const auto& [probability, value] : sample["q"].items()) {
      ExpectNear(Quantile(v, std::stod(probability)), value);
    }
    ExpectNear(MedianAbsoluteDeviation(v), sample["mad"]);
    const std::vector<size_t> ranks = DoubledMidranks(v);
    for (size_t i = 0; i < v.size(); ++i) {
      EXPECT_EQ(static_cast<double>(ranks[i]) / 2, sample["rank"][i]);
    }
  }
}

TEST(StatisticsTest, AlignedRanksAgreeWithAListOfAllPermutations) {
  for (const Json& sample : Golden()["blocks"]) {
    std::vector<Block> blocks;
    for (const Json& block : sample["blocks"]) {
      blocks.push_back({block["a"], block["b"]});
    }
    const AlignedRankTest test(blocks);
    const PermutationP p = test.Test();
    EXPECT_TRUE(p.exact);
    ExpectNear(p.p, sample["p"]);
    ExpectNear(test.Shift(), sample["shift"]);
  }
}

TEST(StatisticsTest, FarOutIsFlaggedByBothRules) {
  const Values calm = {1.0, 1.01, 0.99, 1.02, 0.98, 1.0};
  Values wild = calm;
  wild.push_back(1.5);
  for (const bool flag : FlagFarOut(calm)) EXPECT_FALSE(flag);
  EXPECT_TRUE(FlagFarOut(wild).back());
  EXPECT_FALSE(FlagFarOut(wild).front());
  EXPECT_FALSE(FlagFarOut(Values{1.0, 9.0}).back());
}

}  // namespace
}  // namespace hackbench::results
