// SPDX-License-Identifier: MIT
// A sender's and a receiver's loop over a message model of the user plane.
#pragma once

#include <algorithm>

#include "hackbench/user_task.h"

namespace hackbench {

// A message longer than a piece goes in several, as a stream's does. Pieces of
// two senders may then be mixed, which the receiver can only count (kByte).
template <class Model>
bool SendPieces(UserTask& task, uint32_t receiver,
                std::span<const std::byte> message) {
  while (message.size() > task.run.piece_bytes) {
    if (!Model::Send(task, receiver, message.first(task.run.piece_bytes))) {
      return false;
    }
    message = message.subspan(task.run.piece_bytes);
    // Relaxed: main only looks whether it moves.
    task.slot.part_bytes.fetch_add(task.run.piece_bytes,
                                   std::memory_order_relaxed);
  }
  return Model::Send(task, receiver, message);
}

template <class Model>
bool SendAll(UserTask& task) {
  const TaskContext& context = task.context;
  const Workload& workload = *context.workload;
  const bool has_header = workload.verify == VerifyMode::kMessage;
  const std::span<std::byte> message = context.buffer;
  uint64_t sent = 0;
  for (uint64_t loop = 0; loop < workload.loops; ++loop) {
    if (has_header) {
      FillMessage(message, {context.group, context.index, 0,
                            static_cast<uint32_t>(loop)});
    }
    for (uint32_t receiver = 0; receiver < workload.fds; ++receiver) {
      if (has_header) SetReceiver(message, receiver);
      if (workload.latency) StampClock(message, ClockOffset(workload.verify));
      task.BeginMessage();
      if (!SendPieces<Model>(task, receiver, message)) return false;
      task.EndMessage();
      // Relaxed: a progress count, ordered with nothing.
      task.slot.messages.store(++sent, std::memory_order_relaxed);
    }
  }
  return true;
}

// A whole message has come. False when it is not the one due.
inline bool Judge(UserTask& task, std::span<const std::byte> message) {
  const TaskContext& context = task.context;
  const Workload& workload = *context.workload;
  if (workload.latency) {
    RecordLatency(message, ClockOffset(workload.verify), *context.histogram);
  }
  if (workload.verify != VerifyMode::kMessage) return true;
  task.Mark(Step::kVerify);
  const Judgement judgement =
      JudgeMessage(message, context.group, context.index,
                   {static_cast<uint32_t*>(context.scratch), workload.fds},
                   /*stamp_bytes=*/workload.latency ? sizeof(int64_t) : 0);
  if (judgement.fault == Fault::kNone) return true;
  return task.Fail(judgement.fault, judgement.sender);
}

template <class Model>
bool ReceiveAll(UserTask& task) {
  const TaskContext& context = task.context;
  const Workload& workload = *context.workload;
  const bool counts_bytes = workload.verify == VerifyMode::kByte;
  const bool is_mixed = workload.mixes_writers;
  const std::span<std::byte> message = context.buffer;
  const uint64_t churn = task.run.parts->churn;
  uint64_t left = workload.loops * workload.fds * workload.datasize;
  uint64_t received = 0;
  size_t filled = 0;
  for (uint64_t pieces = 1; left > 0; ++pieces) {
    task.BeginMessage();
    // Mixed messages have no place of their own in the buffer.
    const std::span<std::byte> room =
        is_mixed ? message.first(std::min<uint64_t>(left, message.size()))
                 : message.subspan(filled);
    const size_t got = Model::Receive(task, room);
    if (got == 0) return false;
    left -= got;
    filled += got;
    if (counts_bytes) {
      task.Mark(Step::kVerify);
      CountTags(room.first(got),
                std::span<uint64_t, kTagValues>(
                    static_cast<uint64_t*>(context.scratch), kTagValues));
    }
    while (filled >= message.size()) {
      if (!is_mixed && !Judge(task, message)) return false;
      filled -= message.size();
      // Relaxed: a progress count, ordered with nothing.
      task.slot.messages.store(++received, std::memory_order_relaxed);
    }
    if (filled > 0) {
      task.slot.part_bytes.fetch_add(got, std::memory_order_relaxed);
    }
    if (churn != 0 && pieces % churn == 0 && !Model::ReRegister(task)) {
      return false;
    }
    task.EndMessage();
  }
  return true;
}

template <class Model>
bool RunUserLoop(UserTask& task) {
  return task.context.is_sender ? SendAll<Model>(task)
                                : ReceiveAll<Model>(task);
}

}  // namespace hackbench
