// SPDX-License-Identifier: MIT
// For tests of locks: an arena with one lock of any kind in it, what it guards,
// and tasks of both sorts that start together.
#pragma once

#include <sched.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "atomics/pin.h"
#include "atomics/test_workers.h"
#include "sync/lock_list.h"

namespace hackbench::sync {

inline Arena MapOrDie(const ArenaConfig& config) {
  absl::StatusOr<Arena> arena = Arena::Map(config);
  if (!arena.ok()) std::abort();
  return *std::move(arena);
}

// Two counters that only a lock keeps equal. volatile: each access is made.
struct alignas(128) Guarded {
  volatile uint64_t first;
  volatile uint64_t second;
  volatile uint64_t violations;
  uint32_t arrived;  // Tasks at the start.
  uint32_t failed;   // Lock() calls that did not hold.
};

template <class L>
class Rig {
 public:
  explicit Rig(uint32_t tasks, const WaitBudget& wait_budget = {})
      : arena_(MapOrDie({.tasks = tasks})),
        budget_(wait_budget),
        tasks_(tasks),
        lock_(MakeOne()),
        guarded_(static_cast<Guarded*>(arena_.Allocate(sizeof(Guarded)))) {}

  Arena& arena() { return arena_; }
  L& lock() { return *lock_; }
  Guarded& guarded() { return *guarded_; }
  const WaitBudget& budget() const { return budget_; }
  L* MakeOne() {
    void* memory = arena_.Allocate(sizeof(L));
    if (memory == nullptr || !MakeLock<L>(memory, arena_)) std::abort();
    return static_cast<L*>(memory);
  }

  // Everybody is here; nobody keeps the CPU from who is not.
  void AwaitStart() {
    atomics::FetchAdd(&guarded_->arrived, 1);
    while (LoadAcquire(&guarded_->arrived) < tasks_) sched_yield();
  }

  // What a task does: `rounds` changes that are wrong unless alone.
  void Work(int task, int rounds) {
    [[maybe_unused]] typename SessionOf<L>::Type session;
    Waiter waiter(arena_, static_cast<uint32_t>(task), budget_);
    AwaitStart();
    for (int i = 0; i < rounds; ++i) {
      LockResult result;
      do {
        result = lock_->Lock(waiter);
        // On a busy machine a time limit may pass: no fault of the lock's.
      } while (result == LockResult::kTimedOut);
      if (!Holds(result)) {
        atomics::FetchAdd(&guarded_->failed, 1);
        return;
      }
      Change(i);
      lock_->Unlock(waiter);
    }
  }

  // Whether all that happened is what one after the other would have left.
  bool IsIntact(int rounds) {
    const uint64_t expected = uint64_t{tasks_} * static_cast<unsigned>(rounds);
    return guarded_->failed == 0 && guarded_->violations == 0 &&
           guarded_->first == expected && guarded_->second == expected;
  }

 private:
  void Change(int round) {
    if (guarded_->first != guarded_->second) {
      guarded_->violations = guarded_->violations + 1;
    }
    guarded_->first = guarded_->first + 1;
    // Now and then others get the CPU while it is held.
    if (round % 16 == 0) sched_yield();
    guarded_->second = guarded_->second + 1;
  }

  Arena arena_;
  WaitBudget budget_;
  uint32_t tasks_;
  L* lock_;
  Guarded* guarded_;
};

// Those who spin need a CPU each: a lock that serves in order would otherwise
// pass a time slice per round. With more tasks such locks are tested in their
// other forms of waiting.
template <class L>
std::vector<int> TaskCounts() {
  const auto cpus = static_cast<int>(atomics::AllowedCpus().size());
  std::vector<int> counts = {1};
  if (cpus > 1) counts.push_back(cpus);
  if (cpus < 64 && !L::kTraits.pure_spin) counts.push_back(64);
  return counts;
}

template <class L>
int RoundsFor(int tasks) {
  const bool many = tasks > static_cast<int>(atomics::AllowedCpus().size());
  return atomics::Rounds(many || (L::kTraits.pure_spin && tasks > 1) ? 200
                                                                     : 2000);
}

}  // namespace hackbench::sync
