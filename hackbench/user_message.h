// SPDX-License-Identifier: MIT
// Memory for one message of the socket model, as --msg-alloc says: `skb` a head
// from a cache of its own and the data by kmalloc, as the kernel does, or
// `fixed:N` one object that holds both.
#pragma once

#include <cstring>
#include <new>

#include "hackbench/user_task.h"

namespace hackbench {

inline std::byte* NoMemory(UserTask& task, size_t bytes) {
  task.Fail(Fault::kNoMemory, bytes);
  return nullptr;
}

inline MessageHead* AllocateFixed(UserTask& task) {
  const size_t bytes = task.run.parts->fixed_bytes;
  void* const block = task.run.allocator->Alloc(bytes);
  if (block == nullptr) [[unlikely]] {
    NoMemory(task, bytes);
    return nullptr;
  }
  ++task.tally.allocations;
  task.tally.allocated_bytes += task.run.data_bytes;
  task.TouchAround(block);
  auto* const head = new (block) MessageHead;
  head->data = reinterpret_cast<std::byte*>(head + 1);
  return head;
}

// Null without memory; the task's slot then says so.
inline MessageHead* AllocateMessage(UserTask& task, size_t bytes) {
  const UserRun& run = task.run;
  if (run.parts->message_alloc == MessageAlloc::kFixed) {
    return AllocateFixed(task);
  }
  void* const block = run.allocator->AllocFrom(run.heads);
  if (block == nullptr) [[unlikely]] {
    NoMemory(task, kHeadBytes);
    return nullptr;
  }
  task.TouchAround(block);
  std::memset(block, 0, kHeadZeroedBytes);
  auto* const head = new (block) MessageHead;
  const size_t data_bytes = bytes + kDataOverheadBytes;
  head->data = static_cast<std::byte*>(run.allocator->Alloc(data_bytes));
  if (head->data == nullptr) [[unlikely]] {
    run.allocator->Free(head);
    NoMemory(task, data_bytes);
    return nullptr;
  }
  task.TouchAround(head->data);
  task.tally.allocations += 2;
  task.tally.allocated_bytes += run.head_bytes + run.data_bytes;
  return head;
}

inline void FreeMessage(UserTask& task, MessageHead* head) {
  alloc::AnyAllocator& allocator = *task.run.allocator;
  if (task.run.parts->message_alloc != MessageAlloc::kFixed) {
    allocator.Free(head->data);
    ++task.tally.frees;
  }
  allocator.Free(head);
  ++task.tally.frees;
}

}  // namespace hackbench
