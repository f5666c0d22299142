// SPDX-License-Identifier: MIT
// futex(2) on a 32-bit word: sleep while it holds a value, wake who sleeps.
//
// kShared finds the word in any process that maps the same memory; kPrivate is
// some 40 ns cheaper and for threads of one process only. Whoever sleeps and
// whoever wakes must name the same scope.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>

namespace hackbench::sync {

enum class Scope { kPrivate, kShared };

constexpr int FutexFlag(Scope scope) {
  return scope == Scope::kPrivate ? FUTEX_PRIVATE_FLAG : 0;
}

// Sleeps up to `timeout_ns` while `*word == expected`. Returns whenever there
// may be something new: woken, changed, timed out or a signal; look again.
template <Scope kScope>
void FutexWait(uint32_t* word, uint32_t expected, int64_t timeout_ns) {
  const timespec timeout = {timeout_ns / 1'000'000'000,
                            timeout_ns % 1'000'000'000};
  const int saved = errno;
  syscall(SYS_futex, word, FUTEX_WAIT | FutexFlag(kScope), expected, &timeout,
          nullptr, 0);
  errno = saved;
}

// Touches no memory: the word may have been unmapped meanwhile.
template <Scope kScope>
void FutexWake(uint32_t* word, int count) {
  const int saved = errno;
  syscall(SYS_futex, word, FUTEX_WAKE | FutexFlag(kScope), count, nullptr,
          nullptr, 0);
  errno = saved;
}

template <Scope kScope>
void FutexWakeAll(uint32_t* word) {
  FutexWake<kScope>(word, INT_MAX);
}

}  // namespace hackbench::sync
