// SPDX-License-Identifier: MIT
// Where and how tasks are scheduled: CPU lists, policy, nice. Applied to main
// before the first task exists, so that every task inherits it without a
// system call of its own.
#pragma once

#include <absl/status/statusor.h>
#include <sched.h>

#include <string_view>

#include "hackbench/options.h"

namespace hackbench {

// "0-3,8" as the kernel writes CPU lists. InvalidArgument for text that is not
// one, FailedPrecondition for CPUs that this process may not use.
absl::StatusOr<cpu_set_t> ParseCpuList(std::string_view text);

// Applies affinity (when not null), policy and nice to the calling process.
absl::Status ApplyPlacement(const RunOptions& options,
                            const cpu_set_t* affinity);

// rt-tests' -F: main alone becomes SCHED_FIFO, priority 1.
absl::Status MakeMainFifo();

}  // namespace hackbench
