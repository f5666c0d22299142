// SPDX-License-Identifier: MIT
// The hot path: a sender's and a receiver's loop over blocking read and write.
//
// With kNone and no latency this is what every hackbench does per message: one
// call, one comparison, and one store of the count to the task's own cache
// line, from which the watchdog tells who waits for whom. Short transfers and
// errors leave through a slow path.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hackbench/clock.h"
#include "hackbench/histogram.h"
#include "hackbench/payload.h"
#include "hackbench/task_board.h"

namespace hackbench {

// What all tasks of a run have in common.
struct Workload {
  uint64_t loops = 0;
  uint32_t fds = 0;  // Senders, and receivers, of a group.
  size_t datasize = 0;
  VerifyMode verify = VerifyMode::kNone;
  bool latency = false;
  bool peer_footprint = false;
  // Bytes of several senders may be mixed within a message.
  bool mixes_writers = false;
};

class UserPlane;

// One task's place in it.
struct TaskContext {
  const Workload* workload = nullptr;
  UserPlane* user_plane = nullptr;  // Null in the kernel plane.
  uint32_t task = 0;                // Among all of the run.
  uint32_t group = 0;
  uint32_t index = 0;  // Among the senders, or the receivers, of the group.
  bool is_sender = false;
  int read_fd = -1;
  std::span<const int> write_fds;
  // User plane: where a receiver says that there is room, and where senders
  // wait for it, per receiver.
  int space_fd = -1;
  std::span<const int> space_fds;
  TaskSlot* slot = nullptr;
  std::span<std::byte> buffer;     // One message.
  void* scratch = nullptr;         // ScratchBytes() for --verify, aligned.
  Histogram* histogram = nullptr;  // With --latency, receivers only.
};

// Where a message carries its sender's clock: behind the header when there is
// one.
inline size_t ClockOffset(VerifyMode verify) {
  return verify == VerifyMode::kMessage ? sizeof(MessageHeader) : 0;
}

// Bytes that a receiver needs for its bookkeeping under --verify.
inline size_t ScratchBytes(VerifyMode verify, uint32_t senders) {
  switch (verify) {
    case VerifyMode::kNone:
      return 0;
    case VerifyMode::kMessage:
      return senders * sizeof(uint32_t);
    case VerifyMode::kByte:
      return kTagValues * sizeof(uint64_t);
  }
  return 0;
}

inline bool RecordFault(TaskSlot& slot, Fault fault, uint64_t value) {
  // Release: main reads the value after it has seen the fault.
  slot.fault_value.store(value, std::memory_order_relaxed);
  slot.fault.store(fault, std::memory_order_release);
  return false;
}

// Ends a write that stopped at `done` (negative: failed at once). False when
// it cannot be ended; the slot then says why.
[[gnu::noinline, gnu::cold]] bool FinishWrite(
    int fd, std::span<const std::byte> message, ssize_t done, TaskSlot& slot);
[[gnu::noinline, gnu::cold]] bool FinishRead(int fd,
                                             std::span<std::byte> message,
                                             ssize_t done, TaskSlot& slot);

inline bool WriteMessage(int fd, std::span<const std::byte> message,
                         TaskSlot& slot) {
  const ssize_t done = write(fd, message.data(), message.size());
  if (done == static_cast<ssize_t>(message.size())) [[likely]] {
    return true;
  }
  return FinishWrite(fd, message, done, slot);
}

inline bool ReadMessage(int fd, std::span<std::byte> message, TaskSlot& slot) {
  const ssize_t done = read(fd, message.data(), message.size());
  if (done == static_cast<ssize_t>(message.size())) [[likely]] {
    return true;
  }
  return FinishRead(fd, message, done, slot);
}

inline void StampClock(std::span<std::byte> message, size_t offset) {
  const int64_t now_ns = MonotonicNs();
  std::memcpy(message.data() + offset, &now_ns, sizeof(now_ns));
}

inline void RecordLatency(std::span<const std::byte> message, size_t offset,
                          Histogram& histogram) {
  int64_t sent_ns;
  std::memcpy(&sent_ns, message.data() + offset, sizeof(sent_ns));
  const int64_t latency_ns = MonotonicNs() - sent_ns;
  histogram.Record(static_cast<uint64_t>(latency_ns < 0 ? 0 : latency_ns));
}

template <VerifyMode kVerify, bool kLatency>
[[gnu::hot]] bool SendLoop(const TaskContext& task) {
  const uint64_t loops = task.workload->loops;
  const std::span<const int> write_fds = task.write_fds;
  const std::span<std::byte> message = task.buffer;
  TaskSlot& slot = *task.slot;
  uint64_t sent = 0;
  for (uint64_t loop = 0; loop < loops; ++loop) {
    if constexpr (kVerify == VerifyMode::kMessage) {
      FillMessage(message,
                  {task.group, task.index, 0, static_cast<uint32_t>(loop)});
    }
    uint32_t receiver = 0;
    for (const int fd : write_fds) {
      if constexpr (kVerify == VerifyMode::kMessage) {
        SetReceiver(message, receiver++);
      }
      if constexpr (kLatency) StampClock(message, ClockOffset(kVerify));
      if (!WriteMessage(fd, message, slot)) [[unlikely]] {
        return false;
      }
      // Relaxed: a progress count, ordered with nothing.
      slot.messages.store(++sent, std::memory_order_relaxed);
    }
  }
  return true;
}

template <VerifyMode kVerify, bool kLatency>
[[gnu::hot]] bool ReceiveLoop(const TaskContext& task) {
  const Workload& workload = *task.workload;
  const uint64_t total = workload.loops * workload.fds;
  const std::span<std::byte> message = task.buffer;
  const int fd = task.read_fd;
  TaskSlot& slot = *task.slot;
  for (uint64_t received = 0; received < total;) {
    if (!ReadMessage(fd, message, slot)) [[unlikely]] {
      return false;
    }
    if constexpr (kLatency) {
      RecordLatency(message, ClockOffset(kVerify), *task.histogram);
    }
    if constexpr (kVerify == VerifyMode::kMessage) {
      const Judgement judgement =
          JudgeMessage(message, task.group, task.index,
                       {static_cast<uint32_t*>(task.scratch), workload.fds},
                       /*stamp_bytes=*/kLatency ? sizeof(int64_t) : 0);
      if (judgement.fault != Fault::kNone) [[unlikely]] {
        return RecordFault(slot, judgement.fault, judgement.sender);
      }
    }
    if constexpr (kVerify == VerifyMode::kByte) {
      CountTags(message, std::span<uint64_t, kTagValues>(
                             static_cast<uint64_t*>(task.scratch), kTagValues));
    }
    // Relaxed: a progress count, ordered with nothing.
    slot.messages.store(++received, std::memory_order_relaxed);
  }
  return true;
}

}  // namespace hackbench
