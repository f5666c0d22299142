// SPDX-License-Identifier: MIT
// Signals as messages: blocked for the life of a run and taken by main when it
// is ready for them, so no handler ever interrupts a fork or a write.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstdint>

namespace hackbench {

class SignalGate {
 public:
  // Blocks SIGCHLD and those of SIGINT, SIGTERM, SIGHUP and SIGQUIT that were
  // not already ignored (nohup, background jobs); ignores SIGPIPE.
  SignalGate();
  // Gives back the mask as it was.
  ~SignalGate();
  SignalGate(const SignalGate&) = delete;
  SignalGate& operator=(const SignalGate&) = delete;

  // Waits up to `timeout_ns` for one of them: its number, or 0. A request to
  // end is remembered, see end_signal().
  int Wait(int64_t timeout_ns);

  // The signal that asked this run to end, or 0.
  int end_signal() const { return end_signal_; }

  // Whether `signal` is one that main itself takes as a request to end.
  bool IsEndSignal(int signal) const;

  // For tasks that are processes: the mask of before, in the child.
  void RestoreInChild() const;

 private:
  sigset_t taken_;
  sigset_t old_mask_;
  struct sigaction old_pipe_action_;
  int end_signal_ = 0;
};

}  // namespace hackbench
