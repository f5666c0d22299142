// SPDX-License-Identifier: MIT
// What happened in the slow paths of one waiter's locks. Counted by the waiter
// in memory of its own; fast paths count nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace hackbench::sync {

enum class LockEvent : uint32_t {
  kPending,    // Got the lock as the one pending waiter, without a node.
  kQueued,     // Took a node or a ticket behind others.
  kSlept,      // Called the kernel to sleep.
  kStolen,     // Got the lock past those who queue.
  kYielded,    // Gave its CPU away while waiting.
  kReordered,  // Was moved in the queue, or moved others (cna, shuffle).
};
inline constexpr uint32_t kNumLockEvents = 6;
inline constexpr std::array<std::string_view, kNumLockEvents> kLockEventNames =
    {"pending", "queued", "slept", "stolen", "yielded", "reordered"};

struct LockEvents {
  std::array<uint64_t, kNumLockEvents> counts = {};

  void Count(LockEvent event) { ++counts[static_cast<uint32_t>(event)]; }
  uint64_t Of(LockEvent event) const {
    return counts[static_cast<uint32_t>(event)];
  }
};

}  // namespace hackbench::sync
