// SPDX-License-Identifier: MIT
#include "results/stationarity.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/statistics/ljung_box.hpp>
#include <cmath>
#include <map>

#include "results/quantile.h"
#include "results/summary.h"
#include "results/text.h"

namespace hackbench::results {
namespace {

constexpr size_t kFewest = 12;
// Hints are looked at by eye; a rare false one is cheap, a daily one is not.
constexpr double kLevel = 0.01;

struct Residual {
  int64_t started_ns;
  int64_t pos;
  double log;  // Relative to the median of its arm.
};

std::vector<Residual> Residuals(
    std::span<const std::vector<Observation>> arms) {
  std::vector<Residual> residuals;
  for (const std::vector<Observation>& arm : arms) {
    std::vector<double> logs;
    for (const Observation& seen : arm) {
      if (!(seen.value > 0)) return {};
      logs.push_back(std::log(seen.value));
    }
    if (logs.empty()) continue;
    const double median = Median(logs);
    for (size_t i = 0; i < arm.size(); ++i) {
      residuals.push_back({arm[i].started_ns, arm[i].pos, logs[i] - median});
    }
  }
  std::sort(residuals.begin(), residuals.end(),
            [](const Residual& a, const Residual& b) {
              return a.started_ns < b.started_ns;
            });
  return residuals;
}

// The p-value of a correlation r of n pairs.
double CorrelationP(double r, size_t n) {
  const double degrees = static_cast<double>(n) - 2;
  if (std::abs(r) >= 1) return 0;
  const double t = r * std::sqrt(degrees / (1 - r * r));
  const boost::math::students_t distribution(degrees);
  return 2 * cdf(complement(distribution, std::abs(t)));
}

// Spearman's correlation of the value with its place in time.
void HintDrift(const std::vector<Residual>& residuals,
               std::vector<std::string>& hints) {
  std::vector<double> logs;
  for (const Residual& residual : residuals) logs.push_back(residual.log);
  const std::vector<size_t> ranks = DoubledMidranks(logs);
  const double middle = static_cast<double>(logs.size()) + 1;  // Doubled.
  double products = 0;
  double squares_time = 0;
  double squares_value = 0;
  for (size_t i = 0; i < logs.size(); ++i) {
    const double time = 2 * static_cast<double>(i + 1) - middle;
    const double value = static_cast<double>(ranks[i]) - middle;
    products += time * value;
    squares_time += time * time;
    squares_value += value * value;
  }
  if (squares_value == 0) return;
  const double r = products / std::sqrt(squares_time * squares_value);
  if (CorrelationP(r, logs.size()) >= kLevel) return;
  const size_t third = logs.size() / 3;
  const double change = Median(std::span(logs).last(third)) -
                        Median(std::span(logs).first(third));
  hints.push_back(fmt::format(
      "the machine drifted: the last third took {} against the first",
      PercentText(std::expm1(change))));
}

void HintNeighbours(const std::vector<Residual>& residuals,
                    std::vector<std::string>& hints) {
  std::vector<double> logs;
  for (const Residual& residual : residuals) logs.push_back(residual.log);
  if (Summarise(logs).stddev == 0) return;
  const auto lags = static_cast<int64_t>(std::min<size_t>(5, logs.size() / 4));
  const auto [statistic, p] = boost::math::statistics::ljung_box(logs, lags);
  if (p >= kLevel) return;
  hints.emplace_back(
      "launches resemble their neighbours in time (Ljung-Box): single launches "
      "say less than their number suggests");
}

void HintPosition(const std::vector<Residual>& residuals,
                  std::vector<std::string>& hints) {
  std::vector<double> first;
  std::vector<double> rest;
  for (const Residual& residual : residuals) {
    (residual.pos == 0 ? first : rest).push_back(residual.log);
  }
  if (first.size() < 3 || rest.size() < 3) return;
  const Summary a = Summarise(first);
  const Summary b = Summarise(rest);
  const double error =
      std::sqrt(a.stddev * a.stddev / static_cast<double>(a.n) +
                b.stddev * b.stddev / static_cast<double>(b.n));
  if (error == 0) return;
  const boost::math::students_t distribution(
      static_cast<double>(std::min(a.n, b.n)) - 1);
  const double t = (a.mean - b.mean) / error;
  if (2 * cdf(complement(distribution, std::abs(t))) >= kLevel) return;
  hints.push_back(fmt::format(
      "the first launch of a block takes {} against the others; a pause "
      "(--settle) or --prepare may even them out",
      PercentText(std::expm1(a.mean - b.mean))));
}

}  // namespace

std::vector<std::string> SessionHints(
    std::span<const std::vector<Observation>> arms) {
  std::vector<std::string> hints;
  const std::vector<Residual> residuals = Residuals(arms);
  if (residuals.size() < kFewest) return hints;
  HintDrift(residuals, hints);
  HintNeighbours(residuals, hints);
  HintPosition(residuals, hints);
  return hints;
}

}  // namespace hackbench::results
