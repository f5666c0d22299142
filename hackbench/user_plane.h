// SPDX-License-Identifier: MIT
// The user plane of a run: our own copy of what the kernel does for a message,
// in memory that all tasks share.
//
// Made once, before the first fork; Reset() before every launch, when no task
// is alive. The allocator keeps its slabs from one launch to the next, locks
// and queues are made anew.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hackbench/plan.h"
#include "hackbench/shared_map.h"
#include "hackbench/ticker.h"
#include "hackbench/user_task.h"

namespace hackbench {

struct UserLoops;

class UserPlane {
 public:
  static absl::StatusOr<std::unique_ptr<UserPlane>> Create(const RunPlan& plan);

  // ResourceExhausted when the locks need more than the arena has.
  absl::Status Reset();

  // Ticks from here on, when the model has a tick.
  void StartTicker();
  void StopTicker();

  // The whole work of a task, in the task. False after a fault.
  bool RunTask(const TaskContext& context);

  // When all tasks have ended well. DataLoss when something is left that
  // belongs to nobody: objects, messages, holds, tokens.
  absl::Status Audit();

  // After the death of a task, all others gone too: what the dead left behind.
  std::string DescribeRemains();

  UserFigures Collect() const;

 private:
  explicit UserPlane(const RunPlan& plan) : plan_(plan), parts_(*plan.user) {}

  absl::Status MakeHeap();
  absl::Status MakeArena();
  absl::Status MakeShared();
  void Measure();

  uint64_t endpoints() const { return plan_.tasks / 2; }
  const UserLoops& loops() const;
  size_t TableBytes() const;
  // False when the arena is full.
  bool MakeTable(uint32_t group);
  bool MakeEndpoint(uint32_t group, uint32_t receiver);
  EndpointHead& EndpointAt(uint64_t number) const;
  // What nobody will take.
  struct Remains {
    uint64_t entries = 0;  // Messages, or pages of a pipe.
    uint64_t sleepers = 0;
    uint64_t tokens = 0;
  };
  Remains LeftInQueues() const;
  uint64_t LeftHolds() const;
  UserTally Sum() const;

  const RunPlan& plan_;
  const UserParts& parts_;
  std::unique_ptr<alloc::Heap> heap_;
  std::unique_ptr<alloc::AnyAllocator> allocator_;
  std::optional<sync::Arena> arena_;
  SharedMap rings_;
  SharedMap tallies_;
  SharedMap requests_;
  std::vector<EndpointTable> tables_;
  std::optional<Ticker> ticker_;
  alloc::Statistics slab_before_;
  uint64_t ticks_ = 0;
  UserRun run_;
};

}  // namespace hackbench
