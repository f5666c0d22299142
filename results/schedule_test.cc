// SPDX-License-Identifier: MIT
#include "results/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "results/random.h"

namespace hackbench::results {
namespace {

std::vector<int64_t> ArmsOf(const SchedulePlan& plan, int64_t block,
                            int64_t blocks = 6) {
  std::vector<int64_t> arms;
  for (const StoredSlot& slot : BlockSlots(plan, block, blocks)) {
    arms.push_back(slot.arm);
  }
  return arms;
}

TEST(ScheduleTest, ABlockOfFourHoldsEachArmTwice) {
  const SchedulePlan plan{.seed = 7};
  std::map<std::vector<int64_t>, int> orders;
  for (int64_t block = 0; block < 6000; ++block) {
    const std::vector<int64_t> arms = ArmsOf(plan, block);
    EXPECT_EQ(std::count(arms.begin(), arms.end(), 0), 2);
    EXPECT_EQ(std::count(arms.begin(), arms.end(), 1), 2);
    ++orders[arms];
  }
  // All six orders of AABB, none preferred.
  ASSERT_EQ(orders.size(), 6u);
  for (const auto& [order, count] : orders) EXPECT_NEAR(count, 1000, 150);
}

TEST(ScheduleTest, IsAFunctionOfTheSeed) {
  const SchedulePlan plan{.arms = 5, .seed = 42};
  const SchedulePlan same{.arms = 5, .seed = 42};
  const SchedulePlan other{.arms = 5, .seed = 43};
  int differ = 0;
  for (int64_t block = 0; block < 20; ++block) {
    EXPECT_EQ(BlockSlots(plan, block, 6), BlockSlots(same, block, 6));
    // Nor of how many blocks there are.
    EXPECT_EQ(BlockSlots(plan, block, 6), BlockSlots(plan, block, 40));
    differ += ArmsOf(plan, block) != ArmsOf(other, block);
  }
  EXPECT_GT(differ, 15);
}

TEST(ScheduleTest, ThePlanOfASeedNeverChanges) {
  // Stored seeds must rebuild their plans in every later version.
  Random random(1);
  EXPECT_EQ(random.Next(), 0x910a2dec89025cc1u);
  EXPECT_EQ(random.Next(), 0xbeeb8da1658eec67u);
}

TEST(ScheduleTest, OtherOrders) {
  using Arms = std::vector<int64_t>;
  const SchedulePlan abba{.order = Order::kAbba, .arms = 3};
  EXPECT_EQ(ArmsOf(abba, 0), (Arms{0, 1, 2, 2, 1, 0}));
  EXPECT_EQ(ArmsOf(abba, 1), (Arms{2, 1, 0, 0, 1, 2}));
  const SchedulePlan seq{.order = Order::kSeq};
  EXPECT_EQ(ArmsOf(seq, 0, 2), (Arms{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(ArmsOf(seq, 1, 2), Arms());
  const SchedulePlan pair{.order = Order::kPair, .seed = 3};
  std::set<Arms> seen;
  for (int64_t block = 0; block < 50; ++block) seen.insert(ArmsOf(pair, block));
  EXPECT_EQ(seen, (std::set<Arms>{{0, 1}, {1, 0}}));
  for (const Order order :
       {Order::kBlock4, Order::kAbba, Order::kPair, Order::kSeq}) {
    EXPECT_EQ(*ParseOrder(OrderName(order)), order);
  }
  EXPECT_FALSE(ParseOrder("abab").ok());
}

TEST(ScheduleTest, SlotsAreNumberedOnceAndSharesAreWholeBlocks) {
  const SchedulePlan plan{.arms = 3, .seed = 9, .warmups = 2, .shards = 4};
  std::set<int64_t> numbers;
  size_t count = 0;
  for (int64_t shard = 0; shard < 4; ++shard) {
    for (const StoredSlot& slot : WarmupSlots(plan, shard)) {
      numbers.insert(slot.seq);
      ++count;
      EXPECT_EQ(slot.role, "warmup");
    }
  }
  for (int64_t block = 0; block < 10; ++block) {
    for (const StoredSlot& slot : BlockSlots(plan, block, 10)) {
      numbers.insert(slot.seq);
      ++count;
      EXPECT_EQ(slot.shard, block % 4);
    }
  }
  EXPECT_EQ(numbers.size(), count);
  EXPECT_EQ(count, 4u * 6 + 10 * 6);
}

TEST(RandomTest, BelowIsFair) {
  Random random(5);
  int counts[7] = {};
  for (int i = 0; i < 70000; ++i) ++counts[random.Below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 400);
}

}  // namespace
}  // namespace hackbench::results
