// SPDX-License-Identifier: MIT
#include "results/quantile.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hackbench::results {
namespace {

double SortedQuantile(const std::vector<double>& sorted, double probability) {
  const double at = static_cast<double>(sorted.size() - 1) * probability;
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = at - static_cast<double>(below);
  return sorted[below] + part * (sorted[above] - sorted[below]);
}

std::vector<double> Sorted(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

double Quantile(std::span<const double> values, double probability) {
  return SortedQuantile(Sorted(values), probability);
}

double Median(std::span<const double> values) { return Quantile(values, 0.5); }

double MedianAbsoluteDeviation(std::span<const double> values) {
  const double median = Median(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) {
    distances.push_back(std::abs(value - median));
  }
  return Median(distances);
}

std::vector<size_t> DoubledMidranks(std::span<const double> values,
                                    double tie) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t x, size_t y) { return values[x] < values[y]; });
  std::vector<size_t> ranks(values.size());
  for (size_t first = 0; first < order.size();) {
    size_t end = first + 1;
    while (end < order.size() &&
           values[order[end]] - values[order[end - 1]] <= tie) {
      ++end;
    }
    // Ranks first+1 to end: twice their mean is the sum of the two ends.
    for (size_t i = first; i < end; ++i) ranks[order[i]] = first + 1 + end;
    first = end;
  }
  return ranks;
}

std::vector<bool> FlagFarOut(std::span<const double> values) {
  constexpr size_t kFewest = 5;
  constexpr double kFences = 3;
  constexpr double kModifiedZ = 3.5;
  constexpr double kNormalMad = 0.6745;  // MAD of a normal, in deviations.
  std::vector<bool> flags(values.size(), false);
  if (values.size() < kFewest) return flags;
  const std::vector<double> sorted = Sorted(values);
  const double low = SortedQuantile(sorted, 0.25);
  const double high = SortedQuantile(sorted, 0.75);
  const double median = SortedQuantile(sorted, 0.5);
  const double mad = MedianAbsoluteDeviation(values);
  for (size_t i = 0; i < values.size(); ++i) {
    const bool fenced_out = values[i] < low - kFences * (high - low) ||
                            values[i] > high + kFences * (high - low);
    const bool far =
        kNormalMad * std::abs(values[i] - median) > kModifiedZ * mad;
    flags[i] = fenced_out && far;
  }
  return flags;
}

}  // namespace hackbench::results
