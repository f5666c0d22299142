// SPDX-License-Identifier: MIT
#include "results/two_sample.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "results/quantile.h"
#include "results/summary.h"

namespace hackbench::results {
namespace {

using boost::math::cdf;
using boost::math::complement;

double Square(double x) { return x * x; }

double NormalTwoSided(double z) {
  return std::min(1.0, 2 * cdf(complement(boost::math::normal(), std::abs(z))));
}

// Boost 1.74's quantile is good to nine digits for some degrees of freedom; a
// step of Newton's method doubles them.
double UpperQuantile(const boost::math::students_t& distribution, double tail) {
  double t = quantile(complement(distribution, tail));
  for (int step = 0; step < 2; ++step) {
    t += (cdf(complement(distribution, t)) - tail) / pdf(distribution, t);
  }
  return t;
}

// Sum of t^3 - t over groups of ties; `doubled_ranks` in any order.
double TieTerm(std::vector<size_t> doubled_ranks) {
  std::sort(doubled_ranks.begin(), doubled_ranks.end());
  double term = 0;
  for (size_t first = 0; first < doubled_ranks.size();) {
    size_t end = first;
    while (end < doubled_ranks.size() &&
           doubled_ranks[end] == doubled_ranks[first]) {
      ++end;
    }
    const auto t = static_cast<double>(end - first);
    term += t * t * t - t;
    first = end;
  }
  return term;
}

// Ways to reach each value of U without ties: Mann and Whitney's recurrence as
// a product over the smaller side.
std::vector<double> UCounts(size_t n, size_t m) {
  std::vector<std::vector<double>> ways(n + 1,
                                        std::vector<double>(n * m + 1, 0.0));
  ways[0][0] = 1;
  for (size_t item = 0; item < n + m; ++item) {
    for (size_t chosen = std::min(n, item + 1); chosen > 0; --chosen) {
      // The chosen-th smallest at rank item+1 beats item+1-chosen of the
      // others.
      const size_t step = item + 1 - chosen;
      for (size_t u = n * m + 1; u-- > step;) {
        ways[chosen][u] += ways[chosen - 1][u - step];
      }
    }
  }
  return std::move(ways[n]);
}

double ExactUP(double u, size_t n, size_t m) {
  const std::vector<double> counts = UCounts(n, m);
  const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double larger = std::max(u, static_cast<double>(n * m) - u);
  double tail = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (static_cast<double>(i) >= larger) tail += counts[i];
  }
  return std::min(1.0, 2 * tail / all);
}

double ExactSignedRankP(double w, size_t n) {
  std::vector<double> ways(n * (n + 1) / 2 + 1, 0.0);
  ways[0] = 1;
  for (size_t rank = 1; rank <= n; ++rank) {
    for (size_t sum = ways.size(); sum-- > rank;) ways[sum] += ways[sum - rank];
  }
  double tail = 0;
  for (size_t sum = 0; static_cast<double>(sum) <= w; ++sum) tail += ways[sum];
  return std::min(1.0, 2 * tail / std::exp2(static_cast<double>(n)));
}

}  // namespace

WelchResult Welch(std::span<const double> a, std::span<const double> b,
                  double confidence) {
  const Summary sa = Summarise(a);
  const Summary sb = Summarise(b);
  const double va = Square(sa.stddev) / static_cast<double>(sa.n);
  const double vb = Square(sb.stddev) / static_cast<double>(sb.n);
  WelchResult result;
  result.difference = sb.mean - sa.mean;
  result.interval = {result.difference, result.difference};
  if (va + vb == 0) {
    result.p = result.difference == 0 ? 1 : 0;
    return result;
  }
  const auto part = [](double v, size_t n) {
    return n > 1 ? Square(v) / static_cast<double>(n - 1) : 0.0;
  };
  result.t = result.difference / std::sqrt(va + vb);
  result.degrees = Square(va + vb) / (part(va, sa.n) + part(vb, sb.n));
  const boost::math::students_t distribution(result.degrees);
  result.p = 2 * cdf(complement(distribution, std::abs(result.t)));
  const double reach =
      UpperQuantile(distribution, (1 - confidence) / 2) * std::sqrt(va + vb);
  result.interval = {result.difference - reach, result.difference + reach};
  return result;
}

RankSumResult MannWhitney(std::span<const double> a,
                          std::span<const double> b) {
  std::vector<double> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  const std::vector<size_t> ranks = DoubledMidranks(all);
  const double b_ranks =
      static_cast<double>(
          std::accumulate(ranks.begin() + static_cast<std::ptrdiff_t>(a.size()),
                          ranks.end(), size_t{0})) /
      2;
  const auto n = static_cast<double>(a.size());
  const auto m = static_cast<double>(b.size());
  RankSumResult result;
  result.u = b_ranks - m * (m + 1) / 2;
  const double ties = TieTerm(ranks);
  constexpr size_t kExactUpTo = 8;
  if (ties == 0 && std::min(a.size(), b.size()) <= kExactUpTo) {
    result.exact = true;
    result.p = ExactUP(result.u, b.size(), a.size());
    return result;
  }
  const double total = n + m;
  const double variance =
      n * m / 12 * ((total + 1) - ties / (total * (total - 1)));
  if (variance <= 0) return result;  // All values are equal.
  const double larger = std::max(result.u, n * m - result.u);
  result.p = NormalTwoSided(std::max(0.0, larger - n * m / 2 - 0.5) /
                            std::sqrt(variance));
  return result;
}

SignedRankResult SignedRank(std::span<const double> differences) {
  std::vector<double> sizes;
  std::vector<bool> positive;
  for (const double difference : differences) {
    if (difference == 0) continue;
    sizes.push_back(std::abs(difference));
    positive.push_back(difference > 0);
  }
  SignedRankResult result;
  if (sizes.empty()) return result;
  const std::vector<size_t> ranks = DoubledMidranks(sizes);
  double plus = 0;
  double minus = 0;
  double squares = 0;
  for (size_t i = 0; i < ranks.size(); ++i) {
    const double rank = static_cast<double>(ranks[i]) / 2;
    (positive[i] ? plus : minus) += rank;
    squares += rank * rank;
  }
  result.w = std::min(plus, minus);
  constexpr size_t kExactUpTo = 50;
  if (sizes.size() == differences.size() && sizes.size() <= kExactUpTo &&
      TieTerm(ranks) == 0) {
    result.exact = true;
    result.p = ExactSignedRankP(result.w, sizes.size());
    return result;
  }
  result.p =
      NormalTwoSided((result.w - (plus + minus) / 2) / std::sqrt(squares / 4));
  return result;
}

double HodgesLehmann(std::span<const double> a, std::span<const double> b) {
  std::vector<double> differences;
  differences.reserve(a.size() * b.size());
  for (const double x : a) {
    for (const double y : b) differences.push_back(y - x);
  }
  return Median(differences);
}

}  // namespace hackbench::results
