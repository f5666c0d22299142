// SPDX-License-Identifier: MIT
// Looks at a launch about once a second: ends it when it takes too long or when
// nothing moves, and shows a terminal how far it is.
//
// "Nothing moves" is counted in looks, not by the clock, so a run that was
// stopped (Ctrl-Z, a frozen container) is not taken for hung when it goes on.
#pragma once

#include <cstdint>
#include <optional>

#include "hackbench/launch.h"

namespace hackbench {

class Watchdog {
 public:
  enum class Phase { kSetup, kWork };

  Watchdog(const RunPlan& plan, TaskBoard& board);
  // Takes the progress line away.
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // Call often, in the wait loops of main. `tasks` counts what this phase does
  // to tasks: made ready, or collected.
  std::optional<Failure> Look(Phase phase, uint64_t tasks);

 private:
  uint64_t Progress(uint64_t tasks);
  Failure TimedOut() const;
  Failure Hung(Phase phase);
  void ShowProgress(int64_t now_ns);

  const RunPlan& plan_;
  TaskBoard& board_;
  int64_t begun_ns_;
  int64_t work_begun_ns_ = 0;
  int64_t last_look_ns_;
  uint64_t last_progress_ = 0;
  uint64_t messages_ = 0;  // At the last look, senders' and receivers'.
  int64_t still_looks_ = 0;
  bool on_terminal_;
  bool line_shown_ = false;
};

}  // namespace hackbench
