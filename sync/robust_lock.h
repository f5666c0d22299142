// SPDX-License-Identifier: MIT
// A lock that survives its holder: the word beside it names the owner by thread
// id and stands on the kernel's robust list, so that the kernel marks it when
// the owner dies and wakes who sleeps on it. The next to come takes it over and
// is told kOwnerDied.
//
// The list belongs to a thread, so every task makes a RobustList for as long as
// it takes such locks; the C library's own robust mutexes cannot be used by
// that thread meanwhile. Waits as `hybrid` does. See
// Documentation/locking/robust-futex-ABI: the entry is named as pending before
// the word is taken and until after it is free, so a death between two stores
// is seen, too.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

#include "sync/lock_traits.h"
#include "sync/wait_policy.h"

namespace hackbench::sync {

// An entry: read by its owner and the owner's kernel only, hence a pointer of
// that process.
struct RobustEntry {
  RobustEntry* next;
  uint32_t owner;  // Thread id, FUTEX_WAITERS, FUTEX_OWNER_DIED; 0 is free.
};

// Registers this thread's list of held robust locks.
class RobustList {
 public:
  RobustList() {
    head_.next = reinterpret_cast<RobustEntry*>(&head_);
    head_.futex_offset = offsetof(RobustEntry, owner);
    size_t bytes = 0;
    syscall(SYS_get_robust_list, 0, &before_, &bytes);
    registered_ = syscall(SYS_set_robust_list, &head_, sizeof(head_)) == 0;
    current_ = this;
  }
  ~RobustList() {
    current_ = nullptr;
    syscall(SYS_set_robust_list, before_, sizeof(head_));
  }
  RobustList(const RobustList&) = delete;
  RobustList& operator=(const RobustList&) = delete;

  // False under emulators that have no such list.
  bool registered() const { return registered_; }

  static RobustList& Current() { return *current_; }

  void SetPending(RobustEntry* entry) {
    StoreRelaxed(&head_.pending, entry);
    // The kernel that reads it runs on this CPU: the compiler is all to stop.
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
  void ClearPending() {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    StoreRelaxed(&head_.pending, static_cast<RobustEntry*>(nullptr));
  }
  void Add(RobustEntry* entry) {
    entry->next = head_.next;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    head_.next = entry;
  }
  void Remove(RobustEntry* entry) {
    RobustEntry** link = &head_.next;
    while (*link != entry) link = &(*link)->next;
    *link = entry->next;
  }

 private:
  // As struct robust_list_head of the kernel.
  struct Head {
    RobustEntry* next;
    long futex_offset;
    RobustEntry* pending;
  };

  Head head_ = {};
  void* before_ = nullptr;
  bool registered_ = false;

  static inline thread_local constinit RobustList* current_ = nullptr;
};

class RobustLock {
 public:
  using Session = RobustList;
  static constexpr std::string_view kName = "robust";
  static constexpr std::string_view kSummary =
      "hybrid with an owner the kernel knows: survives its holder";
  static constexpr LockTraits kTraits = {.recovers = true};

  LockResult Lock(Waiter& waiter) {
    RobustList& list = RobustList::Current();
    list.SetPending(&entry_);
    uint32_t seen = 0;
    LockResult result = LockResult::kAcquired;
    if (!Take(seen, waiter.tid)) result = LockSlow(waiter);
    if (Holds(result)) list.Add(&entry_);
    list.ClearPending();
    return result;
  }
  bool TryLock(Waiter& waiter) {
    RobustList& list = RobustList::Current();
    list.SetPending(&entry_);
    uint32_t seen = 0;
    const bool got = Take(seen, waiter.tid);
    if (got) list.Add(&entry_);
    list.ClearPending();
    return got;
  }
  void Unlock(Waiter&) {
    RobustList& list = RobustList::Current();
    list.SetPending(&entry_);
    list.Remove(&entry_);
    const uint32_t before =
        atomics::Xchg<atomics::Order::kRelease>(&entry_.owner, 0);
    if ((before & FUTEX_WAITERS) != 0) {
      FutexWake<Scope::kShared>(&entry_.owner, 1);
    }
    list.ClearPending();
  }
  bool IsLocked() const { return LoadAcquire(&entry_.owner) != 0; }

 private:
  bool Take(uint32_t& seen, uint32_t tid) {
    return atomics::Cmpxchg<atomics::Order::kAcquire>(&entry_.owner, seen, tid);
  }
  static bool IsFree(uint32_t owner) { return (owner & FUTEX_TID_MASK) == 0; }

  [[gnu::noinline]] LockResult LockSlow(Waiter& waiter) {
    uint32_t seen = 0;
    // Also keeps the mark of sleepers that was there.
    const auto take = [&] {
      seen = LoadRelaxed(&entry_.owner);  // relaxed: confirmed by Take().
      if (!IsFree(seen)) return false;
      return Take(seen, waiter.tid | (seen & FUTEX_WAITERS));
    };
    bool got = SpinFor(waiter.budget.spins, take);
    for (uint32_t i = 0; !got && i < waiter.budget.yields; ++i) {
      YieldCpu(waiter);
      got = take();
    }
    if (!got) return Sleep(waiter);
    return ResultOf(seen);
  }

  LockResult Sleep(Waiter& waiter) {
    for (;;) {
      uint32_t seen = LoadRelaxed(&entry_.owner);
      // Others may sleep beside us, so we take it with the mark set.
      if (IsFree(seen)) {
        if (Take(seen, waiter.tid | FUTEX_WAITERS)) return ResultOf(seen);
        continue;
      }
      if (waiter.Aborted()) return LockResult::kAborted;
      const uint32_t marked = seen | FUTEX_WAITERS;
      // relaxed: nothing is taken over.
      if (seen != marked && !atomics::Cmpxchg<atomics::Order::kRelaxed>(
                                &entry_.owner, seen, marked)) {
        continue;
      }
      waiter.events.Count(LockEvent::kSlept);
      FutexWait<Scope::kShared>(&entry_.owner, marked, kSleepNs);
    }
  }

  static LockResult ResultOf(uint32_t seen) {
    return (seen & FUTEX_OWNER_DIED) != 0 ? LockResult::kOwnerDied
                                          : LockResult::kAcquired;
  }

  RobustEntry entry_ = {};
};

}  // namespace hackbench::sync
