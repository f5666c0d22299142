// SPDX-License-Identifier: MIT
// Options to a plan: names resolved, combinations judged, products computed
// without overflow, needs known. Everything that can be refused is refused
// here, before the first fork.
#pragma once

#include <absl/status/statusor.h>
#include <sched.h>

#include <cstdint>
#include <optional>
#include <string>

#include "hackbench/options.h"
#include "hackbench/transport.h"
#include "hackbench/user_parts.h"
#include "hackbench/worker_loop.h"

namespace hackbench {

// What a run takes from the machine at its peak.
struct Need {
  int64_t tasks = 0;        // Processes or threads beside main.
  int64_t descriptors = 0;  // Open in main, beside those open now.
  int64_t bytes = 0;        // Of memory, a low estimate.
};

struct RunPlan {
  RunOptions options;
  const TransportEntry* transport = nullptr;
  Workload workload;
  uint64_t tasks = 0;
  uint64_t messages = 0;
  uint64_t payload_bytes = 0;
  std::optional<cpu_set_t> affinity;
  std::optional<UserParts> user;  // The parts of the user plane, if it is it.
  std::string warning;            // About what is legal, yet hardly meant.
  Need need;

  uint64_t tasks_per_group() const { return 2 * workload.fds; }
};

// InvalidArgument for what is a mistake on the command line, OutOfRange for a
// product that does not fit 63 bits, other codes for what this machine refuses.
absl::StatusOr<RunPlan> MakePlan(const RunOptions& options);

}  // namespace hackbench
