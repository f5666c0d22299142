// SPDX-License-Identifier: MIT
#include "hackbench/signals.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstddef>
#include <initializer_list>

#include "hackbench/task_text.h"

namespace hackbench {
namespace {

bool IsIgnored(int signal) {
  struct sigaction action;
  return sigaction(signal, nullptr, &action) == 0 &&
         action.sa_handler == SIG_IGN;
}

}  // namespace

SignalGate::SignalGate() {
  sigemptyset(&taken_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    if (!IsIgnored(signal)) sigaddset(&taken_, signal);
  }
  sigaddset(&taken_, SIGCHLD);
  // An ignored SIGCHLD, inherited from a careless parent, would reap our tasks
  // behind our back.
  signal(SIGCHLD, SIG_DFL);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &old_pipe_action_);
  pthread_sigmask(SIG_BLOCK, &taken_, &old_mask_);
}

SignalGate::~SignalGate() {
  pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
  sigaction(SIGPIPE, &old_pipe_action_, nullptr);
}

int SignalGate::Wait(int64_t timeout_ns) {
  const timespec timeout{.tv_sec = timeout_ns / 1'000'000'000,
                         .tv_nsec = timeout_ns % 1'000'000'000};
  const int signal = sigtimedwait(&taken_, nullptr, &timeout);
  if (signal <= 0) return 0;
  if (signal != SIGCHLD && end_signal_ == 0) end_signal_ = signal;
  return signal;
}

bool SignalGate::IsEndSignal(int signal) const {
  return signal != SIGCHLD && sigismember(&taken_, signal) == 1;
}

HACKBENCH_TASK_TEXT void SignalGate::RestoreInChild() const {
  // The bare call: it stands beside the others that a child makes, while
  // pthread_sigmask is one more page of the C library for every task.
  constexpr size_t kKernelMaskBytes = 8;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old_mask_, nullptr,
          kKernelMaskBytes);
}

}  // namespace hackbench
