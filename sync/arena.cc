// SPDX-License-Identifier: MIT
#include "sync/arena.h"

#include <absl/strings/str_cat.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "atomics/cmpxchg.h"
#include "sync/futex.h"

namespace hackbench::sync {
namespace {

// Two lines: a neighbour's prefetcher fetches them in pairs.
constexpr size_t kAlign = 128;

constexpr size_t Align(size_t bytes) {
  return (bytes + kAlign - 1) & ~(kAlign - 1);
}

}  // namespace

absl::StatusOr<Arena> Arena::Map(const ArenaConfig& config) {
  Arena arena;
  arena.config_ = config;
  constexpr uint32_t kMaxTasks = (kMaxNodes - 1) / kNodesPerTask;
  if (config.tasks == 0 || config.tasks > kMaxTasks ||
      arena.num_nodes() > kMaxNodes) {
    return absl::InvalidArgumentError(absl::StrCat(
        config.tasks, " tasks with ", kNodesPerTask, " nodes each and ",
        config.spare_nodes, " spare ones cannot be named in 16 bits; at most ",
        (kMaxNodes - 1 - config.spare_nodes) / kNodesPerTask, " can"));
  }
  const size_t bells = Align(sizeof(RunState));
  const size_t tasks = bells + Align(kNumBells * sizeof(Bell));
  const size_t nodes = tasks + Align(config.tasks * sizeof(TaskRecord));
  arena.lock_area_ = nodes + Align(arena.num_nodes() * sizeof(Node));
  arena.used_ = arena.lock_area_;
  arena.bytes_ = arena.lock_area_ + Align(config.lock_bytes);
  void* memory = mmap(nullptr, arena.bytes_, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return absl::ErrnoToStatus(
        errno, absl::StrCat("mmap of ", arena.bytes_, " bytes for locks"));
  }
  arena.base_ = static_cast<std::byte*>(memory);
  arena.run_ = reinterpret_cast<RunState*>(arena.base_);
  arena.bells_ = reinterpret_cast<Bell*>(arena.base_ + bells);
  arena.tasks_ = reinterpret_cast<TaskRecord*>(arena.base_ + tasks);
  arena.nodes_ = reinterpret_cast<Node*>(arena.base_ + nodes);
  return arena;
}

Arena::Arena(Arena&& other) noexcept
    : config_(other.config_),
      base_(std::exchange(other.base_, nullptr)),
      bytes_(other.bytes_),
      used_(other.used_),
      lock_area_(other.lock_area_),
      spare_used_(other.spare_used_),
      run_(other.run_),
      bells_(other.bells_),
      tasks_(other.tasks_),
      nodes_(other.nodes_) {}

Arena::~Arena() {
  if (base_ != nullptr) munmap(base_, bytes_);
}

void* Arena::Allocate(size_t bytes) {
  const size_t end = used_ + Align(bytes);
  if (end > bytes_ || end < used_) return nullptr;
  void* memory = base_ + used_;
  used_ = end;
  return memory;
}

void Arena::Clear() {
  std::memset(base_, 0, used_);
  used_ = lock_area_;
  spare_used_ = 0;
}

uint32_t Arena::TakeSpareNode() {
  if (spare_used_ == config_.spare_nodes) return 0;
  return 1 + config_.tasks * kNodesPerTask + spare_used_++;
}

void Arena::Abort(AbortReason reason) const {
  uint32_t none = 0;
  atomics::Cmpxchg(&run_->aborted, none, static_cast<uint32_t>(reason));
  // Those who sleep look by themselves every 100 ms; this only is kinder.
  for (uint32_t i = 0; i < kNumBells; ++i) {
    atomics::FetchAdd(&bells_[i].sequence, 1);
    if (LoadAcquire(&bells_[i].sleepers) != 0) {
      FutexWakeAll<Scope::kShared>(&bells_[i].sequence);
    }
  }
}

}  // namespace hackbench::sync
