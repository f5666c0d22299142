// SPDX-License-Identifier: MIT
// Starts the tasks of a lock run, processes or threads, and watches them: they
// begin together, and none of them outlives the call or its main.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <functional>

#include "sync/supervisor.h"

namespace hackbench {

struct TasksResult {
  sync::SupervisedRun run;
  int64_t start_ns = 0;  // When the last task was ready.
  int64_t switches = 0;  // Of all tasks, from their start to their end.
  double cpu_s = 0;
};

// `body(task)` in each of `tasks` tasks of `arena`. In thread mode they are
// threads of one child, so that they can be killed as well. An error when they
// cannot all be started.
absl::StatusOr<TasksResult> RunLockTasks(
    sync::Arena& arena, uint32_t tasks, bool processes, int64_t deadline_ns,
    const std::function<void(uint32_t)>& body);

}  // namespace hackbench
