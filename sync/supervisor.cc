// SPDX-License-Identifier: MIT
#include "sync/supervisor.h"

#include <absl/strings/str_cat.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace hackbench::sync {
namespace {

// Twice the longest sleep of a waiter; beyond it somebody is stuck.
constexpr int64_t kGraceNs = 200'000'000;
constexpr int64_t kNsPerMs = 1'000'000;
constexpr int64_t kForeverNs = -1;

int64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

pid_t WaitFor(pid_t pid, int& status) {
  pid_t reaped;
  do {
    reaped = waitpid(pid, &status, 0);
  } while (reaped < 0 && errno == EINTR);
  return reaped;
}

}  // namespace

std::string Death::Describe() const {
  std::string text = absl::StrCat("task ", task, " (pid ", pid, ") ");
  if (signal != 0) {
    absl::StrAppend(&text, "was killed by signal ", signal);
  } else {
    absl::StrAppend(&text, "exited with code ", exit_code);
  }
  absl::StrAppend(&text, " in phase '", PhaseName(phase), "'");
  if (lock != 0) absl::StrAppend(&text, " of the lock at offset ", lock);
  return text;
}

Supervisor::Supervisor(Arena& arena)
    : arena_(&arena), epoll_fd_(epoll_create1(EPOLL_CLOEXEC)) {}

Supervisor::~Supervisor() {
  SupervisedRun unused;
  KillRest(unused);
  for (Child& child : children_) {
    if (child.pidfd >= 0) Reap(child, unused);
  }
  if (epoll_fd_ >= 0) close(epoll_fd_);
}

bool Supervisor::Add(pid_t pid, uint32_t task) {
  const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.u64 = children_.size();
  if (pidfd >= 0 && epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, pidfd, &event) == 0) {
    children_.push_back({pid, pidfd, task});
    ++alive_;
    return true;
  }
  if (pidfd >= 0) close(pidfd);
  kill(pid, SIGKILL);
  int status = 0;
  WaitFor(pid, status);
  return false;
}

// Notes the first death that was not ours.
void Supervisor::Reap(Child& child, SupervisedRun& run) {
  int status = 0;
  const pid_t reaped = WaitFor(child.pid, status);
  // Closing is not enough: children made later hold a copy of the descriptor,
  // and the dead would be reported for ever.
  epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, child.pidfd, nullptr);
  close(child.pidfd);
  child.pidfd = -1;
  --alive_;
  const bool well =
      reaped == child.pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (well || run.reason != AbortReason::kNone) return;
  const TaskRecord& record = arena_->tasks()[child.task];
  run.death.pid = child.pid;
  run.death.task = child.task;
  run.death.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  run.death.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  run.death.phase = LoadAcquire(&record.phase);
  run.death.lock = LoadAcquire(&record.lock);
  Abort(AbortReason::kTaskDied, run);
}

void Supervisor::Abort(AbortReason reason, SupervisedRun& run) {
  run.reason = reason;
  aborted_ns_ = NowNs();
  arena_->Abort(reason);
}

void Supervisor::KillRest(SupervisedRun& run) {
  for (const Child& child : children_) {
    if (child.pidfd < 0) continue;
    syscall(SYS_pidfd_send_signal, child.pidfd, SIGKILL, nullptr, 0);
    ++run.killed;
  }
}

SupervisedRun Supervisor::Run(int64_t deadline_ns) {
  SupervisedRun run;
  const int64_t start_ns = NowNs();
  bool killed = false;
  while (alive_ > 0) {
    int64_t wait_ns = kForeverNs;
    const int64_t now_ns = NowNs();
    if (run.reason != AbortReason::kNone) {
      wait_ns = aborted_ns_ + kGraceNs - now_ns;
      if (wait_ns <= 0 && !killed) {
        KillRest(run);
        killed = true;
      }
      if (killed) wait_ns = kForeverNs;
    } else if (deadline_ns > 0) {
      wait_ns = start_ns + deadline_ns - now_ns;
      if (wait_ns <= 0) {
        Abort(AbortReason::kDeadline, run);
        continue;
      }
    }
    std::array<epoll_event, 64> events;
    // Rounded up, or the last millisecond would be spent polling.
    const int wait_ms =
        wait_ns == kForeverNs
            ? -1
            : static_cast<int>((wait_ns + kNsPerMs - 1) / kNsPerMs);
    const int count = epoll_wait(epoll_fd_, events.data(),
                                 static_cast<int>(events.size()), wait_ms);
    for (int i = 0; i < count; ++i) {
      Reap(children_[events[static_cast<size_t>(i)].data.u64], run);
    }
  }
  run.completed = run.reason == AbortReason::kNone;
  if (!run.completed) run.abort_ns = NowNs() - aborted_ns_;
  children_.clear();
  return run;
}

}  // namespace hackbench::sync
