// SPDX-License-Identifier: MIT
#include "hackbench/histogram.h"

#include <gtest/gtest.h>

#include <memory>

namespace hackbench {
namespace {

TEST(HistogramTest, EveryValueLiesInItsBucketWithinThePrecision) {
  uint64_t previous_end = 0;
  for (uint64_t value = 0; value < (uint64_t{1} << Histogram::kMaxBits);
       value = value + value / 50 + 1) {
    const uint64_t end = Histogram::BucketEnd(Histogram::BucketOf(value));
    EXPECT_GE(end, value);
    EXPECT_LE(end - value, value >> Histogram::kSubBits) << value;
    EXPECT_GE(end, previous_end);
    previous_end = end;
  }
}

TEST(HistogramTest, BucketsTileTheRange) {
  for (size_t bucket = 0; bucket + 1 < Histogram::kBuckets; ++bucket) {
    const uint64_t end = Histogram::BucketEnd(bucket);
    EXPECT_EQ(Histogram::BucketOf(end), bucket);
    EXPECT_EQ(Histogram::BucketOf(end + 1), bucket + 1);
  }
}

TEST(HistogramTest, QuantilesOfAKnownSet) {
  const auto histogram = std::make_unique<Histogram>();
  for (uint64_t value = 1; value <= 20; ++value) histogram->Record(value);
  EXPECT_EQ(histogram->count(), 20u);
  EXPECT_EQ(histogram->Quantile(0.5), 10u);
  EXPECT_EQ(histogram->Quantile(0.9), 18u);
  EXPECT_EQ(histogram->Quantile(0.001), 1u);
  EXPECT_EQ(histogram->Quantile(1), 20u);
  EXPECT_EQ(histogram->max(), 20u);
}

TEST(HistogramTest, QuantilesNeverExceedTheMaximum) {
  const auto histogram = std::make_unique<Histogram>();
  histogram->Record(1'000'003);
  EXPECT_EQ(histogram->Quantile(0.5), 1'000'003u);
}

TEST(HistogramTest, LargeValuesCountInTheLastBucket) {
  const auto histogram = std::make_unique<Histogram>();
  histogram->Record(UINT64_MAX);
  EXPECT_EQ(histogram->count(), 1u);
  EXPECT_EQ(histogram->max(), UINT64_MAX);
}

TEST(HistogramTest, MergeAdds) {
  const auto one = std::make_unique<Histogram>();
  const auto other = std::make_unique<Histogram>();
  one->Record(5);
  other->Record(500);
  one->Merge(*other);
  EXPECT_EQ(one->count(), 2u);
  EXPECT_EQ(one->Quantile(0.5), 5u);
  EXPECT_EQ(one->max(), 500u);
}

TEST(HistogramTest, EmptyIsZero) {
  EXPECT_EQ(std::make_unique<Histogram>()->Quantile(0.5), 0u);
}

}  // namespace
}  // namespace hackbench
