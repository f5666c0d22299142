// SPDX-License-Identifier: MIT
#include "results/summary.h"

#include <gtest/gtest.h>

#include <array>

namespace hackbench::results {
namespace {

TEST(SummaryTest, KnownSample) {
  const std::array values = {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0};
  const Summary summary = Summarise(values);
  EXPECT_EQ(summary.n, 8u);
  EXPECT_DOUBLE_EQ(summary.mean, 5.0);
  EXPECT_NEAR(summary.stddev, 2.13809, 1e-5);  // Divides by n-1.
  EXPECT_NEAR(summary.cov, 0.427618, 1e-6);
  EXPECT_DOUBLE_EQ(summary.min, 2.0);
  EXPECT_DOUBLE_EQ(summary.median, 4.5);
  EXPECT_DOUBLE_EQ(summary.max, 9.0);
}

TEST(SummaryTest, OrderDoesNotMatter) {
  const std::array values = {3.0, 1.0, 2.0};
  EXPECT_DOUBLE_EQ(Summarise(values).median, 2.0);
  EXPECT_DOUBLE_EQ(Summarise(values).max, 3.0);
}

TEST(SummaryTest, OneValueHasNoSpread) {
  const std::array values = {3.0};
  EXPECT_DOUBLE_EQ(Summarise(values).stddev, 0.0);
  EXPECT_DOUBLE_EQ(Summarise(values).median, 3.0);
}

TEST(SummaryTest, TextNamesItsUnitAndDenominator) {
  const std::array values = {1.0, 3.0};
  EXPECT_EQ(ToText(Summarise(values)),
            "n=2: mean 2.000000 s, stddev 1.414214 s (n-1), CoV 70.71 %, min "
            "1.000000 s, median 2.000000 s, max 3.000000 s");
}

}  // namespace
}  // namespace hackbench::results
