// SPDX-License-Identifier: MIT
// What a run of the user plane counts: per task while it runs, together after.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "alloc/statistics.h"
#include "hackbench/user_steps.h"
#include "sync/lock_events.h"

namespace hackbench {

struct StepTally {
  uint64_t samples = 0;
  uint64_t cycles = 0;       // Of those that were not interrupted.
  uint64_t interrupted = 0;  // Longer than any step takes alone.
};

// What one task has counted. In shared memory, written once, at its end.
struct UserTally {
  sync::LockEvents lock_events;
  uint64_t wakeups = 0;  // Sleepers woken.
  uint64_t reader_sleeps = 0;
  uint64_t space_sleeps = 0;
  uint64_t allocations = 0;
  uint64_t allocated_bytes = 0;
  uint64_t frees = 0;
  uint64_t cross_cpu = 0;  // Messages read on another CPU than written on.
  uint64_t registrations = 0;
  uint64_t coop_switches = 0;
  uint64_t sampled_messages = 0;
  std::array<StepTally, kNumSteps> steps;
};

// The counts of all tasks of one launch.
struct UserFigures {
  UserTally tally;
  alloc::Statistics slab;
  uint64_t ticks = 0;
  uint64_t clock_cycles = 0;  // Subtracted from every sample.
  std::string arena;          // What backs it.
};

}  // namespace hackbench
