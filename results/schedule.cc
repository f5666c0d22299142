// SPDX-License-Identifier: MIT
#include "results/schedule.h"

#include <absl/status/status.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "results/random.h"

namespace hackbench::results {
namespace {

constexpr std::array<std::pair<std::string_view, Order>, 4> kOrders = {
    {{"block4", Order::kBlock4},
     {"abba", Order::kAbba},
     {"pair", Order::kPair},
     {"seq", Order::kSeq}}};

std::vector<int64_t> ArmsOfBlock(const SchedulePlan& plan, int64_t block,
                                 int64_t blocks) {
  std::vector<int64_t> arms;
  if (plan.order == Order::kSeq) {
    if (block != 0) return arms;
    for (int64_t arm = 0; arm < plan.arms; ++arm) {
      arms.insert(arms.end(), static_cast<size_t>(plan.PerBlock() * blocks),
                  arm);
    }
    return arms;
  }
  for (int64_t arm = 0; arm < plan.arms; ++arm) arms.push_back(arm);
  if (plan.order == Order::kAbba) {
    // Every other block starts from the far end.
    if (block % 2 == 1) std::reverse(arms.begin(), arms.end());
    for (size_t i = arms.size(); i > 0; --i) arms.push_back(arms[i - 1]);
    return arms;
  }
  if (plan.order == Order::kBlock4) {
    for (int64_t arm = 0; arm < plan.arms; ++arm) arms.push_back(arm);
  }
  Random random(plan.seed, static_cast<uint64_t>(block));
  random.Shuffle(std::span(arms));
  return arms;
}

}  // namespace

absl::StatusOr<Order> ParseOrder(std::string_view name) {
  for (const auto& [known, order] : kOrders) {
    if (known == name) return order;
  }
  return absl::InvalidArgumentError(fmt::format(
      "unknown --order '{}'; choices: block4, abba, pair, seq", name));
}

std::string_view OrderName(Order order) {
  for (const auto& [name, known] : kOrders) {
    if (known == order) return name;
  }
  return "";
}

std::vector<StoredSlot> WarmupSlots(const SchedulePlan& plan, int64_t shard) {
  const int64_t count = plan.warmups * plan.arms;
  std::vector<StoredSlot> slots;
  for (int64_t i = 0; i < count; ++i) {
    slots.push_back({.seq = -(shard * count + i) - 1,
                     .block = -1,
                     .pos = i,
                     .arm = i % plan.arms,
                     .role = "warmup",
                     .shard = shard});
  }
  return slots;
}

std::vector<StoredSlot> BlockSlots(const SchedulePlan& plan, int64_t block,
                                   int64_t blocks) {
  std::vector<StoredSlot> slots;
  int64_t pos = 0;
  for (const int64_t arm : ArmsOfBlock(plan, block, blocks)) {
    slots.push_back({.seq = block * plan.BlockSize() + pos,
                     .block = block,
                     .pos = pos,
                     .arm = arm,
                     .role = "measure",
                     .shard = block % plan.shards});
    ++pos;
  }
  return slots;
}

}  // namespace hackbench::results
