// SPDX-License-Identifier: MIT
// How often the verdicts are wrong: A/A and A/B under noise as machines make
// it. The same noise under other designs and rules shows that it bites, so the
// bounds on ours can fail. HACKBENCH_FULL=1 draws ten times as much.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "results/comparison.h"
#include "results/random.h"
#include "results/schedule.h"
#include "results/two_sample.h"

namespace hackbench::results {
namespace {

enum class Noise { kIndependent, kDrift, kStep, kAr1, kTail, kBimodal };
constexpr Noise kNoises[] = {Noise::kIndependent, Noise::kDrift,
                             Noise::kStep,        Noise::kAr1,
                             Noise::kTail,        Noise::kBimodal};

int Rounds() { return std::getenv("HACKBENCH_FULL") != nullptr ? 5000 : 500; }

double Normal(Random& random) {
  return std::sqrt(-2 * std::log(random.Unit())) *
         std::cos(2 * 3.14159265358979323846 * random.Unit());
}

// Logarithms of the times of `count` launches in a row on a machine with this
// noise, with a coefficient of variation of 3 %.
std::vector<double> Session(Noise noise, size_t count, Random& random) {
  constexpr double kCov = 0.03;
  std::vector<double> logs(count);
  double state = Normal(random);
  const size_t step_at = random.Below(count);
  for (size_t i = 0; i < count; ++i) {
    const double place = static_cast<double>(i) / static_cast<double>(count);
    double value = Normal(random);
    if (noise == Noise::kAr1) {
      constexpr double kRho = 0.9;
      state = kRho * state + std::sqrt(1 - kRho * kRho) * value;
      value = state;
    }
    logs[i] = kCov * value;
    if (noise == Noise::kDrift) logs[i] += 0.06 * place;
    if (noise == Noise::kStep && i >= step_at) logs[i] += 0.05;
    if (noise == Noise::kTail && random.Unit() < 0.05) {
      logs[i] += 0.1 + 0.2 * random.Unit();
    }
    if (noise == Noise::kBimodal) {
      // Two modes 1.73 deviations apart and half a deviation wide: 3 % in all.
      logs[i] = 0.5 * kCov * value + (random.Unit() < 0.5 ? 0 : 1.73 * kCov);
    }
  }
  return logs;
}

// What our schedule makes of a session; B takes `effect` more.
std::vector<Block> Interleaved(const std::vector<double>& logs, double effect,
                               int64_t blocks, uint64_t seed) {
  const SchedulePlan plan{.seed = seed};
  std::vector<Block> result(static_cast<size_t>(blocks));
  size_t at = 0;
  for (int64_t block = 0; block < blocks; ++block) {
    for (const StoredSlot& slot : BlockSlots(plan, block, blocks)) {
      Block& to = result[static_cast<size_t>(block)];
      const double log = logs[at++] + (slot.arm == 1 ? std::log1p(effect) : 0);
      (slot.arm == 1 ? to.b : to.a).push_back(std::exp(log));
    }
  }
  return result;
}

struct Rates {
  double significant = 0;
  double covered = 0;
  double said_faster_or_slower = 0;
};

Rates Play(Noise noise, double effect, int64_t blocks, uint64_t seed) {
  Random random(seed);
  const int rounds = Rounds();
  Rates rates;
  for (int i = 0; i < rounds; ++i) {
    const std::vector<double> logs =
        Session(noise, static_cast<size_t>(4 * blocks), random);
    absl::StatusOr<Comparison> row =
        ComparePaired(Interleaved(logs, effect, blocks, random.Next()), {});
    EXPECT_TRUE(row.ok());
    Comparison* family[] = {&*row};
    Judge(family, Adjust::kHolm);
    rates.significant += row->real;
    rates.covered += row->interval && row->interval->low <= effect &&
                     row->interval->high >= effect;
    rates.said_faster_or_slower +=
        row->verdict == Verdict::kFaster || row->verdict == Verdict::kSlower;
  }
  rates.significant /= rounds;
  rates.covered /= rounds;
  rates.said_faster_or_slower /= rounds;
  return rates;
}

// 6.5 %, or as much as the level of 5 % shows by chance in so few rounds.
double MostFalse() {
  const double error = std::sqrt(0.05 * 0.95 / Rounds());
  return std::max(0.065, 0.05 + 3 * error);
}

TEST(ErrorRateTest, EqualArmsRarelyDiffer) {
  for (const Noise noise : kNoises) {
    const Rates rates = Play(noise, 0, 6, 100 + static_cast<uint64_t>(noise));
    EXPECT_LE(rates.significant, MostFalse()) << static_cast<int>(noise);
    EXPECT_LE(rates.said_faster_or_slower, 0.05) << static_cast<int>(noise);
  }
}

TEST(ErrorRateTest, TheIntervalCoversTheTruth) {
  for (const Noise noise : kNoises) {
    const Rates rates =
        Play(noise, 0.03, 6, 200 + static_cast<uint64_t>(noise));
    EXPECT_GE(rates.covered, 0.93) << static_cast<int>(noise);
  }
}

// 15.7 (CoV/effect)^2 = 16 launches an arm for 80 %: 8 blocks. Ten blocks give
// it under every noise but a heavy tail: there a slow launch moves the centre
// of its whole block.
TEST(ErrorRateTest, ThreePercentIsFound) {
  EXPECT_GE(Play(Noise::kIndependent, 0.03, 8, 300).significant, 0.70);
  for (const Noise noise : kNoises) {
    const Rates rates =
        Play(noise, 0.03, 10, 310 + static_cast<uint64_t>(noise));
    EXPECT_GE(rates.significant, noise == Noise::kTail ? 0.50 : 0.70)
        << static_cast<int>(noise);
  }
}

// The control: all of A, then all of B, and the usual tests.
TEST(ErrorRateTest, SequentialDesignsAreFooledByTheSameNoise) {
  for (const Noise noise : {Noise::kDrift, Noise::kStep, Noise::kAr1}) {
    Random random(400);
    int by_welch = 0;
    int by_ranks = 0;
    constexpr int kRounds = 500;
    for (int i = 0; i < kRounds; ++i) {
      const std::vector<double> logs = Session(noise, 24, random);
      const std::span<const double> a(logs.data(), 12);
      const std::span<const double> b(logs.data() + 12, 12);
      by_welch += Welch(a, b).p < 0.05;
      by_ranks += MannWhitney(a, b).p < 0.05;
    }
    EXPECT_GT(by_welch, kRounds / 5);
    EXPECT_GT(by_ranks, kRounds / 5);
  }
}

// The other control: looking at p after each block finds what is not there.
TEST(ErrorRateTest, PeekingAtPWouldFindWhatIsNotThere) {
  Random random(500);
  int found = 0;
  constexpr int kRounds = 200;
  for (int i = 0; i < kRounds; ++i) {
    const std::vector<double> logs = Session(Noise::kIndependent, 80, random);
    const std::vector<Block> blocks = Interleaved(logs, 0, 20, random.Next());
    for (size_t n = 3; n <= blocks.size(); ++n) {
      const auto row = ComparePaired(std::span(blocks).first(n), {});
      if (row->p < 0.05) {
        ++found;
        break;
      }
    }
  }
  EXPECT_GT(found, kRounds * 12 / 100);
}

// And stopping by width, as the runner does, does not.
TEST(ErrorRateTest, StoppingByWidthKeepsTheLevel) {
  Random random(600);
  int found = 0;
  const int rounds = Rounds() / 4;
  for (int i = 0; i < rounds; ++i) {
    const std::vector<double> logs = Session(Noise::kIndependent, 160, random);
    const std::vector<Block> blocks = Interleaved(logs, 0, 40, random.Next());
    for (size_t n = 6; n <= blocks.size(); ++n) {
      const auto row = ComparePaired(std::span(blocks).first(n), {});
      const std::optional<double> half = row->HalfWidth();
      if ((half && *half <= 0.02) || n == blocks.size()) {
        found += row->p < 0.05;
        break;
      }
    }
  }
  EXPECT_LE(static_cast<double>(found) / rounds, 0.075);
}

}  // namespace
}  // namespace hackbench::results
