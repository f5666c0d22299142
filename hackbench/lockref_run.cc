// SPDX-License-Identifier: MIT
#include "hackbench/lockref_run.h"

#include <absl/status/status.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "atomics/pin.h"
#include "hackbench/clock.h"
#include "hackbench/dcache.h"
#include "hackbench/lock_tasks.h"
#include "hackbench/refcount_list.h"

namespace hackbench {
namespace {

constexpr int64_t kNsPerMs = 1'000'000;
constexpr int64_t kPatienceNs = 10'000 * kNsPerMs;
constexpr uint64_t kLoopsPerLook = 64;  // At the clock.

struct alignas(128) LoopSlot {
  uint64_t loops;
  uint64_t wrong;  // Paths not found, blocks torn.
};

struct alignas(128) LoopState {
  uint32_t stop;
  alignas(128) int64_t elapsed_ns;
};

struct LoopJob {
  int64_t sample_ns;
  int steps;
  bool walk;
};

template <class Count>
bool LookUp(Dcache<Count>& cache, const LoopJob& job, sync::Waiter& waiter,
            uint64_t& work) {
  if (!job.walk) {
    Count& count = cache.last().count;
    return count.Get(waiter) && count.Put(waiter);
  }
  const uint32_t at = cache.Walk(job.steps, work);
  if (at == 0) return false;
  Dentry<Count>& entry = cache.entry(at);
  if (!entry.count.Get(waiter)) return false;
  DcacheStat copy = entry.stat;
  asm volatile("" : "+m"(copy));
  return entry.count.Put(waiter) && copy.bytes[0] == copy.bytes.back();
}

// Task 0 keeps the time.
template <class Count>
void Loop(Dcache<Count>& cache, const LoopJob& job, sync::Waiter& waiter,
          uint32_t task, LoopState& state, LoopSlot& slot) {
  const int64_t start_ns = MonotonicNs();
  uint64_t work = task + 1;
  uint64_t loops = 0;
  // relaxed: a flag, nothing is published with it.
  while (sync::LoadRelaxed(&state.stop) == 0) {
    if (!LookUp(cache, job, waiter, work)) {
      ++slot.wrong;
      if (waiter.Aborted()) break;
    }
    if (++loops % kLoopsPerLook != 0 || task != 0) continue;
    const int64_t elapsed_ns = MonotonicNs() - start_ns;
    if (elapsed_ns < job.sample_ns) continue;
    state.elapsed_ns = elapsed_ns;
    sync::StoreRelaxed(&state.stop, 1U);
  }
  slot.loops = loops;
}

// Loops per second of all tasks.
template <class Count>
absl::StatusOr<double> Sample(const LockrefOptions& options, uint32_t tasks,
                              const LoopJob& job,
                              const std::vector<int>& cpus) {
  absl::StatusOr<sync::Arena> arena = sync::Arena::Map(
      {.tasks = tasks,
       .lock_bytes = sizeof(Dcache<Count>) + tasks * sizeof(LoopSlot) + 4096});
  if (!arena.ok()) return arena.status();
  auto* cache =
      static_cast<Dcache<Count>*>(arena->Allocate(sizeof(Dcache<Count>)));
  auto* state = static_cast<LoopState*>(arena->Allocate(sizeof(LoopState)));
  auto* slots =
      static_cast<LoopSlot*>(arena->Allocate(tasks * sizeof(LoopSlot)));
  if (cache == nullptr || state == nullptr || slots == nullptr) {
    return absl::ResourceExhaustedError("no room for the directory cache");
  }
  cache->Fill();
  if (!cache->last().count.Prepare(*arena)) {
    return absl::ResourceExhaustedError("cannot make the count");
  }
  const bool pin = tasks <= cpus.size();
  const absl::StatusOr<TasksResult> result = RunLockTasks(
      *arena, tasks, options.processes, job.sample_ns + kPatienceNs,
      [&](uint32_t task) {
        if (pin) atomics::PinToCpu(cpus[task]);
        sync::Waiter waiter(*arena, task, sync::WaitBudget::Calibrated());
        Loop(*cache, job, waiter, task, *state, slots[task]);
      });
  if (!result.ok()) return result.status();
  if (!result->run.completed) {
    return absl::DeadlineExceededError("a task died or did not end");
  }
  uint64_t loops = 0;
  for (uint32_t task = 0; task < tasks; ++task) {
    loops += slots[task].loops;
    if (slots[task].wrong != 0) {
      return absl::InternalError("a path was not found or a block was torn");
    }
  }
  if (cache->last().count.count() != 0) {
    return absl::InternalError("references were lost");
  }
  return static_cast<double>(loops) * 1e9 /
         static_cast<double>(state->elapsed_ns);
}

// Steps of work per component, so that a walk takes what was asked for.
int StepsFor(int64_t walk_ns) {
  auto cache = std::make_unique<Dcache<NoCount>>();
  cache->Fill();
  constexpr int kWalks = 2000;
  const auto walk_of = [&](int steps) {
    double best_ns = 1e18;
    uint64_t work = 1;
    for (int batch = 0; batch < 5; ++batch) {
      const int64_t start_ns = MonotonicNs();
      for (int i = 0; i < kWalks; ++i) {
        const uint32_t at = cache->Walk(steps, work);
        asm volatile("" : : "r"(at));
      }
      best_ns = std::min(
          best_ns, static_cast<double>(MonotonicNs() - start_ns) / kWalks);
    }
    return best_ns;
  };
  constexpr int kProbe = 50;
  const double bare_ns = walk_of(0);
  const double step_ns = (walk_of(kProbe) - bare_ns) / kProbe;
  if (step_ns <= 0) return 0;
  const double steps = (static_cast<double>(walk_ns) - bare_ns) / step_ns;
  return std::max(0, static_cast<int>(steps));
}

// Those that only spin get a CPU each: with more tasks they collapse, which
// says nothing about counting.
template <class Refcount>
bool Wanted(const LockrefOptions& options, const RefcountTable& table,
            const Refcount& count) {
  if (!table.pinned && !count.adaptive) return false;
  return options.counts.empty() ||
         std::find(options.counts.begin(), options.counts.end(), count.name) !=
             options.counts.end();
}

absl::Status MeasureTable(const LockrefOptions& options,
                          const std::vector<int>& cpus, RefcountTable& table) {
  const LoopJob job = {options.sample_ms * kNsPerMs, table.steps,
                       table.realistic};
  ForEachRefcount([&](const auto& refcount) {
    if (!Wanted(options, table, refcount)) return;
    table.rows.push_back({refcount.name, refcount.twin, refcount.adaptive, {}});
  });
  absl::Status status;
  // Round 0 warms up.
  for (uint32_t round = 0; round <= options.repetitions; ++round) {
    size_t next = 0;
    ForEachRefcount([&](const auto& refcount) {
      using Count = typename std::decay_t<decltype(refcount)>::Count;
      if (!status.ok() || !Wanted(options, table, refcount)) return;
      RefcountRow& row = table.rows[next++];
      const absl::StatusOr<double> sample =
          Sample<Count>(options, table.tasks, job, cpus);
      if (!sample.ok()) {
        status = absl::Status(
            sample.status().code(),
            fmt::format("{} with {} tasks: {}", row.name, table.tasks,
                        std::string(sample.status().message())));
      } else if (round != 0) {
        row.loops_per_s.push_back(*sample);
      }
    });
    if (!status.ok()) return status;
  }
  return status;
}

}  // namespace

PairedRatio CompareRounds(std::span<const double> these,
                          std::span<const double> those) {
  std::vector<double> ratios;
  for (size_t i = 0; i < these.size() && i < those.size(); ++i) {
    ratios.push_back(these[i] / those[i]);
  }
  if (ratios.empty()) return {};
  std::sort(ratios.begin(), ratios.end());
  const size_t n = ratios.size();
  // The most rounds that may be left out at each end: the chance that so few
  // lie on one side of the true median is at most 2.5 %.
  double chance = std::pow(0.5, static_cast<double>(n));
  double sum = chance;
  size_t out = 0;
  while (sum <= 0.025 && out < n / 2) {
    ++out;
    chance *= static_cast<double>(n - out + 1) / static_cast<double>(out);
    sum += chance;
  }
  const size_t low = out == 0 ? 0 : out - 1;
  return {ratios[n / 2], ratios[low], ratios[n - 1 - low]};
}

absl::StatusOr<std::vector<RefcountTable>> MeasureLockref(
    const LockrefOptions& options) {
  const std::vector<int> cpus = atomics::AllowedCpus();
  std::vector<RefcountTable> tables;
  const int steps = options.realistic_walk ? StepsFor(options.walk_ns) : 0;
  for (const bool realistic : {false, true}) {
    if (realistic ? !options.realistic_walk : !options.empty_walk) continue;
    for (const uint32_t tasks : options.tasks) {
      RefcountTable table;
      table.tasks = tasks;
      table.realistic = realistic;
      table.pinned = tasks <= cpus.size();
      table.steps = realistic ? steps : 0;
      const absl::Status status = MeasureTable(options, cpus, table);
      if (!status.ok()) return status;
      tables.push_back(std::move(table));
    }
  }
  return tables;
}

}  // namespace hackbench
