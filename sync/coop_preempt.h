// SPDX-License-Identifier: MIT
// Preemption models for tasks that the kernel schedules (`model=coop`): a tick
// asks the task on a CPU for a switch, and the model says at which points it
// gives one.
//
// Requests stand in a page that all tasks share, one line per CPU; whoever
// ticks adds one. Between a look at the CPU's number and the look at its line
// the task may move: then a switch comes a point later or once too often, no
// more. The count forbids nothing; the kernel preempts as it always did, so the
// switches of this model are extra ones.
#pragma once

#include <sched.h>

#include <cstdint>
#include <string_view>

#include "atomics/current_cpu.h"
#include "sync/access.h"

namespace hackbench::sync {

// Ticks since the last switch on this CPU.
struct alignas(64) CpuRequest {
  uint32_t ticks;
};

struct CoopState {
  uint32_t count = 0;              // preempt_count of this task.
  CpuRequest* requests = nullptr;  // Null: nobody ticks.
  uint32_t num_cpus = 0;
  uint64_t switches = 0;
};
inline thread_local constinit CoopState coop_state;

inline CpuRequest* CoopRequest() {
  const uint32_t cpu = atomics::CurrentCpuId();
  return cpu < coop_state.num_cpus ? &coop_state.requests[cpu] : nullptr;
}

// Withdraws this CPU's request and gives the CPU away.
[[gnu::noinline, gnu::cold]] inline void CoopSwitch() {
  // relaxed here and below: a request orders nothing.
  if (CpuRequest* request = CoopRequest()) StoreRelaxed(&request->ticks, 0U);
  ++coop_state.switches;
  sched_yield();
}

// A preemption point: switches if at least `ticks` were counted.
inline void CoopPoint(uint32_t ticks) {
  if (coop_state.requests == nullptr) return;
  const CpuRequest* const request = CoopRequest();
  if (request != nullptr && LoadRelaxed(&request->ticks) >= ticks) {
    CoopSwitch();
  }
}

// After a sleep the task was switched to: what was asked before is done.
inline void CoopSlept() {
  if (coop_state.requests == nullptr) return;
  if (CpuRequest* request = CoopRequest()) StoreRelaxed(&request->ticks, 0U);
}

// Switches on the way back to user space only.
struct CoopNone {
  static constexpr std::string_view kName = "none";
  static constexpr std::string_view kSummary =
      "a request waits for the return to user space";
  static constexpr bool kCounts = false;
  static void Disable() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
  static void Enable() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
  static void MightSleep() {}
  static void UserReturn() { CoopPoint(1); }
};

// And where the code could sleep anyway.
struct CoopVoluntary : CoopNone {
  static constexpr std::string_view kName = "voluntary";
  static constexpr std::string_view kSummary =
      "also where the kernel says might_sleep()";
  [[gnu::noinline]] static void MightSleep() { CoopPoint(1); }
};

// Wherever the last lock is released.
template <uint32_t kTicks>
struct CoopCounted : CoopNone {
  static constexpr bool kCounts = true;
  static void Disable() {
    ++coop_state.count;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
  static void Enable() {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (--coop_state.count == 0) CoopPoint(kTicks);
  }
};
struct CoopFull : CoopCounted<1> {
  static constexpr std::string_view kName = "full";
  static constexpr std::string_view kSummary =
      "preempt_count; also where the last lock is released";
};

// There only when a second tick finds the first request still open.
struct CoopLazy : CoopCounted<2> {
  static constexpr std::string_view kName = "lazy";
  static constexpr std::string_view kSummary =
      "preempt_count; there only from the second tick on";
};

template <class... P>
struct CoopPreempts {};
using CoopPreemptList = CoopPreempts<  //
    CoopNone,                          //
    CoopVoluntary,                     //
    CoopFull,                          //
    CoopLazy>;

}  // namespace hackbench::sync
