// SPDX-License-Identifier: MIT
// The AF_UNIX stream model: what the kernel does for a write to and a read from
// a socketpair, in our memory. Send() and Receive() are one message from top to
// bottom; the functions behind them are their steps.
//
// With --msg-alloc none the queue holds the payload itself, copied in and out
// under the lock, and there is nothing to allocate.
#pragma once

#include <cstring>

#include "atomics/current_cpu.h"
#include "hackbench/user_lock.h"
#include "hackbench/user_message.h"

namespace hackbench {

template <class L, class Preempt>
class SocketModel {
 public:
  struct Endpoint : SocketEndpointBase {
    UserLock<L, Preempt> lock;
  };

  // One piece, of at most kPieceBytes, to a receiver of the task's group.
  // False after a fault.
  static bool Send(UserTask& task, uint32_t receiver,
                   std::span<const std::byte> piece) {
    task.Mark(Step::kLookUp);
    Endpoint* const peer = LookUpAndHold(task, receiver);
    if (peer == nullptr) return false;

    MessageHead* message = nullptr;
    if (Allocates(task)) {
      task.Mark(Step::kAllocate);
      Preempt::MightSleep();
      message = AllocateMessage(task, piece.size());
      if (message == nullptr) return false;
    }
    task.Mark(Step::kSpace);
    if (!AwaitSpace(task, *peer, receiver)) return false;

    if (message != nullptr) {
      task.Mark(Step::kCopyIn);
      CopyIn(*message, piece);
    }
    task.Mark(Step::kQueue);
    if (!Take(task, *peer)) return false;
    Append(task, *peer, message, piece);
    const bool is_asleep = Withdraw<L>(&peer->queue.reader_asleep) != 0;
    peer->lock.Unlock(task.waiter);

    task.Mark(Step::kWake);
    if (is_asleep && !task.WakeReader(*peer, receiver)) return false;
    Preempt::UserReturn();
    return true;
  }

  // Waits for a piece and copies it to `room`, which is large enough. How many
  // bytes it had; 0 after a fault.
  static size_t Receive(UserTask& task, std::span<std::byte> room) {
    Endpoint& own = EndpointOf(task, task.context.index);
    SocketQueue& queue = own.queue;
    task.Mark(Step::kTake);
    if (!TakeFilled(task, own)) return 0;
    const Taken taken = TakeFirst(task, queue, room);
    const uint32_t sleepers =
        IsWritable(queue) ? Withdraw<L>(&queue.space_sleepers) : 0;
    own.lock.Unlock(task.waiter);

    task.Mark(Step::kWake);
    if (sleepers > 0 && !task.WakeSpaceSleepers(own, sleepers)) return 0;
    if (taken.message != nullptr) {
      task.Mark(Step::kCopyOut);
      Preempt::MightSleep();
      std::memcpy(room.data(), taken.message->data, taken.bytes);
      task.Mark(Step::kFree);
      FreeMessage(task, taken.message);
    }
    task.Mark(Step::kPut);
    if (!task.run.parts->refcount->put(own.refcount, task.waiter)) {
      task.Fail(Fault::kLock,
                static_cast<uint64_t>(sync::LockResult::kAborted));
      return 0;
    }
    task.tally.cross_cpu += taken.cpu != atomics::CurrentCpuId();
    Preempt::UserReturn();
    return taken.bytes;
  }

  // Leaves the endpoint table and enters it again.
  static bool ReRegister(UserTask& task) {
    task.Mark(Step::kRegister);
    EndpointTable& table = task.table();
    EndpointHead& own = EndpointOf(task, task.context.index);
    const LockEntry& rwlock = *task.run.parts->rwlock;
    if (!task.Hold([&] { return rwlock.lock(table.lock, task.waiter); })) {
      return false;
    }
    table.Remove(own);
    table.Insert(own);
    rwlock.unlock(table.lock, task.waiter);
    ++task.tally.registrations;
    return true;
  }

 private:
  struct Taken {
    MessageHead* message;  // Null when the bytes were copied out already.
    size_t bytes;
    uint32_t cpu;
  };

  static bool Allocates(const UserTask& task) {
    return task.run.parts->message_alloc != MessageAlloc::kNone;
  }
  static Endpoint& EndpointOf(const UserTask& task, uint32_t receiver) {
    return *static_cast<Endpoint*>(
        static_cast<SocketEndpointBase*>(task.EndpointOf(receiver)));
  }
  static bool Take(UserTask& task, Endpoint& endpoint) {
    return task.Hold([&] { return endpoint.lock.Lock(task.waiter); });
  }

  // The hold travels with the message and ends with it.
  static Endpoint* LookUpAndHold(UserTask& task, uint32_t receiver) {
    const UserParts& parts = *task.run.parts;
    EndpointTable& table = task.table();
    if (!task.Hold([&] {
          return parts.rwlock->lock_shared(table.lock, task.waiter);
        })) {
      return nullptr;
    }
    EndpointHead* const found = table.Find(receiver);
    const bool is_held =
        found != nullptr && parts.refcount->get(found->refcount, task.waiter);
    parts.rwlock->unlock_shared(table.lock, task.waiter);
    if (!is_held) {
      task.Fail(Fault::kNoPeer, receiver);
      return nullptr;
    }
    return static_cast<Endpoint*>(static_cast<SocketEndpointBase*>(found));
  }

  // Bytes that wait to be read. Relaxed: the wait below is what decides, and
  // it looks again under the lock.
  static uint64_t Waiting(const SocketQueue& queue) {
    return sync::LoadRelaxed(&queue.charged) -
           sync::LoadRelaxed(&queue.released);
  }
  static bool HasSpace(const SocketQueue& queue) {
    return Waiting(queue) < kSendBufferBytes;
  }
  // As the kernel does, who waits for space is not woken before three quarters
  // are free.
  static bool IsWritable(const SocketQueue& queue) {
    return Waiting(queue) * 4 <= kSendBufferBytes;
  }

  static bool AwaitSpace(UserTask& task, Endpoint& peer, uint32_t receiver) {
    while (!HasSpace(peer.queue)) [[unlikely]] {
        if (!SleepForSpace(task, peer, receiver)) return false;
      }
    return true;
  }
  [[gnu::noinline]] static bool SleepForSpace(UserTask& task, Endpoint& peer,
                                              uint32_t receiver) {
    if (!Take(task, peer)) return false;
    const bool sleeps = !HasSpace(peer.queue) &&
                        Register<L>(&peer.queue.space_sleepers,
                                    [&] { return HasSpace(peer.queue); });
    peer.lock.Unlock(task.waiter);
    return !sleeps || task.SleepForSpace(peer, receiver);
  }

  static void CopyIn(MessageHead& message, std::span<const std::byte> piece) {
    Preempt::MightSleep();
    std::memcpy(message.data, piece.data(), piece.size());
    message.bytes = static_cast<uint32_t>(piece.size());
    message.cpu = atomics::CurrentCpuId();
  }

  static void Append(const UserTask& task, Endpoint& peer, MessageHead* message,
                     std::span<const std::byte> piece) {
    SocketQueue& queue = peer.queue;
    const uint64_t number = queue.appended;
    if (message != nullptr) {
      PointerAt(task, queue, number) = message;
    } else {
      MessageHead& slot = SlotAt(task, queue, number);
      slot.bytes = static_cast<uint32_t>(piece.size());
      slot.cpu = atomics::CurrentCpuId();
      std::memcpy(&slot + 1, piece.data(), piece.size());
    }
    sync::StoreRelaxed(&queue.charged, queue.charged + task.run.truesize);
    // Release: without a lock this is what hands the message over.
    sync::StoreRelease(&queue.appended, number + 1);
  }

  // Holds the lock of a queue that is not empty; false after a fault.
  static bool TakeFilled(UserTask& task, Endpoint& own) {
    SocketQueue& queue = own.queue;
    // Acquire: pairs with the release in Append.
    const auto is_filled = [&queue] {
      return sync::LoadAcquire(&queue.appended) != queue.taken;
    };
    for (;;) {
      if (!Take(task, own)) return false;
      if (is_filled()) [[likely]] {
        return true;
      }
      const bool sleeps = Register<L>(&queue.reader_asleep, is_filled);
      own.lock.Unlock(task.waiter);
      if (sleeps && !task.SleepForMessage(own)) return false;
      task.Mark(Step::kTake);
    }
  }

  static Taken TakeFirst(const UserTask& task, SocketQueue& queue,
                         std::span<std::byte> room) {
    const uint64_t number = queue.taken;
    Taken taken;
    if (Allocates(task)) {
      MessageHead* const message = PointerAt(task, queue, number);
      taken = {message, message->bytes, message->cpu};
    } else {
      MessageHead& slot = SlotAt(task, queue, number);
      taken = {nullptr, slot.bytes, slot.cpu};
      std::memcpy(room.data(), &slot + 1, slot.bytes);
    }
    queue.taken = number + 1;
    // Release: without a lock this is what hands the slot back.
    sync::StoreRelease(&queue.released, queue.released + task.run.truesize);
    return taken;
  }

  static MessageHead*& PointerAt(const UserTask& task, SocketQueue& queue,
                                 uint64_t number) {
    return reinterpret_cast<MessageHead**>(
        queue.ring)[number & task.run.ring_mask];
  }
  static MessageHead& SlotAt(const UserTask& task, SocketQueue& queue,
                             uint64_t number) {
    return *reinterpret_cast<MessageHead*>(
        queue.ring + (number & task.run.ring_mask) * task.run.slot_bytes);
  }
};

}  // namespace hackbench
