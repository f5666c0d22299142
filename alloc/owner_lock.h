// SPDX-License-Identifier: MIT
// The spinlock of the allocator's slow paths, which survives its owner: the
// word says which worker holds it, and a lock of the dead is stolen.
//
// Workers have slots that whoever starts them hands out (a pid may be reused
// while a lock still names it). The parent that reaps a worker calls
// MarkWorkerDead(); from then on the locks it held are free to steal, and the
// thief must repair what they guard before it relies on it. Callers that never
// adopt a slot share slot 0, which never dies. Not for signal handlers.
#pragma once

#include <sched.h>

#include <cstddef>
#include <cstdint>

#include "atomics/cmpxchg.h"

namespace hackbench::alloc {

inline constexpr uint32_t kMaxWorkers = 1U << 16;

// One count per slot in memory that all processes share: how many workers of
// that slot have died. Made by the first heap, before any fork.
inline uint32_t* worker_deaths = nullptr;

// Maps the table once; false when the kernel refuses.
bool MapWorkerTable();

// {deaths of the slot before this worker, slot + 1}.
inline thread_local constinit uint64_t current_worker = 1;

inline uint32_t DeathsOf(uint32_t slot) {
  // acquire: pairs with MarkWorkerDead, what the dead wrote is seen.
  return __atomic_load_n(&worker_deaths[slot], __ATOMIC_ACQUIRE);
}

// The calling thread is the worker of `slot` from here on.
inline void AdoptWorkerSlot(uint32_t slot) {
  current_worker = uint64_t{DeathsOf(slot)} << 32 | (slot + 1);
}

// The worker of `slot` is gone: reaped, or joined. Never call it early.
inline void MarkWorkerDead(uint32_t slot) {
  __atomic_fetch_add(&worker_deaths[slot], 1, __ATOMIC_RELEASE);
}

inline bool IsDead(uint64_t worker) {
  const auto slot = static_cast<uint32_t>(worker) - 1;
  return slot < kMaxWorkers && DeathsOf(slot) != worker >> 32;
}

enum class Taken { kNo, kYes, kStolen };

class OwnerLock {
 public:
  // kNo: a living worker holds it.
  Taken TryLock() {
    uint64_t owner = 0;
    if (atomics::Cmpxchg<atomics::Order::kAcquire>(&word_, owner,
                                                   current_worker)) {
      return Taken::kYes;
    }
    return StealFrom(owner) ? Taken::kStolen : Taken::kNo;
  }

  // True when it was stolen: repair first.
  [[nodiscard]] bool Lock() {
    for (int spins = 0;; ++spins) {
      const Taken taken = TryLock();
      if (taken != Taken::kNo) return taken == Taken::kStolen;
      WaitALittle(spins);
    }
  }

  void Unlock() { __atomic_store_n(&word_, 0, __ATOMIC_RELEASE); }

  [[nodiscard]] bool IsHeld() const {
    return __atomic_load_n(&word_, __ATOMIC_RELAXED) != 0;
  }

 private:
  static constexpr int kSpinsBeforeYield = 64;

  bool StealFrom(uint64_t owner) {
    if (owner == 0 || !IsDead(owner)) return false;
    return atomics::Cmpxchg<atomics::Order::kAcquire>(&word_, owner,
                                                      current_worker);
  }

  // Looks without writing while it is held: waiters share the line.
  void WaitALittle(int spins) const {
    if (spins >= kSpinsBeforeYield) sched_yield();
    for (int i = 0; i < 16 && IsHeld(); ++i) atomics::Cpu::Relax();
  }

  uint64_t word_ = 0;
};
static_assert(sizeof(OwnerLock) == 8);

}  // namespace hackbench::alloc
