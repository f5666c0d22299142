// SPDX-License-Identifier: MIT
// The lock of a queue as the kernel builds it: preemption off, then the lock;
// a call, unless the lock is the inline one.
#pragma once

#include "sync/coop_preempt.h"
#include "sync/lock_list.h"
#include "sync/preempt.h"

namespace hackbench {

template <class L, class Preempt>
using UserLock = sync::PreemptLock<L, Preempt,
                                   std::is_same_v<L, sync::QueuedInlineLock>
                                       ? sync::Call::kInline
                                       : sync::Call::kOutOfLine>;

// Takes back who registered as a sleeper; whoever does owes each one a token.
// Two sides that no lock keeps apart need the exchange, and must not look
// before their own change to the queue is seen.
template <class L>
uint32_t Withdraw(uint32_t* sleepers) {
  if constexpr (!L::kTraits.excludes) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (sync::LoadRelaxed(sleepers) == 0) return 0;
    return atomics::Xchg(sleepers, 0U);
  }
  const uint32_t registered = *sleepers;
  if (registered != 0) *sleepers = 0;
  return registered;
}

// Registers one sleeper more; false when it need not sleep. Under a lock the
// caller has looked already. Without, it looks again after it is registered, by
// `needless`, and when the other side was faster, the token is under way.
template <class L, class Needless>
bool Register(uint32_t* sleepers, Needless needless) {
  if constexpr (!L::kTraits.excludes) {
    sync::StoreRelaxed(sleepers, 1U);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return !needless() || atomics::Xchg(sleepers, 0U) == 0;
  }
  ++*sleepers;
  return true;
}

}  // namespace hackbench
