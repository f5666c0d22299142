// SPDX-License-Identifier: MIT
// The C library's locks, to compare with. Their waiters do not look at the
// run's abort flag: a run that ends early ends them by a signal.
#pragma once

#include <pthread.h>

#include <cerrno>

#include "sync/lock_traits.h"

namespace hackbench::sync {

class PthreadSpinLock {
 public:
  static constexpr std::string_view kName = "pthread-spin";
  static constexpr std::string_view kSummary = "pthread_spin_lock";
  static constexpr LockTraits kTraits = {
      .pure_spin = true, .checks_abort = false, .is_baseline = true};

  bool Prepare(Arena&) {
    return pthread_spin_init(&lock_, PTHREAD_PROCESS_SHARED) == 0;
  }
  LockResult Lock(Waiter&) {
    pthread_spin_lock(&lock_);
    return LockResult::kAcquired;
  }
  bool TryLock(Waiter&) { return pthread_spin_trylock(&lock_) == 0; }
  void Unlock(Waiter&) { pthread_spin_unlock(&lock_); }

 private:
  pthread_spinlock_t lock_;
};

enum class PthreadKind { kNormal, kAdaptive, kRobust, kInherit };

template <PthreadKind kKind>
class PthreadMutexLock {
 public:
  static constexpr std::string_view kName =
      kKind == PthreadKind::kNormal     ? "pthread-mutex"
      : kKind == PthreadKind::kAdaptive ? "pthread-adaptive"
      : kKind == PthreadKind::kRobust   ? "pthread-robust"
                                        : "pthread-pi";
  static constexpr std::string_view kSummary =
      kKind == PthreadKind::kNormal     ? "pthread_mutex_t, normal"
      : kKind == PthreadKind::kAdaptive ? "pthread_mutex_t, adaptive"
      : kKind == PthreadKind::kRobust   ? "pthread_mutex_t, robust"
                                      : "pthread_mutex_t, priority inheritance";
  static constexpr LockTraits kTraits = {
      .checks_abort = false,
      .recovers = kKind == PthreadKind::kRobust,
      .is_baseline = true};

  bool Prepare(Arena&) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    if (kKind == PthreadKind::kAdaptive) {
      pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
    }
    if (kKind == PthreadKind::kRobust) {
      pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    }
    if (kKind == PthreadKind::kInherit) {
      pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    }
    const bool made = pthread_mutex_init(&mutex_, &attributes) == 0;
    pthread_mutexattr_destroy(&attributes);
    return made;
  }

  LockResult Lock(Waiter&) {
    const int error = pthread_mutex_lock(&mutex_);
    if (kKind == PthreadKind::kRobust && error == EOWNERDEAD) {
      pthread_mutex_consistent(&mutex_);
      return LockResult::kOwnerDied;
    }
    return error == 0 ? LockResult::kAcquired : LockResult::kAborted;
  }
  bool TryLock(Waiter&) { return pthread_mutex_trylock(&mutex_) == 0; }
  void Unlock(Waiter&) { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_;
};
using PthreadNormalLock = PthreadMutexLock<PthreadKind::kNormal>;
using PthreadAdaptiveLock = PthreadMutexLock<PthreadKind::kAdaptive>;
using PthreadRobustLock = PthreadMutexLock<PthreadKind::kRobust>;
using PthreadInheritLock = PthreadMutexLock<PthreadKind::kInherit>;

}  // namespace hackbench::sync
