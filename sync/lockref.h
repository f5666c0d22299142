// SPDX-License-Identifier: MIT
// A spinlock and a reference count in one word of eight bytes: while the lock
// is free the count changes by one compare-exchange of both, and while it is
// held the count stands still. After Torvalds's lockref, 2013.
//
// Over any lock of four bytes with a ValueUnlocked(copy). `kUseCmpxchg` off is
// the twin to compare with: every change takes the lock. The order of the
// compare-exchange is a parameter; relaxed is enough, since a count is ordered
// by the lock it respects, and was reported not to be visibly faster.
#pragma once

#include <bit>
#include <cstring>

#include "atomics/cmpxchg.h"
#include "sync/lock_traits.h"

namespace hackbench::sync {

inline constexpr int32_t kDeadCount = -128;

template <class LockType, bool kUseCmpxchg = true,
          atomics::Order kOrder = atomics::Order::kRelaxed>
class Lockref {
 public:
  static_assert(sizeof(LockType) == 4);
  // Beyond this many failures the lock is fairer (ThunderX2, 2019).
  static constexpr int kMaxTries = 100;

  // One more; the caller knows that it is alive. False when aborted.
  bool Get(Waiter& waiter) {
    if (TryChange([](int32_t& count) { return ++count, true; }) == kDone) {
      return true;
    }
    return Under(waiter, [](int32_t& count) { return ++count, true; });
  }
  // One more unless there is none; false then.
  bool GetNotZero(Waiter& waiter) {
    const auto change = [](int32_t& count) { return count > 0 && ++count; };
    const Outcome outcome = TryChange(change);
    return outcome == kBusy ? Under(waiter, change) : outcome == kDone;
  }
  // One more unless marked dead.
  bool GetNotDead(Waiter& waiter) {
    const auto change = [](int32_t& count) {
      return count >= 0 && (++count, true);
    };
    const Outcome outcome = TryChange(change);
    return outcome == kBusy ? Under(waiter, change) : outcome == kDone;
  }
  // One less without the lock: the new count, or -1 when that cannot be.
  int32_t PutReturn() {
    int32_t left = -1;
    const Outcome outcome = TryChange([&left](int32_t& count) {
      if (count <= 0) return false;
      left = --count;
      return true;
    });
    return outcome == kDone ? left : -1;
  }
  // One less if more than one is left: true. Otherwise nothing is changed and
  // the lock is held: false.
  bool PutOrLock(Waiter& waiter) {
    const auto change = [](int32_t& count) { return count > 1 && --count; };
    if (TryChange(change) == kDone) return true;
    if (!Holds(parts_.lock.Lock(waiter))) return true;
    int32_t count = LoadRelaxed(&parts_.count);
    if (!change(count)) return false;
    StoreRelaxed(&parts_.count, count);
    parts_.lock.Unlock(waiter);
    return true;
  }
  // One less, whatever is left. False when aborted.
  bool Put(Waiter& waiter) {
    if (TryChange([](int32_t& count) { return --count, true; }) == kDone) {
      return true;
    }
    return Under(waiter, [](int32_t& count) { return --count, true; });
  }
  // Under the lock: no GetNotDead() succeeds from now on.
  void MarkDead() { StoreRelaxed(&parts_.count, kDeadCount); }

  LockType& lock() { return parts_.lock; }
  // relaxed throughout: a number for people, or read under the lock.
  int32_t count() const { return LoadRelaxed(&parts_.count); }
  void set_count(int32_t count) { StoreRelaxed(&parts_.count, count); }

 private:
  enum Outcome { kDone, kRefused, kBusy };

  struct Parts {
    LockType lock;
    int32_t count;
  };
  static_assert(sizeof(Parts) == 8);
  using Word [[gnu::may_alias]] = uint64_t;

  // The word as a number, whatever the byte order.
  static constexpr int kLockShift =
      std::endian::native == std::endian::little ? 0 : 32;
  static constexpr int kCountShift = 32 - kLockShift;

  template <class Change>
  Outcome TryChange(Change change) {
    if constexpr (!kUseCmpxchg) return kBusy;
    auto* word = reinterpret_cast<Word*>(&parts_);
    // relaxed: the compare-exchange confirms it.
    uint64_t seen = LoadRelaxed(word);
    // No cpu_relax between: the line that was lost is wanted back at once.
    for (int i = 0; i < kMaxTries; ++i) {
      const auto lock = static_cast<uint32_t>(seen >> kLockShift);
      if (!LockType::ValueUnlocked(lock)) return kBusy;
      auto count = static_cast<int32_t>(seen >> kCountShift);
      if (!change(count)) return kRefused;
      const uint64_t next =
          uint64_t{lock} << kLockShift | uint64_t{static_cast<uint32_t>(count)}
                                             << kCountShift;
      if (atomics::Cmpxchg64<kOrder>(reinterpret_cast<uint64_t*>(word), seen,
                                     next)) {
        return kDone;
      }
    }
    return kBusy;
  }

  template <class Change>
  [[gnu::noinline]] bool Under(Waiter& waiter, Change change) {
    if (!Holds(parts_.lock.Lock(waiter))) return false;
    int32_t count = LoadRelaxed(&parts_.count);
    const bool changed = change(count);
    if (changed) StoreRelaxed(&parts_.count, count);
    parts_.lock.Unlock(waiter);
    return changed;
  }

  alignas(8) Parts parts_ = {};
};

}  // namespace hackbench::sync
