// SPDX-License-Identifier: MIT
#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "hackbench/footprint.h"
#include "hackbench/system_error.h"
#include "hackbench/task_host.h"
#include "hackbench/task_report.h"
#include "hackbench/task_text.h"

namespace hackbench {
namespace {

// How long a failure waits for the one that caused it: the peers of a killed
// task see its closed descriptors before main sees its end, and on a loaded
// machine the rest of its exit takes a while.
constexpr int64_t kCauseGraceNs = 1'000'000'000;
// How long Ctrl-C takes to reach main when it has reached a task.
constexpr int64_t kSignalGraceNs = 100'000'000;

// fork() without the C library's part of it, which writes to five pages that
// the child and main then copy. A child of ours makes system calls only, so it
// needs none of the locks that fork() puts right. The sanitizers' runtimes do.
HACKBENCH_TASK_TEXT pid_t LeanFork() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return fork();
#else
  return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
#endif
}

class ProcessHost final : public TaskHost {
 public:
  explicit ProcessHost(const HostContext& context)
      : context_(context), main_pid_(getpid()) {}

  bool has_own_descriptors() const override { return true; }

  HACKBENCH_TASK_TEXT absl::Status Start(
      size_t task, const TaskContext& task_context) override {
    // The user plane's tasks use more of the C library: its mutexes know their
    // owner by the id that fork() keeps right.
    const pid_t pid = task_context.user_plane == nullptr ? LeanFork() : fork();
    if (pid == 0) RunChild(task_context);
    if (pid < 0) {
      return TaskStartError(errno, fmt::format("fork of task {} of {}",
                                               task + 1, context_.plan.tasks));
    }
    // In shared memory, so that no page of main is copied for it after a fork.
    // Relaxed: read by main alone.
    context_.board.slot(task).tid.store(pid, std::memory_order_relaxed);
    return absl::OkStatus();
  }

  std::optional<Failure> Collect(int64_t timeout_ns) override {
    const int signal = context_.signals.Wait(timeout_ns);
    if (signal == 0) return std::nullopt;
    if (signal != SIGCHLD) return Interrupted(signal);
    IndexPids();
    std::optional<Failure> failure;
    while (const std::optional<Exit> exit = CollectOne()) {
      if (exit->is_clean()) continue;
      failure = Explain(*exit);
      break;
    }
    return failure;
  }

  size_t collected() const override { return collected_; }

  bool KillAll() override {
    IndexPids();
    // Those that are not reaped yet are still ours, so no pid can have been
    // given to a stranger.
    for (const auto& [pid, task] : left_) kill(pid, SIGKILL);
    for (const auto& [pid, task] : left_) {
      while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
    left_.clear();
    return true;
  }

 private:
  struct Exit {
    size_t task = 0;
    int status = 0;

    bool is_clean() const {
      return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
  };

  [[noreturn]] HACKBENCH_TASK_TEXT void RunChild(
      const TaskContext& task) const {
    // The lifeline against a SIGKILL of main, in two parts: until the start
    // the wake pipe, whose only write end is then main's; after it this.
    // Bare calls up to the start: each wrapper of the C library stands on a
    // page of its own, and every page is one more fault in every task.
    syscall(SYS_prctl, PR_SET_PDEATHSIG, long{SIGKILL});
    if (syscall(SYS_getppid) != main_pid_) _exit(1);
    syscall(SYS_close, context_.wake_write_fd);
    // As in the peers, a receiver gives up its own write end only; those of
    // its elder siblings are closed by its exit, which is timed.
    if (!task.is_sender) syscall(SYS_close, task.write_fds.back());
    context_.signals.RestoreInChild();
    const bool done = RunTask(task, context_.gate);
    if (context_.plan.workload.peer_footprint) TouchPeerFootprint();
    _exit(done ? 0 : 1);
  }

  // Takes up the tasks started since the last call. Not done by Start: each
  // page of main that is written between two forks is copied once more.
  void IndexPids() {
    for (; indexed_ < context_.plan.tasks; ++indexed_) {
      // Relaxed: written by main alone.
      const pid_t pid =
          context_.board.slot(indexed_).tid.load(std::memory_order_relaxed);
      if (pid == 0) break;
      left_.emplace(pid, indexed_);
    }
  }

  std::optional<Exit> CollectOne() {
    for (;;) {
      int status = 0;
      const pid_t pid = waitpid(-1, &status, WNOHANG);
      if (pid < 0 && errno == EINTR) continue;
      if (pid <= 0) return std::nullopt;
      const auto found = left_.find(pid);
      // A child from before an exec of this program is none of ours.
      if (found == left_.end()) continue;
      const Exit exit{found->second, status};
      left_.erase(found);
      ++collected_;
      return exit;
    }
  }

  Failure Interrupted(int signal) const {
    return {.outcome = Outcome::kInterrupted,
            .signal = signal,
            .message = fmt::format("interrupted by signal {} ({})", signal,
                                   strsignal(signal))};
  }

  // Whether the task ended only because another one did.
  bool IsConsequenceOf(const Exit& exit) const {
    if (WIFSIGNALED(exit.status)) return false;
    const TaskSlot& slot = context_.board.slot(exit.task);
    // Acquire: pairs with the release in RecordFault.
    const Fault fault = slot.fault.load(std::memory_order_acquire);
    return IsConsequence(fault,
                         slot.fault_value.load(std::memory_order_relaxed));
  }

  Failure Explain(Exit exit) {
    const int64_t deadline_ns = MonotonicNs() + kCauseGraceNs;
    while (IsConsequenceOf(exit) && MonotonicNs() < deadline_ns) {
      const std::optional<Exit> next = CollectOne();
      if (!next) {
        const int signal = context_.signals.Wait(kCauseGraceNs / 100);
        if (signal != 0 && signal != SIGCHLD) return Interrupted(signal);
      } else if (!next->is_clean() && !IsConsequenceOf(*next)) {
        exit = *next;
      }
    }
    // Ctrl-C reaches tasks and main in any order: what main got too was meant
    // for the run.
    if (WIFSIGNALED(exit.status) &&
        context_.signals.IsEndSignal(WTERMSIG(exit.status))) {
      for (int i = 0; i < 10 && context_.signals.end_signal() == 0; ++i) {
        context_.signals.Wait(kSignalGraceNs / 10);
      }
      if (const int signal = context_.signals.end_signal(); signal != 0) {
        return Interrupted(signal);
      }
    }
    return {.message = Describe(exit)};
  }

  std::string Describe(const Exit& exit) const {
    const std::string name = TaskName(context_.plan, context_.board, exit.task);
    if (WIFSIGNALED(exit.status)) {
      const int signal = WTERMSIG(exit.status);
      return fmt::format(
          "{} was killed by signal {} ({}){}", name, signal, strsignal(signal),
          context_.plan.user ? StepText(context_.board.slot(exit.task)) : "");
    }
    return fmt::format("{} gave up: {}", name,
                       FaultText(context_.board.slot(exit.task)));
  }

  HostContext context_;
  pid_t main_pid_;
  size_t indexed_ = 0;
  size_t collected_ = 0;
  absl::flat_hash_map<pid_t, size_t> left_;
};

}  // namespace

std::unique_ptr<TaskHost> MakeProcessHost(const HostContext& context) {
  return std::make_unique<ProcessHost>(context);
}

}  // namespace hackbench
