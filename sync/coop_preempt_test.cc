// SPDX-License-Identifier: MIT
#include "sync/coop_preempt.h"

#include <gtest/gtest.h>

#include <vector>

namespace hackbench::sync {
namespace {

// One task alone, on whichever CPU: all lines hold the same request.
class CoopPreemptTest : public testing::Test {
 protected:
  CoopPreemptTest() : requests_(4096) {
    coop_state = {.requests = requests_.data(),
                  .num_cpus = static_cast<uint32_t>(requests_.size())};
  }
  ~CoopPreemptTest() override { coop_state = {}; }

  void Tick(uint32_t ticks) {
    for (CpuRequest& request : requests_) request.ticks = ticks;
  }
  // Whether `point` switches after so many ticks.
  template <class Point>
  bool Switches(uint32_t ticks, Point point) {
    Tick(ticks);
    const uint64_t before = coop_state.switches;
    point();
    return coop_state.switches != before;
  }

  std::vector<CpuRequest> requests_;
};

TEST_F(CoopPreemptTest, NothingIsHonouredWithoutARequest) {
  EXPECT_FALSE(Switches(0, CoopNone::UserReturn));
  EXPECT_FALSE(Switches(0, CoopVoluntary::MightSleep));
  CoopFull::Disable();
  EXPECT_FALSE(Switches(0, CoopFull::Enable));
}

TEST_F(CoopPreemptTest, EveryModelSwitchesOnTheReturnToUserSpace) {
  EXPECT_TRUE(Switches(1, CoopNone::UserReturn));
  EXPECT_TRUE(Switches(1, CoopVoluntary::UserReturn));
  EXPECT_TRUE(Switches(1, CoopFull::UserReturn));
  EXPECT_TRUE(Switches(1, CoopLazy::UserReturn));
}

TEST_F(CoopPreemptTest, OnlyVoluntarySwitchesWhereItMightSleep) {
  EXPECT_FALSE(Switches(1, CoopNone::MightSleep));
  EXPECT_TRUE(Switches(1, CoopVoluntary::MightSleep));
  EXPECT_FALSE(Switches(1, CoopFull::MightSleep));
}

TEST_F(CoopPreemptTest, FullSwitchesWhereTheLastLockIsReleased) {
  CoopFull::Disable();
  CoopFull::Disable();
  EXPECT_FALSE(Switches(1, CoopFull::Enable));
  EXPECT_TRUE(Switches(1, CoopFull::Enable));
  CoopNone::Disable();
  EXPECT_FALSE(Switches(1, CoopNone::Enable));
}

TEST_F(CoopPreemptTest, LazyWaitsForTheSecondTick) {
  CoopLazy::Disable();
  EXPECT_FALSE(Switches(1, CoopLazy::Enable));
  CoopLazy::Disable();
  EXPECT_TRUE(Switches(2, CoopLazy::Enable));
}

TEST_F(CoopPreemptTest, ASleepAnswersTheRequest) {
  Tick(1);
  // Says nothing when the task was moved between.
  CpuRequest* const request = CoopRequest();
  CoopSlept();
  if (request == CoopRequest()) {
    EXPECT_EQ(request->ticks, 0);
  }
}

TEST_F(CoopPreemptTest, NobodyTicksWithoutAPage) {
  coop_state.requests = nullptr;
  CoopNone::UserReturn();
  CoopSlept();
  EXPECT_EQ(coop_state.switches, 0);
}

TEST_F(CoopPreemptTest, ACpuBeyondThePageAsksForNothing) {
  coop_state.num_cpus = 0;
  EXPECT_FALSE(Switches(5, CoopNone::UserReturn));
}

}  // namespace
}  // namespace hackbench::sync
