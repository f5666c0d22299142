// SPDX-License-Identifier: MIT
#include "hackbench/locks_run.h"

#include <absl/status/status.h>

#include <algorithm>
#include <cstddef>
#include <thread>

#include "atomics/measure.h"
#include "hackbench/clock.h"

namespace hackbench {
namespace {

// Short, so that few meet an interrupt.
constexpr int kTightOps = 2000;
constexpr int kBatches = 10;  // Of each round.
constexpr uint64_t kDuelOps = 20000;
constexpr size_t kBytesPerLock = 512;

sync::WaitBudget BudgetOf(const LocksOptions& options) {
  return sync::WaitBudget::Calibrated(options.spin_ns, options.yields);
}

// One lock of each row; the list is short, so that this cannot fail but for
// memory.
absl::StatusOr<sync::Arena> MakeLocks(const LocksOptions& options,
                                      uint32_t tasks,
                                      std::vector<void*>& memory) {
  absl::StatusOr<sync::Arena> arena = sync::Arena::Map(
      {.tasks = tasks,
       .lock_bytes = kBytesPerLock * (options.locks.size() + 16)});
  if (!arena.ok()) return arena;
  for (const LockEntry* entry : options.locks) {
    memory.push_back(arena->Allocate(entry->bytes));
    if (memory.back() == nullptr || !entry->make(memory.back(), *arena)) {
      return absl::ResourceExhaustedError("no room for the locks");
    }
  }
  return arena;
}

template <class Body>
double NsPerOp(int ops, Body body) {
  const int64_t start_ns = MonotonicNs();
  body();
  return static_cast<double>(MonotonicNs() - start_ns) / ops;
}

// The loop of other work alone, for what a lock adds to it.
double SpaceNs(sync::Waiter& waiter) {
  sync::NoneLock none;
  return NsPerOp(kTightOps,
                 [&] { SpacedLoop<sync::NoneLock>(&none, waiter, kTightOps); });
}

double Jain(double a, double b) {
  const double squares = 2 * (a * a + b * b);
  return squares == 0 ? 1 : (a + b) * (a + b) / squares;
}

using DuelFunction = void (*)(void*, sync::Waiter&, Duel&, int, uint64_t);

// Both sides; false when one could not lock.
void RunDuel(const LockEntry& entry, void* lock, DuelFunction loop,
             sync::Arena& arena, const sync::WaitBudget& budget,
             const std::vector<int>& cpus, Duel& duel, ContendedRow& row) {
  new (&duel) Duel{};
  const auto side = [&](int i) {
    atomics::PinToCpu(cpus[static_cast<size_t>(i)]);
    entry.in_session([&] {
      sync::Waiter waiter(arena, static_cast<uint32_t>(i), budget);
      loop(lock, waiter, duel, i, kDuelOps);
      if (i != 0) return;
      for (size_t event = 0; event < sync::kNumLockEvents; ++event) {
        row.events.counts[event] += waiter.events.counts[event];
      }
    });
  };
  std::thread first(side, 0);
  std::thread second(side, 1);
  first.join();
  second.join();
}

double DuelNs(const Duel& duel) {
  const int64_t start_ns =
      std::min(duel.sides[0].start_ns, duel.sides[1].start_ns);
  const int64_t end_ns = std::min(duel.sides[0].end_ns, duel.sides[1].end_ns);
  const uint64_t done = duel.sides[0].done + duel.sides[1].done;
  return static_cast<double>(end_ns - start_ns) / static_cast<double>(done);
}

}  // namespace

double Samples::Quantile(double share) const {
  if (values_.empty()) return 0;
  std::vector<double> sorted = values_;
  const auto rank = static_cast<ptrdiff_t>(
      share * static_cast<double>(sorted.size() - 1) + 0.5);
  std::nth_element(sorted.begin(), sorted.begin() + rank, sorted.end());
  return sorted[static_cast<size_t>(rank)];
}

namespace {

void MeasureRows(const LocksOptions& options, const std::vector<void*>& memory,
                 sync::Arena& arena, std::vector<UncontendedRow>& rows) {
  atomics::PinToCpu(atomics::AllowedCpus().front());
  sync::Waiter waiter(arena, 0, BudgetOf(options));
  // Round 0 warms up.
  for (uint32_t round = 0; round <= options.repetitions; ++round) {
    for (size_t i = 0; i < rows.size(); ++i) {
      const LockEntry& entry = *options.locks[i];
      rows[i].lock = &entry;
      entry.in_session([&] {
        for (int batch = 0; batch < kBatches; ++batch) {
          const double tight_ns = NsPerOp(
              kTightOps, [&] { entry.tight(memory[i], waiter, kTightOps); });
          const double spaced_ns = NsPerOp(
              kTightOps, [&] { entry.spaced(memory[i], waiter, kTightOps); });
          const double space_ns = SpaceNs(waiter);
          if (round == 0) continue;
          rows[i].tight_ns.Add(tight_ns);
          rows[i].spaced_ns.Add(spaced_ns - space_ns);
        }
      });
    }
  }
}

}  // namespace

std::vector<UncontendedRow> MeasureUncontended(const LocksOptions& options) {
  std::vector<void*> memory;
  absl::StatusOr<sync::Arena> arena = MakeLocks(options, 1, memory);
  std::vector<UncontendedRow> rows(options.locks.size());
  if (!arena.ok()) return rows;
  // In a second thread: alone, the C library leaves the atomics out of its
  // private mutexes.
  std::thread([&] { MeasureRows(options, memory, *arena, rows); }).join();
  return rows;
}

absl::StatusOr<ContendedTable> MeasureContended(const LocksOptions& options,
                                                bool readers) {
  ContendedTable table;
  table.cpus = atomics::AllowedCpus();
  if (table.cpus.size() < 2) {
    return absl::FailedPreconditionError(
        "--mode contended and rw need two CPUs; this process may use one");
  }
  table.cpus.resize(2);
  std::vector<void*> memory;
  absl::StatusOr<sync::Arena> arena = MakeLocks(options, 2, memory);
  if (!arena.ok()) return arena.status();
  auto* duel = static_cast<Duel*>(arena->Allocate(sizeof(Duel)));
  if (duel == nullptr) return absl::ResourceExhaustedError("no room");
  const sync::WaitBudget budget = BudgetOf(options);
  const atomics::PinnedScope pinned(table.cpus[0]);
  for (uint32_t round = 0; round <= options.repetitions; ++round) {
    table.round_trip_ns.Add(atomics::SampleRoundTrip(table.cpus[1]).ns);
    size_t next = 0;
    for (size_t i = 0; i < options.locks.size(); ++i) {
      const LockEntry& entry = *options.locks[i];
      if (readers ? !entry.shared : !entry.traits.excludes) continue;
      if (round == 0) table.rows.emplace_back();
      ContendedRow& row = table.rows[next++];
      row.lock = &entry;
      RunDuel(entry, memory[i], readers ? entry.shared_duel : entry.duel,
              *arena, budget, table.cpus, *duel, row);
      if (round == 0) continue;
      row.ns.Add(DuelNs(*duel));
      row.jain.Add(Jain(static_cast<double>(duel->sides[0].done),
                        static_cast<double>(duel->sides[1].done)));
      if (readers) continue;
      RunDuel(entry, memory[i], entry.fair_duel, *arena, budget, table.cpus,
              *duel, row);
      for (const DuelSide& side : duel->sides) {
        row.longest_wait_ns =
            std::max(row.longest_wait_ns, side.longest_wait_ns);
        row.most_bypasses = std::max(row.most_bypasses, side.most_bypasses);
      }
    }
  }
  return table;
}

}  // namespace hackbench
