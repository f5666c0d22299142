// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "hackbench/system_error.h"
#include "hackbench/task_host.h"
#include "hackbench/task_report.h"

namespace hackbench {
namespace {

bool JoinBefore(pthread_t thread, int64_t deadline_ns) {
#if defined(__SANITIZE_THREAD__)
  // Its runtime knows this call, and takes what the other one joins for leaked.
  while (pthread_tryjoin_np(thread, nullptr) != 0) {
    if (MonotonicNs() > deadline_ns) return false;
    usleep(1000);
  }
  return true;
#else
  const timespec deadline{.tv_sec = deadline_ns / 1'000'000'000,
                          .tv_nsec = deadline_ns % 1'000'000'000};
  return pthread_clockjoin_np(thread, nullptr, CLOCK_MONOTONIC, &deadline) == 0;
#endif
}

class ThreadHost final : public TaskHost {
 public:
  explicit ThreadHost(const HostContext& context) : context_(context) {
    starts_.reserve(context.plan.tasks);
    threads_.reserve(context.plan.tasks);
  }

  bool has_own_descriptors() const override { return false; }

  absl::Status Start(size_t task, const TaskContext& task_context) override {
    starts_.push_back({&task_context, &context_.gate});
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    // As small as the peers'; a task's message is not on its stack.
    const int64_t least = sysconf(_SC_THREAD_STACK_MIN);
    pthread_attr_setstacksize(
        &attributes, std::max<size_t>(static_cast<size_t>(least),
                                      context_.plan.user ? kUserPlaneStackBytes
                                                         : kStackBytes));
    pthread_t thread;
    const int error =
        pthread_create(&thread, &attributes, RunThread, &starts_.back());
    pthread_attr_destroy(&attributes);
    if (error != 0) {
      return TaskStartError(
          error, fmt::format("pthread_create of task {} of {}", task + 1,
                             context_.plan.tasks));
    }
    threads_.push_back(thread);
    return absl::OkStatus();
  }

  // Joins in the order of creation, as the peers do.
  std::optional<Failure> Collect(int64_t timeout_ns) override {
    const int64_t deadline_ns = MonotonicNs() + timeout_ns;
    while (collected_ < threads_.size() && Join(deadline_ns)) {
    }
    if (std::optional<Failure> failure = CheckSignals()) return failure;
    return CheckFaults();
  }

  size_t collected() const override { return collected_; }

  // A thread cannot be killed alone: it ends with the process.
  bool KillAll() override { return collected_ == threads_.size(); }

 private:
  static constexpr size_t kStackBytes = 16384;
  static constexpr size_t kUserPlaneStackBytes = 65536;

  struct ThreadStart {
    const TaskContext* task;
    const StartGate* gate;
  };

  static void* RunThread(void* argument) {
    const auto* start = static_cast<const ThreadStart*>(argument);
    // Relaxed: for messages to people only.
    start->task->slot->tid.store(gettid(), std::memory_order_relaxed);
    RunTask(*start->task, *start->gate);
    return nullptr;
  }

  bool Join(int64_t deadline_ns) {
    if (!JoinBefore(threads_[collected_], deadline_ns)) return false;
    ++collected_;
    return true;
  }

  std::optional<Failure> CheckSignals() {
    const int signal = context_.signals.Wait(0);
    if (signal == 0 || signal == SIGCHLD) return std::nullopt;
    return Failure{.outcome = Outcome::kInterrupted,
                   .signal = signal,
                   .message = fmt::format("interrupted by signal {} ({})",
                                          signal, strsignal(signal))};
  }

  std::optional<Failure> CheckFaults() {
    for (size_t task = 0; task < threads_.size(); ++task) {
      const TaskSlot& slot = context_.board.slot(task);
      // Acquire: pairs with the release in RecordFault.
      if (slot.fault.load(std::memory_order_acquire) == Fault::kNone) continue;
      return Failure{
          .message = fmt::format("{} gave up: {}",
                                 TaskName(context_.plan, context_.board, task),
                                 FaultText(slot))};
    }
    return std::nullopt;
  }

  HostContext context_;
  std::vector<ThreadStart> starts_;
  std::vector<pthread_t> threads_;
  size_t collected_ = 0;
};

}  // namespace

std::unique_ptr<TaskHost> MakeThreadHost(const HostContext& context) {
  return std::make_unique<ThreadHost>(context);
}

}  // namespace hackbench
