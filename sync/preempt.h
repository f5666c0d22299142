// SPDX-License-Identifier: MIT
// The four preemption models as what they put around a lock: nothing (none,
// voluntary), or a count whose way back to zero is a preemption point (full,
// lazy).
//
// Between tasks that the kernel schedules the count forbids nothing; it costs
// what it costs in the kernel and makes the points at which a model that asks
// for a switch gets one (`coop`). Count and request are two halves of one
// word, as on arm64: "none held and a switch wanted" is one test for zero. The
// count must stay with its owner: per task, never read through a cached
// pointer to a CPU.
#pragma once

#include <sched.h>

#include <cstdint>
#include <string_view>

#include "sync/lock_traits.h"

namespace hackbench::sync {

// Zero as a whole: nothing is held and a switch is wanted.
struct PreemptState {
  uint32_t count = 0;
  uint32_t no_resched = 1;
};
inline thread_local constinit PreemptState preempt_state;

// Asks this task for a switch at its next preemption point.
inline void SetNeedResched() { StoreRelaxed(&preempt_state.no_resched, 0U); }

// Gives the CPU away and withdraws the request.
[[gnu::noinline]] inline void Resched() {
  StoreRelaxed(&preempt_state.no_resched, 1U);
  sched_yield();
}

struct PreemptNone {
  static constexpr std::string_view kName = "none";
  static constexpr bool kCounts = false;
  static void Disable() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
  static void Enable() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
  static void MightSleep() {}
};

struct PreemptVoluntary : PreemptNone {
  static constexpr std::string_view kName = "voluntary";
  // A call, as the kernel's: it stands at many places.
  [[gnu::noinline]] static void MightSleep() {
    if (LoadRelaxed(&preempt_state.no_resched) == 0) Resched();
  }
};

struct PreemptFull {
  static constexpr std::string_view kName = "full";
  static constexpr bool kCounts = true;
  static void Disable() {
    ++preempt_state.count;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
  static void Enable() {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (--preempt_state.count == 0 &&
        LoadRelaxed(&preempt_state.no_resched) == 0) {
      Resched();
    }
  }
  static void MightSleep() {}
};

// The same around a lock; that a request is honoured later is the scheduler's.
struct PreemptLazy : PreemptFull {
  static constexpr std::string_view kName = "lazy";
};

enum class Call { kInline, kOutOfLine };

// spin_lock() and spin_unlock() over a lock: preemption off, then the lock. By
// the kernel's rule an unlock that is not forced inline is a call only where it
// must count.
template <class L, class Preempt, Call kCall>
class PreemptLock {
 public:
  bool Prepare(Arena& arena) { return MakeLock<L>(&lock_, arena); }

  [[gnu::always_inline]] LockResult Lock(Waiter& waiter) {
    if constexpr (kCall == Call::kInline) return LockHere(waiter);
    return LockCalled(waiter);
  }
  [[gnu::always_inline]] void Unlock(Waiter& waiter) {
    if constexpr (kCall == Call::kInline || !Preempt::kCounts) {
      UnlockHere(waiter);
    } else {
      UnlockCalled(waiter);
    }
  }

 private:
  [[gnu::always_inline]] LockResult LockHere(Waiter& waiter) {
    Preempt::Disable();
    const LockResult result = lock_.Lock(waiter);
    if (!Holds(result)) Preempt::Enable();
    return result;
  }
  [[gnu::always_inline]] void UnlockHere(Waiter& waiter) {
    lock_.Unlock(waiter);
    Preempt::Enable();
  }
  [[gnu::noinline]] LockResult LockCalled(Waiter& waiter) {
    return LockHere(waiter);
  }
  [[gnu::noinline]] void UnlockCalled(Waiter& waiter) { UnlockHere(waiter); }

  L lock_;
};

}  // namespace hackbench::sync
