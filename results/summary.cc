// SPDX-License-Identifier: MIT
#include "results/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace hackbench::results {

Summary Summarise(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  Summary summary;
  summary.n = sorted.size();
  for (const double value : sorted) summary.mean += value;
  summary.mean /= static_cast<double>(summary.n);
  double squares = 0;
  for (const double value : sorted) {
    squares += (value - summary.mean) * (value - summary.mean);
  }
  if (summary.n > 1) {
    summary.stddev = std::sqrt(squares / static_cast<double>(summary.n - 1));
  }
  if (summary.mean != 0) summary.cov = summary.stddev / summary.mean;
  summary.min = sorted.front();
  summary.max = sorted.back();
  const size_t middle = summary.n / 2;
  summary.median = summary.n % 2 == 1
                       ? sorted[middle]
                       : (sorted[middle - 1] + sorted[middle]) / 2;
  return summary;
}

std::string ToText(const Summary& summary) {
  return fmt::format(
      "n={}: mean {:.6f} s, stddev {:.6f} s (n-1), CoV {:.2f} %, min {:.6f} s, "
      "median {:.6f} s, max {:.6f} s",
      summary.n, summary.mean, summary.stddev, 100 * summary.cov, summary.min,
      summary.median, summary.max);
}

}  // namespace hackbench::results
