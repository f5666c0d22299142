// SPDX-License-Identifier: MIT
// One task of the user plane: what it holds while it runs, and the few
// operations that both message models are written in.
//
// Made in the task itself, after the fork. What it counts stays on its stack
// until Publish().
#pragma once

#include <time.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "atomics/arch.h"
#include "hackbench/payload.h"
#include "hackbench/user_parts.h"
#include "hackbench/user_tally.h"
#include "hackbench/wake_line.h"
#include "hackbench/worker_loop.h"
#include "sync/arena.h"
#include "sync/coop_preempt.h"
#include "sync/waiter.h"

namespace hackbench {

// What all tasks of a run use. Filled before the first of them starts; all
// addresses are the same in every process.
struct UserRun {
  const UserParts* parts = nullptr;
  const WakeLine* wake = nullptr;
  sync::Arena* arena = nullptr;
  alloc::AnyAllocator* allocator = nullptr;
  alloc::Cache* heads = nullptr;
  uintptr_t heap_base = 0;
  sync::WaitBudget wait_budget;
  // Longer messages go in pieces of so many bytes.
  size_t piece_bytes = kPieceBytes;
  std::byte* endpoints = nullptr;
  size_t endpoint_bytes = 0;
  EndpointTable* tables = nullptr;  // One per group.
  uint32_t ring_mask = 0;
  size_t slot_bytes = 0;          // Of a ring without allocation.
  uint64_t truesize = 0;          // What a message of a whole piece is charged.
  uint64_t head_bytes = 0;        // What the allocator hands out for a head,
  uint64_t data_bytes = 0;        // and for the data of a whole piece.
  uint64_t long_step_cycles = 0;  // A sample beyond it was interrupted.
  sync::CpuRequest* requests = nullptr;
  uint32_t num_cpus = 0;
  UserTally* tallies = nullptr;
  bool phases = false;
  uint64_t clock_cycles = 0;  // What a look at the counter costs.
};

class UserTask {
 public:
  // One message in so many is timed under --phases.
  static constexpr uint64_t kSampleEvery = 64;

  UserTask(const UserRun& user_run, const TaskContext& task_context)
      : run(user_run),
        context(task_context),
        slot(*task_context.slot),
        waiter(*user_run.arena, task_context.task, user_run.wait_budget) {}
  UserTask(const UserTask&) = delete;
  UserTask& operator=(const UserTask&) = delete;

  EndpointHead* EndpointOf(uint32_t receiver) const {
    const size_t number =
        size_t{context.group} * context.workload->fds + receiver;
    return reinterpret_cast<EndpointHead*>(run.endpoints +
                                           number * run.endpoint_bytes);
  }
  EndpointTable& table() const { return run.tables[context.group]; }

  // The task is in `step` from here on.
  void Mark(Step step) {
    // Relaxed: read after a death, which orders everything.
    slot.step.store(step, std::memory_order_relaxed);
    if (sampling_) [[unlikely]] {
      Sample(step);
    }
  }
  void BeginMessage() {
    if (!run.phases || ++messages_ % kSampleEvery != 0) [[likely]] {
      return;
    }
    sampling_ = true;
    ++tally.sampled_messages;
    step_ = Step::kOutside;
    since_ = atomics::Cpu::ReadCycles();
  }
  void EndMessage() {
    Mark(Step::kOutside);
    sampling_ = false;
  }

  // Before the first write of a process to shared memory that has just been
  // allocated. The kernel's own memory never faults; ours does in every process
  // once a page. A read lets the kernel map all pages there are around it
  // (fault_around_bytes), a write only one.
  void TouchAround(const void* object) {
    const size_t window =
        (reinterpret_cast<uintptr_t>(object) - run.heap_base) / kWindowBytes;
    uint64_t& word = windows_[window / 64 % windows_.size()];
    const uint64_t bit = uint64_t{1} << window % 64;
    if ((word & bit) != 0) [[likely]] {
      return;
    }
    word |= bit;
    static_cast<void>(*static_cast<const volatile char*>(object));
  }

  // Repeats `acquire` while it times out. False when it will never be had.
  template <class Acquire>
  bool Hold(Acquire acquire) {
    for (uint32_t attempt = 0;; ++attempt) {
      const sync::LockResult result = acquire();
      if (Holds(result)) [[likely]] {
        return true;
      }
      if (result != sync::LockResult::kTimedOut) {
        return Fail(Fault::kLock, static_cast<uint64_t>(result));
      }
      BackOff(attempt);
    }
  }

  bool WakeReader(EndpointHead& peer, uint32_t receiver) {
    ++tally.wakeups;
    const int fd = FdOf(context.write_fds, receiver);
    return run.wake->give(fd, &peer.reader_tokens, 1, slot);
  }
  bool WakeSpaceSleepers(EndpointHead& own, uint32_t sleepers) {
    tally.wakeups += sleepers;
    return run.wake->give(context.space_fd, &own.space_tokens, sleepers, slot);
  }
  bool SleepForMessage(EndpointHead& own) {
    ++tally.reader_sleeps;
    return Sleep(context.read_fd, &own.reader_tokens);
  }
  bool SleepForSpace(EndpointHead& peer, uint32_t receiver) {
    ++tally.space_sleeps;
    return Sleep(FdOf(context.space_fds, receiver), &peer.space_tokens);
  }

  bool Fail(Fault fault, uint64_t value) {
    return RecordFault(slot, fault, value);
  }

  void Publish() {
    tally.lock_events = waiter.events;
    tally.coop_switches = sync::coop_state.switches;
    run.tallies[context.task] = tally;
  }

  const UserRun& run;
  const TaskContext& context;
  TaskSlot& slot;
  sync::Waiter waiter;
  UserTally tally;

 private:
  static int FdOf(std::span<const int> fds, uint32_t receiver) {
    return fds.empty() ? -1 : fds[receiver];
  }

  // Between two time limits of a resilient lock. With thousands of tasks its
  // queue gives up as a whole, and would fill up again at once.
  [[gnu::noinline, gnu::cold]] static void BackOff(uint32_t attempt) {
    constexpr uint32_t kMostDoublings = 8;
    const timespec pause = {
        .tv_sec = 0,
        .tv_nsec = int64_t{1'000'000} << std::min(attempt, kMostDoublings)};
    nanosleep(&pause, nullptr);
  }

  bool Sleep(int fd, uint32_t* tokens) {
    Mark(Step::kSleep);
    if (!run.wake->take(fd, tokens, slot)) return false;
    sync::CoopSlept();
    return true;
  }

  [[gnu::noinline, gnu::cold]] void Sample(Step step) {
    const uint64_t took = atomics::Cpu::ReadCycles() - since_;
    StepTally& at = tally.steps[static_cast<size_t>(step_)];
    ++at.samples;
    if (took > run.long_step_cycles && step_ != Step::kSleep) {
      ++at.interrupted;
    } else {
      at.cycles += took;
    }
    step_ = step;
    since_ = atomics::Cpu::ReadCycles();
  }

  static constexpr size_t kWindowBytes = 65536;
  // 64 MiB; beyond it windows share bits and some reads are left out.
  std::array<uint64_t, 16> windows_ = {};
  bool sampling_ = false;
  Step step_ = Step::kOutside;
  uint64_t since_ = 0;
  uint64_t messages_ = 0;
};

}  // namespace hackbench
