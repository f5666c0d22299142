// SPDX-License-Identifier: MIT
// The life of one task, process or thread alike: say ready, wait for the start,
// run its loop, leave a time stamp.
#pragma once

#include "hackbench/worker_loop.h"

namespace hackbench {

// The pipes of the start barrier. One byte in `ready` per task; one byte in
// `wake`, which nobody reads, releases them all. A task that holds no write end
// of `wake` sees the end of main as a hang-up.
struct StartGate {
  int ready_write_fd = -1;
  int wake_read_fd = -1;
};

// True when all messages went through; otherwise the slot's fault says why.
bool RunTask(const TaskContext& task, const StartGate& gate);

}  // namespace hackbench
