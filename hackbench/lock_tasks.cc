// SPDX-License-Identifier: MIT
#include "hackbench/lock_tasks.h"

#include <absl/status/status.h>
#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "atomics/cmpxchg.h"
#include "hackbench/clock.h"
#include "hackbench/system_error.h"
#include "sync/futex.h"

namespace hackbench {
namespace {

constexpr int kCannotStart = 3;
constexpr size_t kStackBytes = size_t{256} << 10;
// Whoever aborts before the start kills as well, so this can be long: thousands
// that look often would keep the rest from being started.
constexpr int64_t kLookNs = 10'000'000'000;

// The last task that is ready lets all go.
struct alignas(128) Gate {
  uint32_t ready;
  uint32_t open;
  int64_t start_ns;
};

void PassGate(sync::Arena& arena, Gate& gate, uint32_t tasks) {
  if (atomics::FetchAdd(&gate.ready, 1) + 1 == tasks) {
    gate.start_ns = MonotonicNs();
    sync::StoreRelease(&gate.open, 1U);
    sync::FutexWakeAll<sync::Scope::kShared>(&gate.open);
    return;
  }
  while (sync::LoadAcquire(&gate.open) == 0 &&
         arena.abort_reason() == sync::AbortReason::kNone) {
    sync::FutexWait<sync::Scope::kShared>(&gate.open, 0, kLookNs);
  }
}

struct Start {
  sync::Arena* arena;
  Gate* gate;
  uint32_t tasks;
  const std::function<void(uint32_t)>* body;
};

void RunTask(const Start& start, uint32_t task) {
  PassGate(*start.arena, *start.gate, start.tasks);
  (*start.body)(task);
}

struct ThreadStart {
  const Start* start;
  uint32_t task;
};

void* ThreadMain(void* argument) {
  const auto* own = static_cast<const ThreadStart*>(argument);
  RunTask(*own->start, own->task);
  return nullptr;
}

// The child that hosts all threads. Does not return.
[[noreturn]] void HostThreads(const Start& start) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  std::vector<ThreadStart> starts(start.tasks);
  std::vector<pthread_t> threads(start.tasks);
  for (uint32_t task = 0; task < start.tasks; ++task) {
    starts[task] = {&start, task};
    if (pthread_create(&threads[task], &attributes, ThreadMain,
                       &starts[task]) != 0) {
      _exit(kCannotStart);
    }
  }
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  _exit(0);
}

// A child that dies with its main.
template <class Body>
pid_t Fork(Body body) {
  const pid_t main = getpid();
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != main) _exit(kCannotStart);
  body();
  _exit(0);
}

// One descriptor per process.
void RaiseDescriptorLimit() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

absl::StatusOr<TasksResult> RunLockTasks(
    sync::Arena& arena, uint32_t tasks, bool processes, int64_t deadline_ns,
    const std::function<void(uint32_t)>& body) {
  auto* gate = static_cast<Gate*>(arena.Allocate(sizeof(Gate)));
  if (gate == nullptr) {
    return absl::ResourceExhaustedError("no room for the start gate");
  }
  RaiseDescriptorLimit();
  rusage before;
  getrusage(RUSAGE_CHILDREN, &before);
  const Start start = {&arena, gate, tasks, &body};
  sync::Supervisor supervisor(arena);
  const uint32_t children = processes ? tasks : 1;
  for (uint32_t task = 0; task < children; ++task) {
    const pid_t child = processes ? Fork([&] { RunTask(start, task); })
                                  : Fork([&] { HostThreads(start); });
    if (child < 0) {
      return TaskStartError(errno, fmt::format("fork of task {}", task));
    }
    if (!supervisor.Add(child, task)) {
      return absl::ResourceExhaustedError(fmt::format(
          "{} tasks need as many descriptors to be watched; raise the hard "
          "limit (ulimit -Hn) or use fewer --tasks",
          tasks));
    }
  }
  TasksResult result;
  result.run = supervisor.Run(deadline_ns);
  rusage after;
  getrusage(RUSAGE_CHILDREN, &after);
  result.start_ns = gate->start_ns;
  result.switches =
      after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw;
  result.cpu_s = Seconds(after.ru_utime) + Seconds(after.ru_stime) -
                 Seconds(before.ru_utime) - Seconds(before.ru_stime);
  return result;
}

}  // namespace hackbench
