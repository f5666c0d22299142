// SPDX-License-Identifier: MIT
// The ladder of `hackbench locks --mode oversubscribed`: groups of 20 senders
// and 20 receivers, each receiver with a queue of 64 slots under the lock, and
// the same number of messages in all however many tasks there are. Fixed work,
// since with thousands of tasks most would never run in a fixed time.
#include <absl/status/status.h>
#include <fmt/format.h>

#include <algorithm>

#include "hackbench/lock_tasks.h"
#include "hackbench/locks_run.h"

namespace hackbench {
namespace {

struct Cell {
  uint32_t tasks;
  bool processes;
};

std::vector<Cell> CellsOf(const LocksOptions& options) {
  std::vector<Cell> cells;
  for (const uint32_t tasks : options.tasks) {
    if (options.threads) cells.push_back({tasks, false});
    if (options.processes) cells.push_back({tasks, true});
  }
  return cells;
}

std::string TroubleOf(const sync::SupervisedRun& run) {
  if (run.reason == sync::AbortReason::kDeadline) return "deadline passed";
  if (run.reason == sync::AbortReason::kTaskDied) return run.death.Describe();
  return "aborted";
}

absl::Status RunOnce(const LocksOptions& options, LadderRow& row) {
  const LockEntry& entry = *row.lock;
  const uint32_t groups = row.tasks / kGroupTasks;
  const uint32_t num_queues = groups * kSenders;
  absl::StatusOr<sync::Arena> arena = sync::Arena::Map(
      {.tasks = row.tasks,
       .spare_nodes = std::min(
           num_queues, sync::kMaxNodes - 1 - row.tasks * sync::kNodesPerTask),
       .lock_bytes = num_queues * entry.queue_bytes +
                     row.tasks * sizeof(LadderSlot) + 4096});
  if (!arena.ok()) return arena.status();
  LadderJob job;
  job.queues = arena->Allocate(num_queues * entry.queue_bytes);
  job.messages_per_pair =
      std::max(1U, options.messages / (groups * kSenders * kSenders));
  auto* slots =
      static_cast<LadderSlot*>(arena->Allocate(row.tasks * sizeof(LadderSlot)));
  if (job.queues == nullptr || slots == nullptr ||
      !entry.make_queues(job.queues, num_queues, *arena)) {
    return absl::ResourceExhaustedError("no room for the queues");
  }
  const sync::WaitBudget budget =
      sync::WaitBudget::Calibrated(options.spin_ns, options.yields);
  const absl::StatusOr<TasksResult> result =
      RunLockTasks(*arena, row.tasks, row.processes, options.deadline_ns,
                   [&](uint32_t task) {
                     entry.in_session([&] {
                       sync::Waiter waiter(*arena, task, budget);
                       entry.ladder(job, waiter, task, slots[task]);
                     });
                   });
  if (!result.ok()) return result.status();

  uint64_t received = 0;
  uint64_t failed = 0;
  int64_t end_ns = 0;
  for (uint32_t task = 0; task < row.tasks; ++task) {
    const LadderSlot& slot = slots[task];
    if (task % kGroupTasks < kSenders) received += slot.messages;
    row.wrong += slot.wrong;
    failed += slot.failed;
    end_ns = std::max(end_ns, slot.finished_ns);
    for (size_t event = 0; event < sync::kNumLockEvents; ++event) {
      row.events.counts[event] += slot.events.counts[event];
    }
  }
  const uint64_t expected =
      uint64_t{job.messages_per_pair} * groups * kSenders * kSenders;
  ++row.runs;
  row.worst_share_done =
      std::min(row.worst_share_done,
               static_cast<double>(received) / static_cast<double>(expected));
  if (!result->run.completed || failed != 0 || received != expected) {
    if (row.trouble.empty()) row.trouble = TroubleOf(result->run);
    return absl::OkStatus();
  }
  ++row.completed;
  row.wall_s.Add(static_cast<double>(end_ns - result->start_ns) / 1e9);
  row.cpu_s.Add(result->cpu_s);
  row.switches.Add(static_cast<double>(result->switches));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<LadderRow>> MeasureLadder(
    const LocksOptions& options) {
  std::vector<LadderRow> rows;
  for (const Cell& cell : CellsOf(options)) {
    const size_t first = rows.size();
    for (const LockEntry* entry : options.locks) {
      // Without exclusion the queue itself would break.
      if (!entry->traits.excludes || entry->name == "busted") continue;
      if (cell.processes && !entry->traits.process_shared) continue;
      rows.emplace_back();
      rows.back().lock = entry;
      rows.back().tasks = cell.tasks;
      rows.back().processes = cell.processes;
    }
    for (uint32_t round = 0; round < options.repetitions; ++round) {
      for (size_t i = first; i < rows.size(); ++i) {
        const absl::Status status = RunOnce(options, rows[i]);
        if (!status.ok()) return status;
      }
    }
  }
  return rows;
}

}  // namespace hackbench
