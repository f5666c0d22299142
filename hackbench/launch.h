// SPDX-License-Identifier: MIT
// One launch: the unit of every statistic. All groups are set up, started at
// once and reaped; what comes back is either a complete set of times or the
// reason there is none. No task outlives the call, however it ends.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "hackbench/histogram.h"
#include "hackbench/plan.h"
#include "hackbench/signals.h"
#include "hackbench/task_board.h"
#include "hackbench/user_tally.h"

namespace hackbench {

enum class Outcome {
  kDone,
  kFailed,       // A task died or gave up, or a resource ran out.
  kInterrupted,  // By a signal to main.
  kTimedOut,     // --timeout or --hang-after.
};

struct Failure {
  Outcome outcome = Outcome::kFailed;
  int signal = 0;       // For kInterrupted.
  std::string message;  // For people; may have several lines.
};

// CPU time and the like of main and all its tasks, for one launch.
struct ResourceUse {
  int64_t user_ns = 0;
  int64_t system_ns = 0;
  int64_t voluntary_switches = 0;
  int64_t involuntary_switches = 0;
  int64_t minor_faults = 0;
  int64_t major_faults = 0;
  int64_t max_rss_bytes = 0;  // Of the largest task so far.
};

struct LaunchResult {
  Failure failure;  // When outcome() is not kDone.
  bool done = false;

  int64_t setup_ns = 0;   // First channel to last ready byte.
  int64_t total_ns = 0;   // Start to last task reaped: what `Time:` says.
  int64_t work_ns = 0;    // Start to the last message received.
  int64_t reap_ns = 0;    // Last message to last task reaped.
  uint64_t messages = 0;  // Received.
  ResourceUse use;
  std::unique_ptr<Histogram> latency;  // With --latency.
  std::optional<UserFigures> user;     // In the user plane.

  Outcome outcome() const { return done ? Outcome::kDone : failure.outcome; }
};

class UserPlane;

class Launcher {
 public:
  // `plan` and `signals` outlive the launcher.
  Launcher(const RunPlan& plan, SignalGate& signals);
  ~Launcher();

  // Maps shared memory and message buffers; once, before the first Run().
  absl::Status Prepare();

  LaunchResult Run();

  // Whether threads of a failed launch may still run, so that the process must
  // end without waiting for them.
  bool left_threads() const { return left_threads_; }

 private:
  const RunPlan& plan_;
  SignalGate& signals_;
  TaskBoard board_;
  std::unique_ptr<UserPlane> user_plane_;  // Null in the kernel plane.
  std::byte* buffers_ = nullptr;
  size_t buffer_bytes_ = 0;
  size_t stride_ = 0;  // Of one task's buffer; 0 when processes share one.
  bool left_threads_ = false;
};

}  // namespace hackbench
