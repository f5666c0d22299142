// SPDX-License-Identifier: MIT
// What starts tasks and collects their ends: processes or threads.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "hackbench/launch.h"
#include "hackbench/worker.h"

namespace hackbench {

class TaskHost {
 public:
  virtual ~TaskHost() = default;

  // Starts task number `task`; `context` lives until the launch ends.
  virtual absl::Status Start(size_t task, const TaskContext& context) = 0;

  // Whether a task has descriptors of its own, so that main closes what it has
  // handed over.
  virtual bool has_own_descriptors() const = 0;

  // Waits up to `timeout_ns` for tasks to end and collects all that have.
  // A task that did not end well, or a signal to main, is a failure.
  virtual std::optional<Failure> Collect(int64_t timeout_ns) = 0;

  virtual size_t collected() const = 0;

  // Ends all tasks that are left. False when they can only end with main.
  virtual bool KillAll() = 0;
};

struct HostContext {
  const RunPlan& plan;
  TaskBoard& board;
  SignalGate& signals;
  StartGate gate;
  int wake_write_fd;  // Closed in every process task: the lifeline.
};

std::unique_ptr<TaskHost> MakeProcessHost(const HostContext& context);
std::unique_ptr<TaskHost> MakeThreadHost(const HostContext& context);

}  // namespace hackbench
