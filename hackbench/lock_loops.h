// SPDX-License-Identifier: MIT
// What `hackbench locks` makes a lock do, as templates: the lock is known to
// the compiler in every loop, since a call through a pointer would cost more
// than the differences looked for.
#pragma once

#include <cstdint>
#include <functional>

#include "hackbench/clock.h"
#include "sync/lock_list.h"
#include "sync/message_queue.h"

namespace hackbench {

// Runs `body` with what tasks need for as long as they use this kind of lock.
template <class L>
void InSession(const std::function<void()>& body) {
  [[maybe_unused]] typename sync::SessionOf<L>::Type session;
  body();
}

// --- One task alone. ---------------------------------------------------------

template <class L>
[[gnu::noinline]] void TightLoop(void* memory, sync::Waiter& waiter, int ops) {
  L& lock = *static_cast<L*>(memory);
  for (int i = 0; i < ops; ++i) {
    if (!Holds(lock.Lock(waiter))) return;
    asm volatile("" ::: "memory");
    lock.Unlock(waiter);
  }
}

// About 50 ns of dependent multiplications between two holds.
inline uint64_t Think(uint64_t value, int steps) {
  for (int i = 0; i < steps; ++i) {
    value = value * 6364136223846793005 + 1442695040888963407;
    asm volatile("" : "+r"(value));
  }
  return value;
}
inline constexpr int kThinkSteps = 40;

template <class L>
[[gnu::noinline]] void SpacedLoop(void* memory, sync::Waiter& waiter, int ops) {
  L& lock = *static_cast<L*>(memory);
  uint64_t value = 1;
  for (int i = 0; i < ops; ++i) {
    if (!Holds(lock.Lock(waiter))) return;
    asm volatile("" ::: "memory");
    lock.Unlock(waiter);
    value = Think(value, kThinkSteps);
  }
}

// --- Two tasks on two CPUs. --------------------------------------------------

struct alignas(128) DuelSide {
  uint64_t done;
  int64_t start_ns;
  int64_t end_ns;
  uint64_t longest_wait_ns;  // Fairness pass only.
  uint64_t most_bypasses;
};

struct Duel {
  alignas(128) uint32_t arrived;
  uint32_t over;
  alignas(128) uint64_t grants;  // Under the lock.
  DuelSide sides[2];
};

// Until one side has done `ops`: both were there all the time. Counts what the
// other got meanwhile.
template <class L, bool kFairness>
void DuelLoop(void* memory, sync::Waiter& waiter, Duel& duel, int side,
              uint64_t ops) {
  L& lock = *static_cast<L*>(memory);
  DuelSide& mine = duel.sides[side];
  atomics::FetchAdd(&duel.arrived, 1);
  while (sync::LoadAcquire(&duel.arrived) < 2) atomics::Cpu::Relax();
  mine.start_ns = MonotonicNs();
  uint64_t done = 0;
  // relaxed: a flag, nothing is published with it.
  while (done < ops && sync::LoadRelaxed(&duel.over) == 0) {
    int64_t start_ns = 0;
    uint64_t before = 0;
    if constexpr (kFairness) {
      start_ns = MonotonicNs();
      before = sync::LoadRelaxed(&duel.grants);  // relaxed: a sample.
    }
    if (!Holds(lock.Lock(waiter))) break;
    if constexpr (kFairness) {
      const auto waited = static_cast<uint64_t>(MonotonicNs() - start_ns);
      const uint64_t bypasses = duel.grants - before;
      if (waited > mine.longest_wait_ns) mine.longest_wait_ns = waited;
      if (bypasses > mine.most_bypasses) mine.most_bypasses = bypasses;
    }
    if constexpr (kFairness) {
      sync::StoreRelaxed(&duel.grants, duel.grants + 1);
    }
    asm volatile("" ::: "memory");
    lock.Unlock(waiter);
    ++done;
    // relaxed: read by the other side when all is over.
    sync::StoreRelaxed(&mine.done, done);
  }
  sync::StoreRelaxed(&duel.over, 1U);
  mine.end_ns = MonotonicNs();
}

// Readers and one writer in `kReadsPerWrite` on two CPUs.
inline constexpr uint64_t kReadsPerWrite = 16;

template <class L>
void SharedDuelLoop(void* memory, sync::Waiter& waiter, Duel& duel, int side,
                    uint64_t ops) {
  if constexpr (sync::SharedLockable<L>) {
    L& lock = *static_cast<L*>(memory);
    DuelSide& mine = duel.sides[side];
    atomics::FetchAdd(&duel.arrived, 1);
    while (sync::LoadAcquire(&duel.arrived) < 2) atomics::Cpu::Relax();
    mine.start_ns = MonotonicNs();
    uint64_t done = 0;
    while (done < ops && sync::LoadRelaxed(&duel.over) == 0) {
      if (done % kReadsPerWrite == 0) {
        if (!Holds(lock.Lock(waiter))) break;
        duel.grants = duel.grants + 1;
        lock.Unlock(waiter);
      } else {
        if (!Holds(lock.LockShared(waiter))) break;
        asm volatile("" ::: "memory");
        lock.UnlockShared(waiter);
      }
      ++done;
      sync::StoreRelaxed(&mine.done, done);
    }
    sync::StoreRelaxed(&duel.over, 1U);
    mine.end_ns = MonotonicNs();
  }
}

// --- Many tasks, a fixed amount of work. -------------------------------------

inline constexpr uint32_t kSenders = 20;  // Of a group, and as many receivers.
inline constexpr uint32_t kGroupTasks = 2 * kSenders;

struct alignas(128) LadderSlot {
  uint64_t messages;
  int64_t finished_ns;
  uint64_t wrong;   // Lost, repeated or from nowhere.
  uint64_t failed;  // Lock() calls that did not hold.
  sync::LockEvents events;
};

struct LadderJob {
  void* queues;  // MessageQueue<L>[groups * kSenders]
  uint32_t messages_per_pair;
};

// Task `task` of the run: the first half of a group receives.
template <class L>
void LadderWork(const LadderJob& job, sync::Waiter& waiter, uint32_t task,
                LadderSlot& slot) {
  auto* queues = static_cast<sync::MessageQueue<L>*>(job.queues) +
                 task / kGroupTasks * kSenders;
  const uint32_t place = task % kGroupTasks;
  sync::TaskRecord& record = waiter.record();
  uint64_t messages = 0;
  if (place < kSenders) {
    sync::MessageQueue<L>& queue = queues[place];
    record.lock = waiter.arena().OffsetOf(&queue);
    uint32_t last[kSenders] = {};
    const uint64_t all = uint64_t{job.messages_per_pair} * kSenders;
    for (; messages < all; ++messages) {
      uint64_t message = 0;
      if (!Holds(queue.Pop(waiter, message))) break;
      const uint64_t sender = message >> 32;
      const bool right =
          sender < kSenders && static_cast<uint32_t>(message) == ++last[sender];
      slot.wrong += right ? 0 : 1;
    }
    slot.failed += messages < all ? 1 : 0;
  } else {
    const uint64_t sender = place - kSenders;
    const uint64_t all = uint64_t{job.messages_per_pair} * kSenders;
    for (; messages < all; ++messages) {
      sync::MessageQueue<L>& queue = queues[messages % kSenders];
      const uint64_t sequence = messages / kSenders + 1;
      if (!Holds(queue.Push(waiter, sender << 32 | sequence))) break;
    }
    slot.failed += messages < all ? 1 : 0;
  }
  slot.messages = messages;
  slot.events = waiter.events;
  // relaxed: read after the task has ended.
  sync::StoreRelaxed(&slot.finished_ns, MonotonicNs());
}

template <class L>
bool MakeQueues(void* memory, uint32_t count, sync::Arena& arena) {
  auto* queues = static_cast<sync::MessageQueue<L>*>(memory);
  for (uint32_t i = 0; i < count; ++i) {
    new (&queues[i]) sync::MessageQueue<L>;
    if (!sync::MakeLock<L>(&queues[i].lock(), arena)) return false;
  }
  return true;
}

// --- Torture. ----------------------------------------------------------------

struct TortureState {
  alignas(128) volatile uint64_t holders;  // Under the lock: 0 or 1.
  volatile uint64_t grants;
  alignas(128) uint32_t stop;
  uint32_t stutter;  // Everybody pauses while it is set.
};

struct alignas(128) TortureSlot {
  uint64_t grants;
  uint64_t violations;
  uint64_t failed;
  sync::LockEvents events;
};

template <class L>
void TortureWork(void* memory, sync::Waiter& waiter, TortureState& state,
                 TortureSlot& slot, uint64_t seed) {
  L& lock = *static_cast<L*>(memory);
  sync::TaskRecord& record = waiter.record();
  record.lock = waiter.arena().OffsetOf(memory);
  uint64_t random = seed * 2 + 1;
  while (sync::LoadRelaxed(&state.stop) == 0 && !waiter.Aborted()) {
    while (sync::LoadRelaxed(&state.stutter) != 0 &&
           sync::LoadRelaxed(&state.stop) == 0) {
      sched_yield();
    }
    random = random * 6364136223846793005 + 1442695040888963407;
    const sync::LockResult result = lock.Lock(waiter);
    if (result == sync::LockResult::kTimedOut) continue;
    if (!Holds(result)) {
      ++slot.failed;
      break;
    }
    sync::StoreRelaxed(&record.phase, sync::Phase::kOwner);
    state.holders = state.holders + 1;
    // Mostly short holds, now and then a long one, and one without a CPU.
    const uint64_t kind = random >> 54;
    Think(random, kind < 16 ? 2000 : static_cast<int>(kind / 128));
    if (kind >= 1016) sched_yield();
    if (state.holders != 1) ++slot.violations;
    state.holders = state.holders - 1;
    state.grants = state.grants + 1;
    sync::StoreRelaxed(&record.phase, sync::Phase::kIdle);
    lock.Unlock(waiter);
    ++slot.grants;
  }
  slot.events = waiter.events;
}

}  // namespace hackbench
