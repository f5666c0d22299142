// SPDX-License-Identifier: MIT
// A place in a lock's queue. Nodes live in the arena and are named by index, so
// that a lock means the same in every process; index 0 is no node.
#pragma once

#include <cstdint>

namespace hackbench::sync {

// How far a waiter has come; written before each step, so that whoever finds a
// dead task's node knows what that task had already done to the lock.
enum class Phase : uint32_t {
  kIdle,
  kInit,       // The node is being filled; nobody else can know of it.
  kPublished,  // The tail may name it; its predecessor may not know it yet.
  kLinked,     // Its predecessor knows it.
  kHead,       // First in the queue, waits for the lock itself.
  kOwner,      // Holds the lock.
};

constexpr const char* PhaseName(Phase phase) {
  switch (phase) {
    case Phase::kIdle:
      return "idle";
    case Phase::kInit:
      return "init";
    case Phase::kPublished:
      return "published";
    case Phase::kLinked:
      return "linked";
    case Phase::kHead:
      return "head";
    case Phase::kOwner:
      return "owner";
  }
  return "unknown";
}

// Values of Node::state.
inline constexpr uint32_t kNodeWaiting = 0;
inline constexpr uint32_t kNodeGranted = 1;
inline constexpr uint32_t kNodeSleeping = 2;  // Wake it when you grant.
inline constexpr uint32_t kNodeTimedOut = 3;  // The whole queue gives up.

// One line, so that a waiter spins on nothing but its own.
struct alignas(64) Node {
  uint32_t next;
  uint32_t state;  // Also the futex word.
  uint32_t prev;
  uint32_t numa_node;
  uint32_t secondary;       // cna: head of the queue of the other nodes.
  uint32_t secondary_tail;  // cna: valid in that head.
  uint32_t batch;           // shuffle: how many were moved ahead so far.
  uint32_t shuffler;        // shuffle: this one may reorder.
  Phase phase;
  uint32_t task;  // Whose it is now.
};
static_assert(sizeof(Node) == 64);

}  // namespace hackbench::sync
