// SPDX-License-Identifier: MIT
// Who takes locks: its nodes, its budgets, its abort flag, its events.
//
// One per task where tasks are threads or processes: the kernel may move a task
// at any time, and a node of the CPU would be used again while its owner waits
// off it. One per CPU where the CPU is modelled. Not copied, not used by two
// tasks at once; make it in the task itself, after fork, for it asks for the
// kernel's id.
#pragma once

#include <unistd.h>

#include <array>
#include <bit>
#include <cstdint>

#include "sync/access.h"
#include "sync/arena.h"
#include "sync/lock_events.h"
#include "sync/wait_budget.h"

namespace hackbench::sync {

class Waiter {
 public:
  // Task `task` of the arena, counted from 0.
  Waiter(Arena& arena, uint32_t task, const WaitBudget& wait_budget = {})
      : budget(wait_budget),
        tid(static_cast<uint32_t>(gettid())),
        arena_(&arena),
        run_(&arena.run()),
        nodes_(arena.nodes()),
        record_(&arena.tasks()[task]),
        task_(task) {
    for (uint32_t slot = 0; slot < kNodesPerTask; ++slot) {
      slots_[slot] = 1 + task * kNodesPerTask + slot;
      nodes_[slots_[slot]].task = task;
    }
    // relaxed: read after a death, which orders everything.
    StoreRelaxed(&record_->tid, static_cast<int32_t>(tid));
  }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  bool Aborted() const { return LoadRelaxed(&run_->aborted) != 0; }

  bool HasNode() const { return free_slots_ != 0; }
  // A free node's index, or 0 when all are in use.
  uint32_t TakeNode() {
    if (free_slots_ == 0) return 0;
    const auto slot = static_cast<uint32_t>(std::countr_zero(free_slots_));
    free_slots_ &= free_slots_ - 1;
    const uint32_t node = slots_[slot];
    nodes_[node].numa_node = numa_node;
    return node;
  }
  void ReturnNode(uint32_t node) { ReplaceNode(node, node); }
  // Gives up `mine` for `other` (clh); both may be the same.
  void ReplaceNode(uint32_t mine, uint32_t other) {
    for (uint32_t slot = 0; slot < kNodesPerTask; ++slot) {
      if (slots_[slot] != mine) continue;
      slots_[slot] = other;
      nodes_[other].task = task_;
      // relaxed: for the dead task's report only.
      StoreRelaxed(&nodes_[other].phase, Phase::kIdle);
      free_slots_ |= 1U << slot;
      return;
    }
  }

  Node& node(uint32_t index) const { return nodes_[index]; }
  TaskRecord& record() const { return *record_; }
  Arena& arena() const { return *arena_; }
  uint32_t task() const { return task_; }

  // The bell of a lock: the same in every process.
  Bell& BellOf(const void* lock) const {
    const uint32_t line = arena_->OffsetOf(lock) / 64;
    return arena_->bells()[(line * 2654435761U) >> 24];
  }

  WaitBudget budget;
  LockEvents events;
  uint32_t numa_node = 0;
  const uint32_t tid;

 private:
  Arena* arena_;
  RunState* run_;
  Node* nodes_;
  TaskRecord* record_;
  uint32_t task_;
  uint32_t free_slots_ = (1U << kNodesPerTask) - 1;
  std::array<uint32_t, kNodesPerTask> slots_ = {};
};
static_assert(kNumBells == 256, "BellOf() takes the top eight bits");

}  // namespace hackbench::sync
