// SPDX-License-Identifier: MIT
// Which arm runs when. A plan is a pure function of order, number of arms and
// seed: a block can be rebuilt, appended or given to another machine.
//
//   block4  each arm twice per block, in random order: the default. Random
//           order does not fall in step with anything periodic on the machine
//   abba    there and back: A B C C B A. Drift that is straight cancels
//   pair    each arm once per block, in random order
//   seq     all of A, then all of B: only where a change of arm is so dear that
//           it must be rare. Drift is not controlled, and rows say so
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "results/store.h"

namespace hackbench::results {

enum class Order { kBlock4, kAbba, kPair, kSeq };

absl::StatusOr<Order> ParseOrder(std::string_view name);
std::string_view OrderName(Order order);

struct SchedulePlan {
  Order order = Order::kBlock4;
  int64_t arms = 2;
  uint64_t seed = 0;
  int64_t warmups = 1;  // Per arm.
  int64_t shards = 1;

  int64_t PerBlock() const { return order == Order::kPair ? 1 : 2; }
  // Launches of a block.
  int64_t BlockSize() const { return arms * PerBlock(); }
};

// Warm-ups of one shard, before its first block. Their numbers do not depend on
// how many blocks follow.
std::vector<StoredSlot> WarmupSlots(const SchedulePlan& plan, int64_t shard);

// Block `block` of the plan, which shard block % shards runs. For kSeq: the
// `blocks` together, arm after arm, when asked for block 0, and nothing else.
std::vector<StoredSlot> BlockSlots(const SchedulePlan& plan, int64_t block,
                                   int64_t blocks);

}  // namespace hackbench::results
