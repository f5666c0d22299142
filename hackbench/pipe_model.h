// SPDX-License-Identifier: MIT
// The pipe model: a ring of page buffers under one lock, a page allocated per
// buffer, small writes merged into the last one, as the kernel does for a write
// to and a read from a pipe. Pages are allocated and bytes copied under the
// lock.
//
// Two things differ from the kernel's: it keeps a freed page or two per pipe
// for the next write, and it wakes one writer as soon as a full ring has a
// buffer free; ours frees each page, and wakes all writers when half are free.
#pragma once

#include <algorithm>
#include <cstring>

#include "atomics/current_cpu.h"
#include "hackbench/user_lock.h"
#include "hackbench/user_task.h"

namespace hackbench {

template <class L, class Preempt>
class PipeModel {
 public:
  struct Endpoint : PipeEndpointBase {
    UserLock<L, Preempt> lock;
  };

  // The whole of `message`; up to a page of it in one piece. False after a
  // fault.
  static bool Send(UserTask& task, uint32_t receiver,
                   std::span<const std::byte> message) {
    Endpoint& peer = EndpointOf(task, receiver);
    task.Mark(Step::kQueue);
    Preempt::MightSleep();
    if (!Take(task, peer)) return false;
    message = Merge(peer.queue, message);
    while (!message.empty()) {
      if (peer.queue.is_full()) {
        if (!SleepForSpace(task, peer, receiver)) return false;
        continue;
      }
      PipeBuffer* const buffer = AddBuffer(task, peer.queue);
      if (buffer == nullptr) {
        peer.lock.Unlock(task.waiter);
        return false;
      }
      message = Fill(*buffer, message);
    }
    const bool is_asleep = Withdraw<L>(&peer.queue.reader_asleep) != 0;
    peer.lock.Unlock(task.waiter);

    task.Mark(Step::kWake);
    if (is_asleep && !task.WakeReader(peer, receiver)) return false;
    Preempt::UserReturn();
    return true;
  }

  // Waits for bytes and copies what there is to `room`, up to its size. How
  // many; 0 after a fault.
  static size_t Receive(UserTask& task, std::span<std::byte> room) {
    Endpoint& own = EndpointOf(task, task.context.index);
    PipeQueue& queue = own.queue;
    task.Mark(Step::kTake);
    Preempt::MightSleep();
    if (!TakeFilled(task, own)) return 0;
    size_t got = 0;
    while (got < room.size() && !queue.is_empty()) {
      got += Drain(task, queue, room.subspan(got));
    }
    const bool is_half_free = queue.head - queue.tail <= kPipeBuffers / 2;
    const uint32_t sleepers =
        is_half_free ? Withdraw<L>(&queue.space_sleepers) : 0;
    own.lock.Unlock(task.waiter);

    task.Mark(Step::kWake);
    if (sleepers > 0 && !task.WakeSpaceSleepers(own, sleepers)) return 0;
    Preempt::UserReturn();
    return got;
  }

  // A pipe is found by its descriptor, not by name.
  static bool ReRegister(UserTask&) { return true; }

 private:
  static bool Allocates(const UserTask& task) {
    return task.run.parts->message_alloc != MessageAlloc::kNone;
  }
  static Endpoint& EndpointOf(const UserTask& task, uint32_t receiver) {
    return *static_cast<Endpoint*>(
        static_cast<PipeEndpointBase*>(task.EndpointOf(receiver)));
  }
  static bool Take(UserTask& task, Endpoint& endpoint) {
    return task.Hold([&] { return endpoint.lock.Lock(task.waiter); });
  }

  // Puts what is over whole pages into the last buffer when all of it fits
  // there, so that a write of up to a page is never split. What is left.
  static std::span<const std::byte> Merge(PipeQueue& queue,
                                          std::span<const std::byte> message) {
    const size_t over = message.size() % kPipePageBytes;
    if (over == 0 || queue.is_empty()) return message;
    PipeBuffer& last = queue.at(queue.head - 1);
    const size_t end = size_t{last.offset} + last.bytes;
    if (end + over > kPipePageBytes) return message;
    std::memcpy(last.page + end, message.data(), over);
    last.bytes += static_cast<uint32_t>(over);
    return message.subspan(over);
  }

  // Null without memory; the task's slot then says so.
  static PipeBuffer* AddBuffer(UserTask& task, PipeQueue& queue) {
    PipeBuffer& buffer = queue.at(queue.head);
    buffer.page = Allocates(task) ? AllocatePage(task)
                                  : queue.pages + queue.head % kPipeBuffers *
                                                      kPipePageBytes;
    if (buffer.page == nullptr) return nullptr;
    ++queue.head;
    return &buffer;
  }
  static std::byte* AllocatePage(UserTask& task) {
    task.Mark(Step::kAllocate);
    void* const page = task.run.allocator->Alloc(kPipePageBytes);
    task.Mark(Step::kQueue);
    if (page == nullptr) [[unlikely]] {
      task.Fail(Fault::kNoMemory, kPipePageBytes);
      return nullptr;
    }
    task.TouchAround(page);
    ++task.tally.allocations;
    task.tally.allocated_bytes += task.run.data_bytes;
    return static_cast<std::byte*>(page);
  }

  static std::span<const std::byte> Fill(PipeBuffer& buffer,
                                         std::span<const std::byte> message) {
    const size_t bytes = std::min(message.size(), kPipePageBytes);
    std::memcpy(buffer.page, message.data(), bytes);
    buffer.offset = 0;
    buffer.bytes = static_cast<uint32_t>(bytes);
    buffer.cpu = atomics::CurrentCpuId();
    return message.subspan(bytes);
  }

  // Lets go of the lock for the sleep and holds it again after.
  [[gnu::noinline]] static bool SleepForSpace(UserTask& task, Endpoint& peer,
                                              uint32_t receiver) {
    const bool is_asleep = Withdraw<L>(&peer.queue.reader_asleep) != 0;
    Register<L>(&peer.queue.space_sleepers, [] { return false; });
    peer.lock.Unlock(task.waiter);
    if (is_asleep && !task.WakeReader(peer, receiver)) return false;
    if (!task.SleepForSpace(peer, receiver)) return false;
    task.Mark(Step::kQueue);
    return Take(task, peer);
  }

  static bool TakeFilled(UserTask& task, Endpoint& own) {
    for (;;) {
      if (!Take(task, own)) return false;
      if (!own.queue.is_empty()) [[likely]] {
        return true;
      }
      Register<L>(&own.queue.reader_asleep, [] { return false; });
      own.lock.Unlock(task.waiter);
      if (!task.SleepForMessage(own)) return false;
      task.Mark(Step::kTake);
    }
  }

  // From the first buffer; gives its page back when that is read out.
  static size_t Drain(UserTask& task, PipeQueue& queue,
                      std::span<std::byte> room) {
    PipeBuffer& buffer = queue.at(queue.tail);
    const size_t bytes = std::min<size_t>(room.size(), buffer.bytes);
    std::memcpy(room.data(), buffer.page + buffer.offset, bytes);
    buffer.offset += static_cast<uint32_t>(bytes);
    buffer.bytes -= static_cast<uint32_t>(bytes);
    if (buffer.bytes == 0) {
      task.tally.cross_cpu += buffer.cpu != atomics::CurrentCpuId();
      ++queue.tail;
      if (Allocates(task)) FreePage(task, buffer.page);
    }
    return bytes;
  }
  static void FreePage(UserTask& task, std::byte* page) {
    task.Mark(Step::kFree);
    task.run.allocator->Free(page);
    task.Mark(Step::kTake);
    ++task.tally.frees;
  }
};

}  // namespace hackbench
