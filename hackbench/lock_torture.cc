// SPDX-License-Identifier: MIT
#include "hackbench/lock_torture.h"

#include <absl/status/status.h>
#include <fmt/format.h>
#include <time.h>

#include <algorithm>

#include "atomics/pin.h"
#include "hackbench/clock.h"
#include "hackbench/lock_tasks.h"

namespace hackbench {
namespace {

constexpr uint32_t kTasks = 8;
constexpr int64_t kStutterNs = 20'000'000;
constexpr int64_t kRunNs = 200'000'000;
constexpr int64_t kNsPerSecond = 1'000'000'000;
// For the end of a task that waits behind others.
constexpr int64_t kPatienceNs = 10 * kNsPerSecond;

void SleepNs(int64_t ns) {
  const timespec time = {ns / kNsPerSecond, ns % kNsPerSecond};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);
}

// One more task: it only says when to pause and when to end.
void Conduct(TortureState& state, int64_t seconds, const sync::Arena& arena) {
  const int64_t end_ns = MonotonicNs() + seconds * kNsPerSecond;
  while (MonotonicNs() < end_ns &&
         arena.abort_reason() == sync::AbortReason::kNone) {
    SleepNs(kRunNs);
    sync::StoreRelease(&state.stutter, 1U);
    SleepNs(kStutterNs);
    sync::StoreRelease(&state.stutter, 0U);
  }
  sync::StoreRelease(&state.stop, 1U);
}

// Those that only spin get a CPU each.
uint32_t TasksFor(const LockEntry& entry) {
  const auto cpus = static_cast<uint32_t>(atomics::AllowedCpus().size());
  return entry.traits.pure_spin ? std::min(cpus, kTasks) : kTasks;
}

absl::Status Torture(const LocksOptions& options, TortureRow& row) {
  const LockEntry& entry = *row.lock;
  row.tasks = TasksFor(entry);
  absl::StatusOr<sync::Arena> arena =
      sync::Arena::Map({.tasks = row.tasks + 1});
  if (!arena.ok()) return arena.status();
  void* lock = arena->Allocate(entry.bytes);
  auto* state =
      static_cast<TortureState*>(arena->Allocate(sizeof(TortureState)));
  auto* slots = static_cast<TortureSlot*>(
      arena->Allocate(row.tasks * sizeof(TortureSlot)));
  if (lock == nullptr || state == nullptr || slots == nullptr ||
      !entry.make(lock, *arena)) {
    return absl::ResourceExhaustedError("no room for the torture");
  }
  const sync::WaitBudget budget =
      sync::WaitBudget::Calibrated(options.spin_ns, options.yields);
  const absl::StatusOr<TasksResult> result = RunLockTasks(
      *arena, row.tasks + 1, row.processes,
      options.torture_seconds * kNsPerSecond + kPatienceNs, [&](uint32_t task) {
        if (task == row.tasks) {
          Conduct(*state, options.torture_seconds, *arena);
          return;
        }
        entry.in_session([&] {
          sync::Waiter waiter(*arena, task, budget);
          entry.torture(lock, waiter, *state, slots[task], options.seed + task);
        });
      });
  if (!result.ok()) return result.status();
  if (result->run.reason == sync::AbortReason::kTaskDied) {
    row.trouble = result->run.death.Describe();
  } else if (!result->run.completed) {
    row.trouble = "did not end";
  }
  row.least = UINT64_MAX;
  for (uint32_t task = 0; task < row.tasks; ++task) {
    const TortureSlot& slot = slots[task];
    row.grants += slot.grants;
    row.most = std::max(row.most, slot.grants);
    row.least = std::min(row.least, slot.grants);
    row.violations += slot.violations;
    for (size_t event = 0; event < sync::kNumLockEvents; ++event) {
      row.events.counts[event] += slot.events.counts[event];
    }
  }
  if (row.trouble.empty() && state->grants != row.grants) ++row.violations;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<TortureRow>> TortureLocks(
    const LocksOptions& options) {
  std::vector<TortureRow> rows;
  for (const LockEntry* entry : options.locks) {
    if (!entry->traits.excludes) continue;
    for (const bool processes : {false, true}) {
      if (processes ? !options.processes || !entry->traits.process_shared
                    : !options.threads) {
        continue;
      }
      rows.emplace_back();
      rows.back().lock = entry;
      rows.back().processes = processes;
      const absl::Status status = Torture(options, rows.back());
      if (!status.ok()) return status;
    }
  }
  return rows;
}

std::string FormatTorture(const std::vector<TortureRow>& rows) {
  std::string text;
  for (const TortureRow& row : rows) {
    text += fmt::format(
        "{}-torture: {} {}: Writes: Total: {} Max/Min: {}/{} Fail: {}{}{}\n",
        row.lock->name, row.tasks, row.processes ? "processes" : "threads",
        row.grants, row.most, row.least, row.violations,
        row.violations != 0 ? " !!!" : "",
        row.trouble.empty() ? "" : ", " + row.trouble);
  }
  return text;
}

}  // namespace hackbench
