// SPDX-License-Identifier: MIT
#include "results/aligned_rank.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "results/quantile.h"
#include "results/random.h"

namespace hackbench::results {
namespace {

// Logarithms of times differ by 1e-11 at the least (a nanosecond in a hundred
// seconds); sums of a block's values are rounded at 1e-16.
constexpr double kTie = 1e-13;

// Additions that counting every permutation may take.
constexpr double kExactBound = 1e8;

double Mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(values.size());
}

struct RankedBlock {
  std::vector<size_t> ranks;  // Doubled; those of B last.
  size_t b_count = 0;

  size_t RankSum() const {
    return std::accumulate(ranks.begin(), ranks.end(), size_t{0});
  }
  size_t BSum() const {
    return std::accumulate(ranks.end() - static_cast<std::ptrdiff_t>(b_count),
                           ranks.end(), size_t{0});
  }
  double ExpectedBSum() const {
    return static_cast<double>(RankSum()) * static_cast<double>(b_count) /
           static_cast<double>(ranks.size());
  }
};

// Probabilities of the sums from `offset` on.
struct Distribution {
  size_t offset = 0;
  std::vector<double> weights = {1.0};
};

// Of the sum of b_count ranks drawn from the block without replacement.
Distribution BlockDistribution(const RankedBlock& block) {
  std::vector<size_t> sorted = block.ranks;
  std::sort(sorted.begin(), sorted.end());
  // Small numbers: ranks as distances from the block's smallest.
  const size_t base = sorted.front();
  size_t largest_sum = 0;
  for (size_t i = 0; i < block.b_count; ++i) {
    largest_sum += sorted[sorted.size() - 1 - i] - base;
  }
  std::vector<std::vector<double>> ways(
      block.b_count + 1, std::vector<double>(largest_sum + 1, 0.0));
  ways[0][0] = 1;
  for (const size_t rank : sorted) {
    const size_t step = rank - base;
    for (size_t count = block.b_count; count > 0; --count) {
      for (size_t sum = largest_sum + 1; sum-- > step;) {
        ways[count][sum] += ways[count - 1][sum - step];
      }
    }
  }
  Distribution result{.offset = base * block.b_count,
                      .weights = std::move(ways[block.b_count])};
  const double all =
      std::accumulate(result.weights.begin(), result.weights.end(), 0.0);
  for (double& weight : result.weights) weight /= all;
  return result;
}

Distribution Convolve(const Distribution& x, const Distribution& y) {
  Distribution sum{.offset = x.offset + y.offset,
                   .weights = std::vector<double>(
                       x.weights.size() + y.weights.size() - 1, 0.0)};
  for (size_t j = 0; j < y.weights.size(); ++j) {
    if (y.weights[j] == 0) continue;
    for (size_t i = 0; i < x.weights.size(); ++i) {
      sum.weights[i + j] += x.weights[i] * y.weights[j];
    }
  }
  return sum;
}

// What counting takes: items times sums in a block, choices times sums when
// blocks are joined.
double ExactCost(std::span<const RankedBlock> blocks) {
  double cost = 0;
  double sums = 1;
  for (const RankedBlock& block : blocks) {
    const auto items = static_cast<double>(block.ranks.size());
    const auto chosen = static_cast<double>(block.b_count);
    const auto [low, high] =
        std::minmax_element(block.ranks.begin(), block.ranks.end());
    const double range = chosen * static_cast<double>(*high - *low) + 1;
    const double choices = std::min(
        range, std::exp(std::lgamma(items + 1) - std::lgamma(chosen + 1) -
                        std::lgamma(items - chosen + 1)));
    sums += range;
    cost += items * chosen * range + choices * sums;
  }
  return cost;
}

double ExactP(std::span<const RankedBlock> blocks, double expected,
              double deviation) {
  Distribution all;
  for (const RankedBlock& block : blocks) {
    all = Convolve(all, BlockDistribution(block));
  }
  double p = 0;
  for (size_t i = 0; i < all.weights.size(); ++i) {
    const double sum = static_cast<double>(all.offset + i);
    if (std::abs(sum - expected) >= deviation - 1e-6) p += all.weights[i];
  }
  return std::min(p, 1.0);
}

double DrawnP(std::span<const RankedBlock> blocks, double expected,
              double deviation, uint64_t seed) {
  Random random(seed);
  int as_extreme = 0;
  std::vector<size_t> ranks;
  for (int draw = 0; draw < kDraws; ++draw) {
    size_t sum = 0;
    for (const RankedBlock& block : blocks) {
      ranks = block.ranks;
      // The first b_count steps of a shuffle are the sample.
      for (size_t i = 0; i < block.b_count; ++i) {
        std::swap(ranks[i], ranks[i + random.Below(ranks.size() - i)]);
        sum += ranks[i];
      }
    }
    if (std::abs(static_cast<double>(sum) - expected) >= deviation - 1e-6) {
      ++as_extreme;
    }
  }
  return static_cast<double>(as_extreme + 1) / (kDraws + 1);
}

std::vector<RankedBlock> Rank(const std::vector<Block>& blocks, double shift) {
  std::vector<double> values;
  for (const Block& block : blocks) {
    for (const double a : block.a) values.push_back(a + shift / 2);
    for (const double b : block.b) values.push_back(b - shift / 2);
  }
  const std::vector<size_t> ranks = DoubledMidranks(values, kTie);
  std::vector<RankedBlock> ranked;
  auto next = ranks.begin();
  for (const Block& block : blocks) {
    const auto end =
        next + static_cast<std::ptrdiff_t>(block.a.size() + block.b.size());
    ranked.push_back({{next, end}, block.b.size()});
    next = end;
  }
  return ranked;
}

}  // namespace

AlignedRankTest::AlignedRankTest(std::span<const Block> blocks, uint64_t seed)
    : seed_(seed) {
  for (const Block& block : blocks) {
    if (block.a.empty() || block.b.empty()) continue;
    const double centre = (Mean(block.a) + Mean(block.b)) / 2;
    Block aligned = block;
    for (double& a : aligned.a) a -= centre;
    for (double& b : aligned.b) b -= centre;
    blocks_.push_back(std::move(aligned));
  }
  for (const Block& x : blocks_) {
    for (const Block& y : blocks_) {
      for (const double b : x.b) {
        for (const double a : y.a) differences_.push_back(b - a);
      }
    }
  }
  std::sort(differences_.begin(), differences_.end());
  for (const double difference : differences_) {
    if (unique_.empty() || difference - unique_.back() > kTie) {
      unique_.push_back(difference);
    }
  }
}

PermutationP AlignedRankTest::Test(double shift) const {
  if (!can_run()) return {};
  const std::vector<RankedBlock> ranked = Rank(blocks_, shift);
  double expected = 0;
  size_t observed = 0;
  for (const RankedBlock& block : ranked) {
    expected += block.ExpectedBSum();
    observed += block.BSum();
  }
  const double deviation = std::abs(static_cast<double>(observed) - expected);
  if (ExactCost(ranked) <= kExactBound) {
    return {ExactP(ranked, expected, deviation), true};
  }
  return {DrawnP(ranked, expected, deviation, seed_), false};
}

double AlignedRankTest::Shift() const { return Median(differences_); }

double AlignedRankTest::ShiftAt(size_t position) const {
  const size_t k = position / 2;
  if (position % 2 == 1) return unique_[k];
  if (k == 0) return unique_.front() - 1;
  if (k == unique_.size()) return unique_.back() + 1;
  return (unique_[k - 1] + unique_[k]) / 2;
}

size_t AlignedRankTest::PositionOf(double shift) const {
  const auto at =
      std::lower_bound(unique_.begin(), unique_.end(), shift - kTie);
  const auto k = static_cast<size_t>(at - unique_.begin());
  const bool on_it = at != unique_.end() && std::abs(*at - shift) <= kTie;
  return 2 * k + (on_it ? 1 : 0);
}

bool AlignedRankTest::Accepts(size_t position, double alpha) const {
  return Test(ShiftAt(position)).p >= alpha;
}

// Halving between a position that is accepted and one that may not be.
size_t AlignedRankTest::LastAccepted(size_t inside, size_t outside,
                                     double alpha) const {
  if (Accepts(outside, alpha)) return outside;
  while (inside > outside ? inside - outside > 1 : outside - inside > 1) {
    const size_t middle = (inside + outside) / 2;
    (Accepts(middle, alpha) ? inside : outside) = middle;
  }
  return inside;
}

std::optional<Interval> AlignedRankTest::ShiftInterval(
    double confidence) const {
  if (!can_run()) return std::nullopt;
  const double alpha = 1 - confidence;
  const size_t end = 2 * unique_.size();
  const size_t centre = PositionOf(Shift());
  size_t low = centre;
  size_t high = centre;
  if (Accepts(centre, alpha)) {
    low = LastAccepted(centre, 0, alpha);
    high = LastAccepted(centre, end, alpha);
  }
  if (low == 0 || high == end) return std::nullopt;

  // Ties come and go along the way, so the p-value is not strictly monotone.
  // Where halving and the test of 0 disagree, the test decides.
  const size_t zero = PositionOf(0);
  const bool zero_accepted = Test().p >= alpha;
  if (zero_accepted) {
    low = std::min(low, zero);
    high = std::max(high, zero);
  } else if (zero >= low && zero < centre) {
    low = zero + 1;
  } else if (zero <= high && zero > centre) {
    high = zero - 1;
  }
  if (low == 0 || high == end) return std::nullopt;
  const auto low_end = [&] {
    return low % 2 == 1 ? unique_[low / 2] : unique_[low / 2 - 1];
  };
  return Interval{low_end(), unique_[high / 2]};
}

}  // namespace hackbench::results
