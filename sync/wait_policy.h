// SPDX-License-Identifier: MIT
// How a waiter passes the time until a condition holds. A template parameter of
// every lock: Until() waits, Wake() follows the store that made it true.
//
//   SpinWait    cpu_relax alone, as the kernel's spinlocks. Only where nobody
//               who waits can keep the holder off its CPU.
//   YieldWait   the spin budget, then sched_yield, then short naps: a yield
//               lets no lower priority run.
//   HybridWait  the spin budget, the yields, then a futex. Costs every unlock
//               one read-modify-write of the lock's bell.
//
// Until() returns false when the run was aborted: within 4096 spins, a yield or
// 100 ms of sleep. `done` may be called any number of times and should acquire.
#pragma once

#include <sched.h>
#include <time.h>

#include <cstdint>

#include "atomics/cmpxchg.h"
#include "sync/futex.h"
#include "sync/waiter.h"

namespace hackbench::sync {

inline constexpr uint32_t kSpinsPerAbortCheck = 4096;
inline constexpr int64_t kSleepNs = 100'000'000;
inline constexpr uint32_t kYieldsPerNap = 64;
inline constexpr int64_t kNapNs = 50'000;

// Spins while the budget lasts. True when done.
template <class Done>
bool SpinFor(uint32_t spins, Done done) {
  for (uint32_t i = 0; i < spins; ++i) {
    if (done()) return true;
    atomics::Cpu::Relax();
  }
  return done();
}

inline void YieldCpu(Waiter& waiter) {
  waiter.events.Count(LockEvent::kYielded);
  sched_yield();
}

struct SpinWait {
  static constexpr bool kPure = true;

  template <class Done>
  static bool Until(Waiter& waiter, const void*, Done done) {
    for (uint32_t i = 1;; ++i) {
      if (done()) return true;
      atomics::Cpu::Relax();
      if (i % kSpinsPerAbortCheck == 0 && waiter.Aborted()) return false;
    }
  }
  static void Wake(Waiter&, const void*) {}
};

struct YieldWait {
  static constexpr bool kPure = false;

  template <class Done>
  static bool Until(Waiter& waiter, const void*, Done done) {
    if (SpinFor(waiter.budget.spins, done)) return true;
    for (uint32_t i = 1; !waiter.Aborted(); ++i) {
      if (i % kYieldsPerNap == 0) {
        Nap();
      } else {
        YieldCpu(waiter);
      }
      if (done()) return true;
    }
    return false;
  }
  static void Wake(Waiter&, const void*) {}

 private:
  static void Nap() {
    const timespec nap = {0, kNapNs};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, nullptr);
  }
};

template <Scope kScope>
struct BasicHybridWait {
  static constexpr bool kPure = false;

  template <class Done>
  static bool Until(Waiter& waiter, const void* lock, Done done) {
    if (SpinFor(waiter.budget.spins, done)) return true;
    for (uint32_t i = 0; i < waiter.budget.yields; ++i) {
      YieldCpu(waiter);
      if (done()) return true;
    }
    return Sleep(waiter, waiter.BellOf(lock), done);
  }

  // Both sides change `sleepers`: either the waker sees the sleeper, or the
  // sleeper, coming second, sees what the waker had stored before.
  static void Wake(Waiter& waiter, const void* lock) {
    Bell& bell = waiter.BellOf(lock);
    if (atomics::FetchAdd<atomics::Order::kFull>(&bell.sleepers, 0) == 0) {
      return;
    }
    atomics::FetchAdd<atomics::Order::kFull>(&bell.sequence, 1);
    FutexWakeAll<kScope>(&bell.sequence);
  }

 private:
  template <class Done>
  [[gnu::noinline]] static bool Sleep(Waiter& waiter, Bell& bell, Done done) {
    using atomics::Order;
    atomics::FetchAdd<Order::kFull>(&bell.sleepers, 1);
    bool is_done = false;
    for (;;) {
      const uint32_t seen = LoadAcquire(&bell.sequence);
      is_done = done();
      if (is_done || waiter.Aborted()) break;
      waiter.events.Count(LockEvent::kSlept);
      FutexWait<kScope>(&bell.sequence, seen, kSleepNs);
    }
    atomics::FetchAdd<Order::kFull>(&bell.sleepers, uint32_t{0} - 1);
    return is_done;
  }
};
using HybridWait = BasicHybridWait<Scope::kShared>;

}  // namespace hackbench::sync
