// SPDX-License-Identifier: MIT
// What a handful of times has in common: mean, spread, extremes.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace hackbench::results {

struct Summary {
  size_t n = 0;
  double mean = 0;
  double stddev = 0;  // Of a sample: divides by n-1. 0 when n is 1.
  double cov = 0;     // stddev / mean; 0 when the mean is 0.
  double min = 0;
  double median = 0;
  double max = 0;
};

// `values` holds at least one.
Summary Summarise(std::span<const double> values);

// "n=5 mean 1.234567 s, stddev 0.012000 s (n-1), CoV 0.97 %, min ..., median
// ..., max ...", values given in seconds.
std::string ToText(const Summary& summary);

}  // namespace hackbench::results
