// SPDX-License-Identifier: MIT
// One line of shared memory per task, where it tells main how far it is.
//
// Mapped MAP_SHARED before the first fork, so one address serves processes and
// threads alike. Each slot fills its own cache line and only its task writes
// it: progress costs one store to an owned line per message.
#pragma once

#include <absl/status/status.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hackbench/user_steps.h"

namespace hackbench {

// The step at which a task gave up; TaskSlot::fault_value says more.
enum class Fault : uint32_t {
  kNone,
  kReady,      // errno of the write that says ready.
  kWake,       // errno of the wait for the start.
  kOrphan,     // Main is gone.
  kRead,       // errno.
  kWrite,      // errno.
  kEndOfFile,  // The channel closed before all messages came.
  kLost,       // Verify: sender and sequence jumped ahead.
  kRepeated,   // Verify: a sequence number came again.
  kTorn,       // Verify: the payload is not one sender's message.
  kMisrouted,  // Verify: written for another receiver or group.
  kNoMemory,   // User plane: the allocator had none.
  kLock,       // User plane: a lock gave up; the LockResult.
  kNoPeer,     // User plane: the endpoint table has no such receiver.
};

struct alignas(64) TaskSlot {
  std::atomic<uint64_t> messages;    // Sent or received so far.
  std::atomic<uint64_t> part_bytes;  // Of large messages, as pieces arrive.
  std::atomic<int64_t> finished_ns;  // Monotonic, after the last message.
  std::atomic<int32_t> tid;          // Kernel id of the task.
  std::atomic<Fault> fault;
  std::atomic<uint64_t> fault_value;  // errno, or the sender concerned.
  std::atomic<Step> step;             // User plane: of the message at hand.
};
static_assert(sizeof(TaskSlot) == 64);
static_assert(std::atomic<uint64_t>::is_always_lock_free);

class TaskBoard {
 public:
  TaskBoard() = default;
  TaskBoard(const TaskBoard&) = delete;
  TaskBoard& operator=(const TaskBoard&) = delete;
  ~TaskBoard();

  // Maps zeroed slots for `tasks` tasks and `extra_bytes` behind them.
  absl::Status Map(size_t tasks, size_t extra_bytes);

  // Zeroes everything, for the next launch.
  void Clear();

  TaskSlot& slot(size_t task) { return slots_[task]; }
  std::span<TaskSlot> slots() { return slots_; }
  // Aligned as a slot is.
  void* extra() { return extra_; }

 private:
  std::span<TaskSlot> slots_;
  std::byte* extra_ = nullptr;
  size_t mapped_bytes_ = 0;
};

}  // namespace hackbench
