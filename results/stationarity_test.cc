// SPDX-License-Identifier: MIT
#include "results/stationarity.h"

#include <gtest/gtest.h>

#include <cmath>

#include "results/random.h"

namespace hackbench::results {
namespace {

using Arms = std::vector<std::vector<Observation>>;

// Two arms in turns, B 10 % above A, with what `effect` adds to a launch.
template <typename Effect>
Arms Session(uint64_t seed, Effect effect) {
  Random random(seed);
  Arms arms(2);
  for (int64_t i = 0; i < 48; ++i) {
    const double noise = 0.02 * (random.Unit() - 0.5);
    // Each arm is first in every other block.
    const int64_t arm = (i + i / 4) % 2;
    const double level = arm == 0 ? 1 : 1.1;
    arms[static_cast<size_t>(arm)].push_back(
        {i, i % 4, level * std::exp(noise + effect(i, random))});
  }
  return arms;
}

bool Says(const std::vector<std::string>& hints, const std::string& text) {
  for (const std::string& hint : hints) {
    if (hint.find(text) != std::string::npos) return true;
  }
  return false;
}

TEST(StationarityTest, ACalmSessionHasNoHints) {
  int hints = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    hints += static_cast<int>(SessionHints(Session(seed, [](int64_t, Random&) {
                                return 0.0;
                              })).size());
  }
  EXPECT_LE(hints, 6);  // Three looks at 1 % each, fifty times.
}

TEST(StationarityTest, DriftIsSaidWithItsSize) {
  const auto hints = SessionHints(Session(
      1, [](int64_t i, Random&) { return 0.001 * static_cast<double>(i); }));
  EXPECT_TRUE(Says(hints, "drifted: the last third took +3"));
}

TEST(StationarityTest, NeighboursAndFirstPlacesAreSaid) {
  double state = 0;
  EXPECT_TRUE(Says(SessionHints(Session(2,
                                        [&](int64_t, Random& random) {
                                          state = 0.9 * state +
                                                  0.02 * (random.Unit() - 0.5);
                                          return state;
                                        })),
                   "neighbours"));
  EXPECT_TRUE(
      Says(SessionHints(Session(
               3, [](int64_t i, Random&) { return i % 4 == 0 ? 0.05 : 0.0; })),
           "first launch of a block takes +4"));
}

TEST(StationarityTest, FewOrEqualLaunchesSayNothing) {
  EXPECT_TRUE(SessionHints(Arms(2)).empty());
  Arms equal(1);
  for (int64_t i = 0; i < 20; ++i) equal[0].push_back({i, i % 4, 1.0});
  EXPECT_TRUE(SessionHints(equal).empty());
}

}  // namespace
}  // namespace hackbench::results
