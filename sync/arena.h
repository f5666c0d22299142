// SPDX-License-Identifier: MIT
// The memory that all tasks of a run share: the abort flag, a record per task,
// the nodes and bells that locks wait with, and room for the locks themselves.
//
// Map it before the first fork or thread and unmap it after the last task is
// gone: the kernel may still write into it when a task dies. Inside, everything
// is named by offset or index.
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>

#include "sync/access.h"
#include "sync/node.h"

namespace hackbench::sync {

inline constexpr uint32_t kNodesPerTask = 4;
inline constexpr uint32_t kNumBells = 256;
inline constexpr uint32_t kMaxHeld = 30;
inline constexpr uint32_t kMaxNodes = 65536;  // queued names them in 16 bits.

enum class AbortReason : uint32_t { kNone, kTaskDied, kDeadline, kFailure };

struct alignas(64) RunState {
  uint32_t aborted;  // An AbortReason.
};

// Where those sleep who wait for a word that names no sleepers: `sequence` is
// the futex, `sleepers` tells the waker whether it must call the kernel.
struct alignas(64) Bell {
  uint32_t sequence;
  uint32_t sleepers;
};

// Written by its task alone, read by whoever looks for the dead.
struct alignas(64) TaskRecord {
  int32_t tid;
  Phase phase;     // As the task's own loop says; kOwner while it holds.
  uint32_t lock;   // Offset of the lock concerned.
  uint32_t waits;  // Offset of the lock it queues for; 0 when none.
  uint32_t num_held;
  uint32_t held[kMaxHeld];  // Offsets of the resilient locks it holds.
};

struct ArenaConfig {
  uint32_t tasks = 1;
  uint32_t spare_nodes = 64;  // For locks that own one (clh).
  size_t lock_bytes = 65536;  // Room for locks and what they guard.
};

class Arena {
 public:
  // InvalidArgument when the nodes of so many tasks cannot be named.
  static absl::StatusOr<Arena> Map(const ArenaConfig& config);
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&&) = delete;
  ~Arena();

  // Zeroed bytes on lines of their own; null when there is no more room.
  void* Allocate(size_t bytes);
  // Everything zero again, for the next run. No task may be alive.
  void Clear();

  // A node that belongs to no task; 0 when there is none left.
  uint32_t TakeSpareNode();

  uint32_t OffsetOf(const void* address) const {
    return static_cast<uint32_t>(static_cast<const std::byte*>(address) -
                                 base_);
  }
  RunState& run() const { return *run_; }
  Bell* bells() const { return bells_; }
  Node* nodes() const { return nodes_; }
  TaskRecord* tasks() const { return tasks_; }
  uint32_t num_tasks() const { return config_.tasks; }
  uint32_t num_nodes() const {
    return 1 + config_.tasks * kNodesPerTask + config_.spare_nodes;
  }

  // The first reason stands.
  void Abort(AbortReason reason) const;
  AbortReason abort_reason() const {
    return static_cast<AbortReason>(LoadAcquire(&run_->aborted));
  }

 private:
  Arena() = default;

  ArenaConfig config_;
  std::byte* base_ = nullptr;
  size_t bytes_ = 0;
  size_t used_ = 0;
  size_t lock_area_ = 0;
  uint32_t spare_used_ = 0;
  RunState* run_ = nullptr;
  Bell* bells_ = nullptr;
  TaskRecord* tasks_ = nullptr;
  Node* nodes_ = nullptr;
};

}  // namespace hackbench::sync
