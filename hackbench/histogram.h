// SPDX-License-Identifier: MIT
// A log-linear histogram of nanoseconds: 32 buckets per power of two, so a
// reported value is at most 1/32 (3.2 %) above the true one. Values from 0 to
// 2^40 ns (18 minutes); larger ones count in the last bucket.
//
// Plain memory without pointers: one per task in shared memory, written by its
// task alone, merged by main at the end.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace hackbench {

class Histogram {
 public:
  static constexpr int kSubBits = 5;
  static constexpr int kMaxBits = 40;
  static constexpr size_t kBuckets = size_t{kMaxBits - kSubBits + 1}
                                     << kSubBits;

  void Record(uint64_t value_ns) {
    ++counts_[BucketOf(value_ns)];
    max_ = std::max(max_, value_ns);
  }

  void Merge(const Histogram& other) {
    for (size_t i = 0; i < kBuckets; ++i) counts_[i] += other.counts_[i];
    max_ = std::max(max_, other.max_);
  }

  uint64_t count() const {
    uint64_t sum = 0;
    for (const uint64_t count : counts_) sum += count;
    return sum;
  }

  uint64_t max() const { return max_; }

  // The smallest bucket end that at least `fraction` (0 to 1] of the values do
  // not exceed; never above max(). 0 when empty.
  uint64_t Quantile(double fraction) const {
    const uint64_t total = count();
    const auto wanted = static_cast<uint64_t>(
        std::max(1.0, std::ceil(fraction * static_cast<double>(total))));
    uint64_t seen = 0;
    for (size_t i = 0; i < kBuckets; ++i) {
      seen += counts_[i];
      if (seen >= wanted) return std::min(BucketEnd(i), max_);
    }
    return max_;
  }

  static size_t BucketOf(uint64_t value) {
    constexpr uint64_t kLinear = uint64_t{1} << kSubBits;
    if (value < kLinear) return value;
    const int exponent = std::bit_width(value) - 1 - kSubBits;
    const size_t bucket =
        (static_cast<size_t>(exponent) << kSubBits) + (value >> exponent);
    return std::min(bucket, kBuckets - 1);
  }

  // The largest value that falls into the bucket.
  static uint64_t BucketEnd(size_t bucket) {
    constexpr size_t kLinear = size_t{1} << kSubBits;
    if (bucket < 2 * kLinear) return bucket;
    const size_t exponent = (bucket >> kSubBits) - 1;
    const uint64_t mantissa = (bucket & (kLinear - 1)) + kLinear;
    return ((mantissa + 1) << exponent) - 1;
  }

 private:
  std::array<uint64_t, kBuckets> counts_{};
  uint64_t max_ = 0;
};

}  // namespace hackbench
