// SPDX-License-Identifier: MIT
// Every way to count references that `hackbench lockref` compares, one line
// each: name, what it is the twin of, type.
#pragma once

#include <string_view>

#include "sync/lock_list.h"
#include "sync/lockref.h"

namespace hackbench {

// A plain atomic count, the price of no lock at all.
class AtomicCount {
 public:
  bool Prepare(sync::Arena&) { return true; }
  bool Get(sync::Waiter&) {
    atomics::FetchAdd<atomics::Order::kRelaxed>(&count_, 1);
    return true;
  }
  bool Put(sync::Waiter&) {
    atomics::FetchAdd<atomics::Order::kRelease>(&count_, -1);
    return true;
  }
  int32_t count() const { return sync::LoadRelaxed(&count_); }

 private:
  int32_t count_ = 0;
};

// No count: what the rest of the loop costs.
class NoCount {
 public:
  bool Prepare(sync::Arena&) { return true; }
  bool Get(sync::Waiter&) { return true; }
  bool Put(sync::Waiter&) { return true; }
  int32_t count() const { return 0; }
};

// Any lock and a count beside it.
template <class L>
class LockedCount {
 public:
  bool Prepare(sync::Arena& arena) { return sync::MakeLock<L>(&lock_, arena); }
  bool Get(sync::Waiter& waiter) { return Add(waiter, 1); }
  bool Put(sync::Waiter& waiter) { return Add(waiter, -1); }
  int32_t count() const { return sync::LoadRelaxed(&count_); }

 private:
  bool Add(sync::Waiter& waiter, int32_t delta) {
    if (!Holds(lock_.Lock(waiter))) return false;
    sync::StoreRelaxed(&count_, count_ + delta);
    lock_.Unlock(waiter);
    return true;
  }

  L lock_;
  int32_t count_ = 0;
};

template <class L, bool kUseCmpxchg,
          atomics::Order kOrder = atomics::Order::kRelaxed>
class LockrefCount : public sync::Lockref<L, kUseCmpxchg, kOrder> {
 public:
  bool Prepare(sync::Arena&) { return true; }
  bool Get(sync::Waiter& waiter) { return this->GetNotDead(waiter); }
};

template <class Type>
struct Refcount {
  using Count = Type;
  std::string_view name;
  std::string_view twin;  // Compared with; empty for none.
  std::string_view summary;
  bool adaptive;  // Works with more tasks than CPUs.
};

inline constexpr auto kFull = atomics::Order::kFull;

// visit(Refcount<...>) for each, in the order of the tables.
template <class Visit>
constexpr void ForEachRefcount(Visit visit) {
  using namespace sync;  // NOLINT: the names of the list.
  visit(Refcount<NoCount>{"none", "", "no count, the zero point", true});
  visit(Refcount<AtomicCount>{"atomic", "", "a plain atomic count", true});
  visit(Refcount<LockrefCount<TicketLock, false>>{
      "ticket-locked", "", "ticket, count, unlock", false});
  visit(Refcount<LockrefCount<TicketLock, true>>{
      "ticket-cmpxchg", "ticket-locked", "lockref over ticket", true});
  visit(Refcount<LockrefCount<TicketLock, true, kFull>>{
      "ticket-cmpxchg-full", "ticket-cmpxchg",
      "the same, cmpxchg64 fully ordered", true});
  visit(Refcount<LockrefCount<QueuedLock, false>>{
      "queued-locked", "", "queued, count, unlock", false});
  visit(Refcount<LockrefCount<QueuedLock, true>>{
      "queued-cmpxchg", "queued-locked", "lockref over queued", true});
  visit(Refcount<LockrefCount<HybridLock, false>>{
      "hybrid-locked", "", "hybrid, count, unlock", true});
  visit(Refcount<LockrefCount<HybridLock, true>>{
      "hybrid-cmpxchg", "hybrid-locked", "lockref over hybrid", true});
  visit(Refcount<LockedCount<PthreadNormalLock>>{
      "pthread-locked", "", "pthread_mutex, count, unlock", true});
  visit(Refcount<LockedCount<PthreadAdaptiveLock>>{
      "adaptive-locked", "", "adaptive pthread_mutex, count, unlock", true});
}

}  // namespace hackbench
