// SPDX-License-Identifier: MIT
#include "hackbench/worker.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "hackbench/task_text.h"
#include "hackbench/user_plane.h"

namespace hackbench {

bool FinishWrite(int fd, std::span<const std::byte> message, ssize_t done,
                 TaskSlot& slot) {
  for (size_t written = 0;;) {
    if (done < 0) {
      if (errno != EINTR) return RecordFault(slot, Fault::kWrite, errno);
    } else {
      written += static_cast<size_t>(done);
      if (written == message.size()) return true;
      // Relaxed: main only looks whether it moves.
      slot.part_bytes.fetch_add(static_cast<uint64_t>(done),
                                std::memory_order_relaxed);
    }
    done = write(fd, message.data() + written, message.size() - written);
  }
}

bool FinishRead(int fd, std::span<std::byte> message, ssize_t done,
                TaskSlot& slot) {
  for (size_t received = 0;;) {
    if (done == 0) return RecordFault(slot, Fault::kEndOfFile, received);
    if (done < 0) {
      if (errno != EINTR) return RecordFault(slot, Fault::kRead, errno);
    } else {
      received += static_cast<size_t>(done);
      if (received == message.size()) return true;
      // Relaxed: main only looks whether it moves.
      slot.part_bytes.fetch_add(static_cast<uint64_t>(done),
                                std::memory_order_relaxed);
    }
    done = read(fd, message.data() + received, message.size() - received);
  }
}

namespace {

// Bare calls, which stand on one page of the C library: write() and poll() are
// two more page faults in every process that starts.
HACKBENCH_TASK_TEXT [[gnu::noinline]] bool AwaitStart(const StartGate& gate,
                                                      TaskSlot& slot) {
  constexpr char kReady = 'R';
  while (syscall(SYS_write, gate.ready_write_fd, &kReady, size_t{1}) != 1) {
    if (errno != EINTR) return RecordFault(slot, Fault::kReady, errno);
  }
  pollfd wake{.fd = gate.wake_read_fd, .events = POLLIN, .revents = 0};
  while (syscall(SYS_ppoll, &wake, nfds_t{1}, nullptr, nullptr, size_t{0}) <
         0) {
    if (errno != EINTR) return RecordFault(slot, Fault::kWake, errno);
  }
  // A byte may be there although main is gone already; then the death signal
  // is on its way.
  if ((wake.revents & POLLIN) == 0) return RecordFault(slot, Fault::kOrphan, 0);
  return true;
}

// After the start, as rt-tests and perf do: the first touch of a large message
// belongs to the time they report. Its pages are zero already, so one store a
// page is enough, and spares a task the pages of memset.
void PrepareMessage(const TaskContext& task) {
  constexpr size_t kPageBytes = 4096;
  if (task.workload->verify == VerifyMode::kByte) {
    std::memset(task.buffer.data(),
                static_cast<int>(SenderTag(task.group, task.index)),
                task.buffer.size());
    return;
  }
  for (size_t i = 0; i < task.buffer.size(); i += kPageBytes) {
    *static_cast<volatile std::byte*>(&task.buffer[i]) = std::byte{0};
  }
}

template <bool kLatency>
[[gnu::hot]] bool Transfer(const TaskContext& task) {
  switch (task.workload->verify) {
    case VerifyMode::kNone:
      return task.is_sender ? SendLoop<VerifyMode::kNone, kLatency>(task)
                            : ReceiveLoop<VerifyMode::kNone, kLatency>(task);
    case VerifyMode::kMessage:
      return task.is_sender ? SendLoop<VerifyMode::kMessage, kLatency>(task)
                            : ReceiveLoop<VerifyMode::kMessage, kLatency>(task);
    case VerifyMode::kByte:
      return task.is_sender ? SendLoop<VerifyMode::kByte, kLatency>(task)
                            : ReceiveLoop<VerifyMode::kByte, kLatency>(task);
  }
  return false;
}

bool TransferAll(const TaskContext& task) {
  if (task.user_plane != nullptr) return task.user_plane->RunTask(task);
  return task.workload->latency ? Transfer<true>(task) : Transfer<false>(task);
}

bool CheckTags(const TaskContext& task) {
  const Workload& workload = *task.workload;
  const Judgement judgement =
      JudgeTags(std::span<const uint64_t, kTagValues>(
                    static_cast<const uint64_t*>(task.scratch), kTagValues),
                task.group, workload.fds, workload.loops * workload.datasize);
  if (judgement.fault == Fault::kNone) return true;
  return RecordFault(*task.slot, judgement.fault, judgement.sender);
}

}  // namespace

HACKBENCH_TASK_TEXT bool RunTask(const TaskContext& task,
                                 const StartGate& gate) {
  TaskSlot& slot = *task.slot;
  if (!AwaitStart(gate, slot)) return false;

  const Workload& workload = *task.workload;
  if (task.is_sender) PrepareMessage(task);
  if (!TransferAll(task)) {
    return false;
  }
  if (task.is_sender) return true;
  // Release: main takes the last of these as the end of all messages.
  slot.finished_ns.store(MonotonicNs(), std::memory_order_release);
  return workload.verify != VerifyMode::kByte || CheckTags(task);
}

}  // namespace hackbench
