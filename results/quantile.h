// SPDX-License-Identifier: MIT
// Order statistics: quantiles (R's type 7, which numpy and most spreadsheets
// use too), the median absolute deviation, midranks, and the rule that flags a
// value as far out. A flag never removes anything.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hackbench::results {

// `values` in any order, at least one; 0 <= probability <= 1. Linear between
// order statistics at (n-1)*probability.
double Quantile(std::span<const double> values, double probability);

double Median(std::span<const double> values);

// The median distance from the median, not scaled to a normal's deviation.
double MedianAbsoluteDeviation(std::span<const double> values);

// Ranks from 1, ties sharing the mean of theirs; doubled, so that they are
// whole numbers. Values nearer than `tie` to their sorted neighbour are equal.
std::vector<size_t> DoubledMidranks(std::span<const double> values,
                                    double tie = 0);

// Which values lie beyond 3 interquartile ranges of the quartiles (Tukey's far
// out) and also have a modified z-score above 3.5 (Iglewicz and Hoaglin). None
// among fewer than five.
std::vector<bool> FlagFarOut(std::span<const double> values);

}  // namespace hackbench::results
