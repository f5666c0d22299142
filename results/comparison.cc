// SPDX-License-Identifier: MIT
#include "results/comparison.h"

#include <absl/status/status.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <vector>

#include "results/two_sample.h"

namespace hackbench::results {
namespace {

constexpr double kEquivalenceConfidence = 0.90;

double Relative(double log_ratio) { return std::expm1(log_ratio); }

Interval Relative(const Interval& logs) {
  return {Relative(logs.low), Relative(logs.high)};
}

// Standard errors between 0 and an effect that is found with 80 % power,
// counted in half-widths of the interval.
double DetectableInHalfWidths(double confidence) {
  constexpr double kPower = 0.80;
  const boost::math::normal normal;
  const double reach = quantile(normal, (1 + confidence) / 2);
  return (reach + quantile(normal, kPower)) / reach;
}

bool AllPositive(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) {
    return std::isfinite(value) && value > 0;
  });
}

std::vector<double> Logs(std::span<const double> values) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values) logs.push_back(std::log(value));
  return logs;
}

// The share of pairs that B wins, ties counting half.
double WinsOfB(std::span<const double> a, std::span<const double> b,
               Better better) {
  double wins = 0;
  for (const double x : a) {
    for (const double y : b) {
      if (x == y) wins += 0.5;
      if (better == Better::kHigher ? y > x : y < x) wins += 1;
    }
  }
  return wins / static_cast<double>(a.size() * b.size());
}

absl::StatusOr<Comparison> Begin(std::span<const double> a,
                                 std::span<const double> b,
                                 const JudgeOptions& options) {
  if (a.empty() || b.empty()) {
    return absl::InvalidArgumentError("an arm has no complete launch");
  }
  if (!AllPositive(a) || !AllPositive(b)) {
    return absl::InvalidArgumentError(
        "a value is not above 0, so there is no ratio");
  }
  Comparison row;
  row.options = options;
  row.a = Summarise(a);
  row.b = Summarise(b);
  row.mean_effect = row.b.mean / row.a.mean - 1;
  row.b_wins = WinsOfB(a, b, options.better);
  return row;
}

void SetDetectable(Comparison& row, const std::optional<Interval>& logs) {
  if (!logs) return;
  row.detectable = Relative((logs->high - logs->low) / 2 *
                            DetectableInHalfWidths(row.options.confidence));
}

bool WhollyWithin(const Interval& interval, double margin) {
  return interval.low > -margin && interval.high < margin;
}

Verdict Decide(const Comparison& row) {
  const double margin = row.options.margin;
  if (!row.interval || !row.why_none.empty()) return Verdict::kUndecided;
  if (row.equivalence_interval &&
      WhollyWithin(*row.equivalence_interval, margin)) {
    return Verdict::kSame;
  }
  const bool up = row.interval->low > margin;
  const bool down = row.interval->high < -margin;
  if (!row.real || (!up && !down)) return Verdict::kUndecided;
  const bool improved = row.options.better == Better::kHigher ? up : down;
  return improved ? Verdict::kFaster : Verdict::kSlower;
}

std::string_view DirectionWord(const Comparison& row, bool lower) {
  if (row.options.better == Better::kNone) return lower ? "lower" : "higher";
  return lower == (row.options.better == Better::kLower) ? "faster" : "slower";
}

}  // namespace

std::optional<double> Comparison::HalfWidth() const {
  if (!interval) return std::nullopt;
  return (interval->high - interval->low) / 2;
}

absl::StatusOr<Comparison> ComparePaired(std::span<const Block> blocks,
                                         const JudgeOptions& options) {
  std::vector<double> a;
  std::vector<double> b;
  std::vector<Block> logs;
  for (const Block& block : blocks) {
    if (block.a.empty() || block.b.empty()) continue;
    a.insert(a.end(), block.a.begin(), block.a.end());
    b.insert(b.end(), block.b.begin(), block.b.end());
    logs.push_back({Logs(block.a), Logs(block.b)});
  }
  absl::StatusOr<Comparison> row = Begin(a, b, options);
  if (!row.ok()) return row;
  const AlignedRankTest test(logs, options.seed);
  row->paired = true;
  row->blocks = test.blocks();
  row->effect = Relative(test.Shift());
  const PermutationP p = test.Test();
  row->p = p.p;
  row->p_is_exact = p.exact;
  const std::optional<Interval> interval =
      test.ShiftInterval(options.confidence);
  if (interval) row->interval = Relative(*interval);
  if (const auto logs90 = test.ShiftInterval(kEquivalenceConfidence)) {
    row->equivalence_interval = Relative(*logs90);
  }
  SetDetectable(*row, interval);
  if (!interval) row->why_none = "too few blocks for an interval";
  return row;
}

absl::StatusOr<Comparison> CompareUnpaired(std::span<const double> a,
                                           std::span<const double> b,
                                           const JudgeOptions& options) {
  absl::StatusOr<Comparison> row = Begin(a, b, options);
  if (!row.ok()) return row;
  const std::vector<double> log_a = Logs(a);
  const std::vector<double> log_b = Logs(b);
  row->effect = Relative(HodgesLehmann(log_a, log_b));
  row->p = 1;
  constexpr size_t kFewest = 4;  // Below, U cannot reach 0.05.
  if (std::min(a.size(), b.size()) < kFewest) {
    row->why_none = fmt::format("fewer than {} launches in an arm", kFewest);
    return row;
  }
  const WelchResult welch = Welch(log_a, log_b, options.confidence);
  const RankSumResult ranks = MannWhitney(a, b);
  row->p = std::max(welch.p, ranks.p);
  row->p_is_exact = false;
  row->interval = Relative(welch.interval);
  row->equivalence_interval =
      Relative(Welch(log_a, log_b, kEquivalenceConfidence).interval);
  SetDetectable(*row, welch.interval);
  return row;
}

void Judge(std::span<Comparison*> family, Adjust adjust) {
  std::vector<double> p;
  for (const Comparison* row : family) p.push_back(row->p);
  const std::vector<double> adjusted = AdjustP(p, adjust);
  for (size_t i = 0; i < family.size(); ++i) {
    Comparison& row = *family[i];
    row.p_adjusted = adjusted[i];
    row.family = family.size();
    row.real = adjusted[i] < row.options.alpha;
    row.verdict = Decide(row);
  }
}

std::string_view VerdictWord(const Comparison& row) {
  switch (row.verdict) {
    case Verdict::kSame:
      return "same";
    case Verdict::kUndecided:
      return "undecided";
    case Verdict::kFaster:
    case Verdict::kSlower:
      break;
  }
  return DirectionWord(row, row.effect < 0);
}

std::string VerdictText(const Comparison& row) {
  if (!row.why_none.empty()) return "undecided (" + row.why_none + ")";
  if (row.verdict == Verdict::kSame) {
    return row.real ? "same (tiny but real)" : "same";
  }
  if (row.verdict != Verdict::kUndecided) return std::string(VerdictWord(row));
  if (row.real) {
    return fmt::format("{} (size unclear)", DirectionWord(row, row.effect < 0));
  }
  if (!row.detectable) return "undecided";
  return fmt::format("undecided (would see {:.1f} %)", 100 * *row.detectable);
}

size_t BlocksToReach(const Comparison& row, double target) {
  const std::optional<double> half = row.HalfWidth();
  if (!half || row.blocks == 0 || *half <= target) return 0;
  // Widths shrink with the root of the number of launches.
  const double factor = (*half / target) * (*half / target);
  return static_cast<size_t>(
      std::ceil(static_cast<double>(row.blocks) * (factor - 1)));
}

}  // namespace hackbench::results
