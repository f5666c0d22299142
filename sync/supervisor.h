// SPDX-License-Identifier: MIT
// Watches the processes of a run by pidfd, so that none of them can die or hang
// unnoticed: kill(pid, 0) calls a zombie alive, a pidfd does not.
//
// When one dies before its work is done, or the deadline passes, the run is
// aborted: every waiter of ours leaves within 100 ms, and whoever is still
// there after the grace is killed. Every child added is reaped before Run()
// returns.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sync/arena.h"

namespace hackbench::sync {

struct Death {
  pid_t pid = 0;
  uint32_t task = 0;  // The first task of that process.
  int signal = 0;     // 0: it exited with `exit_code`.
  int exit_code = 0;
  Phase phase = Phase::kIdle;
  uint32_t lock = 0;  // Offset in the arena of the lock concerned.

  std::string Describe() const;
};

struct SupervisedRun {
  bool completed = false;  // All exited with 0 before the deadline.
  AbortReason reason = AbortReason::kNone;
  Death death;           // Valid for kTaskDied: the first that was seen.
  int64_t abort_ns = 0;  // From the abort to the last child's end.
  uint32_t killed = 0;   // Children that had to be killed after the grace.
};

class Supervisor {
 public:
  explicit Supervisor(Arena& arena);
  // Kills and reaps whoever is left.
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // A child of this process, whose first task is `task`. False when it cannot
  // be watched; it is then killed and reaped.
  bool Add(pid_t pid, uint32_t task);

  // Until every child has ended. `deadline_ns` counts from now; 0: none.
  SupervisedRun Run(int64_t deadline_ns);

 private:
  struct Child {
    pid_t pid;
    int pidfd;
    uint32_t task;
  };

  void Reap(Child& child, SupervisedRun& run);
  void Abort(AbortReason reason, SupervisedRun& run);
  void KillRest(SupervisedRun& run);

  Arena* arena_;
  int epoll_fd_;
  std::vector<Child> children_;
  size_t alive_ = 0;
  int64_t aborted_ns_ = 0;
};

}  // namespace hackbench::sync
