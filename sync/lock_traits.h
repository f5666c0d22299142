// SPDX-License-Identifier: MIT
// What a lock says of itself, and the contract of all of them.
//
// A lock lives in zeroed memory, private or shared by processes, holds no
// pointer to anything shared, and is made by MakeLock(). Lock() and Unlock() of
// one hold use one Waiter. Lock() may fail, and then holds nothing unless it
// says kOwnerDied.
#pragma once

#include <concepts>
#include <cstdint>
#include <new>
#include <string_view>

#include "sync/waiter.h"

namespace hackbench::sync {

enum class [[nodiscard]] LockResult : uint8_t{
    kAcquired,
    kOwnerDied,  // Held, after a holder that died: repair what it guards.
    kAborted,    // The run is over: leave.
    kTimedOut,   // Resilient locks: their time limit.
    kDeadlock,   // Resilient locks: AA or ABBA.
    kTooDeep,    // More nested waits than a Waiter has nodes.
};

constexpr bool Holds(LockResult result) {
  return result == LockResult::kAcquired || result == LockResult::kOwnerDied;
}

struct LockTraits {
  bool excludes = true;    // Promises mutual exclusion.
  bool safe = true;        // Keeps it. False for the control.
  bool pure_spin = false;  // Waits by spinning alone: collapses when there
                           // are more tasks than CPUs.
  bool fifo = false;       // Serves those who wait in order of arrival.
  bool process_shared = true;
  bool checks_abort = true;  // A waiter leaves when the run is aborted.
  bool recovers = false;     // Survives the death of its holder.
  bool times_out = false;
  bool has_try = true;
  bool is_baseline = false;  // Somebody else's lock, to compare with.
};

// What a task must hold for as long as it uses locks of a kind; a lock that
// needs more than this names its own as `Session`.
struct NoSession {};
template <class L>
struct SessionOf {
  using Type = NoSession;
};
template <class L>
requires requires { typename L::Session; }
struct SessionOf<L> {
  using Type = typename L::Session;
};

template <class L>
concept Lockable = requires(L& lock, Waiter& waiter) {
  // clang-format off
  { L::kName } -> std::convertible_to<std::string_view>;
  { L::kSummary } -> std::convertible_to<std::string_view>;
  { L::kTraits } -> std::convertible_to<LockTraits>;
  { lock.Lock(waiter) } -> std::same_as<LockResult>;
  { lock.TryLock(waiter) } -> std::same_as<bool>;
  { lock.Unlock(waiter) } -> std::same_as<void>;
  // clang-format on
};

// A lock that readers may hold together.
template <class L>
concept SharedLockable = Lockable<L> && requires(L& lock, Waiter& waiter) {
  // clang-format off
  { lock.LockShared(waiter) } -> std::same_as<LockResult>;
  { lock.UnlockShared(waiter) } -> std::same_as<void>;
  // clang-format on
};

// Makes a lock in `memory` (of sizeof(L) bytes, aligned to a line). Those that
// need more than zeroes take it from the arena; false when it has no more.
template <Lockable L>
bool MakeLock(void* memory, Arena& arena) {
  L* lock = new (memory) L{};
  if constexpr (requires { lock->Prepare(arena); }) {
    return lock->Prepare(arena);
  }
  return true;
}

}  // namespace hackbench::sync
