// SPDX-License-Identifier: MIT
// Starts a program to be measured and makes sure that nothing of it stays, not
// even when this process is killed with SIGKILL.
//
// Between us and the program stands a guard: a forked copy of this process that
// is the subreaper of everything the program starts. It kills and reaps all of
// it when the program ends, when the time is up, and when the kernel tells it
// that we died (parent-death signal). The program itself has SIGKILL as its
// parent-death signal, so it goes even with the guard.
//
// The output goes into memory files: the program never waits for us to read,
// and we do not wake up while it is measured. Call from a single thread.
#pragma once

#include <absl/status/statusor.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hackbench::results {

struct LaunchSpec {
  std::vector<std::string> argv = {};
  std::map<std::string, std::string> environment = {};  // Added to ours.
  int64_t timeout_ns = 0;                               // 0: none.
  bool also_when_ending = false;  // Cleaning up after an end signal.
};

struct LaunchOutcome {
  enum class End { kExited, kSignalled, kTimedOut, kInterrupted, kNotStarted };
  End end = End::kNotStarted;
  int exit_code = 0;       // kExited.
  int signal = 0;          // kSignalled, and of ours for kInterrupted.
  int start_errno = 0;     // kNotStarted: why exec failed.
  int64_t elapsed_ns = 0;  // Monotonic, from before the fork to the reaping.
  int64_t user_ns = 0;     // Of the program and what it waited for.
  int64_t system_ns = 0;
  std::string out = {};  // The first 4 MiB.
  std::string err = {};
  int leftovers = 0;  // Processes it left behind, ended by the guard.
};

// Runs to the end. SIGINT, SIGTERM, SIGHUP and SIGQUIT of ours end the program
// first; the outcome says so, and the signal is not passed on. Status only for
// what this process lacks (memory, processes, descriptors).
absl::StatusOr<LaunchOutcome> RunProgram(const LaunchSpec& spec);

// The signal that asked us to end while a program ran, or between them; 0 for
// none. Blocks the four signals from the first call on.
int PendingEndSignal();

}  // namespace hackbench::results
