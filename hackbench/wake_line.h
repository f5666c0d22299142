// SPDX-License-Identifier: MIT
// How a task of the user plane sleeps in the kernel and is woken: by a byte
// over the real transport, or by a futex.
//
// Tokens, not events: whoever registers as a sleeper takes exactly one, whoever
// withdraws the registration gives exactly one for each (sync/models/
// wakeup.pml). A token that comes early is not lost, it waits in the transport.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "atomics/cmpxchg.h"
#include "hackbench/task_board.h"
#include "hackbench/worker_loop.h"
#include "sync/access.h"
#include "sync/futex.h"

namespace hackbench {

// One indirect call for each, chosen before the first task starts. `fd` is the
// end of the transport concerned, `tokens` the word of a transport without
// descriptors. False when it failed; the slot then says why.
struct WakeLine {
  bool (*give)(int fd, uint32_t* tokens, uint32_t count, TaskSlot& slot);
  bool (*take)(int fd, uint32_t* tokens, TaskSlot& slot);
};

inline bool GiveBytes(int fd, uint32_t*, uint32_t count, TaskSlot& slot) {
  static constexpr std::array<char, 256> kTokens{};
  while (count > 0) {
    const ssize_t done =
        write(fd, kTokens.data(), std::min<size_t>(count, kTokens.size()));
    if (done > 0) count -= static_cast<uint32_t>(done);
    if (done < 0 && errno != EINTR) {
      return RecordFault(slot, Fault::kWrite, errno);
    }
  }
  return true;
}

inline bool TakeByte(int fd, uint32_t*, TaskSlot& slot) {
  char token;
  for (;;) {
    const ssize_t done = read(fd, &token, 1);
    if (done == 1) return true;
    if (done == 0) return RecordFault(slot, Fault::kEndOfFile, 0);
    if (errno != EINTR) return RecordFault(slot, Fault::kRead, errno);
  }
}

inline bool GiveFutex(int, uint32_t* tokens, uint32_t count, TaskSlot&) {
  // release: what was done before the wake-up is seen after it.
  atomics::FetchAdd<atomics::Order::kRelease>(tokens, count);
  sync::FutexWake<sync::Scope::kShared>(tokens, static_cast<int>(count));
  return true;
}

inline bool TakeFutex(int, uint32_t* tokens, TaskSlot&) {
  // The kernel wakes us; the limit is for a run whose waker has died.
  constexpr int64_t kLookNs = 1'000'000'000;
  for (;;) {
    uint32_t seen = sync::LoadRelaxed(tokens);  // relaxed: confirmed below.
    if (seen == 0) {
      sync::FutexWait<sync::Scope::kShared>(tokens, 0, kLookNs);
    } else if (atomics::Cmpxchg<atomics::Order::kAcquire>(tokens, seen,
                                                          seen - 1)) {
      return true;
    }
  }
}

inline constexpr WakeLine kByteWakeLine = {GiveBytes, TakeByte};
inline constexpr WakeLine kFutexWakeLine = {GiveFutex, TakeFutex};

}  // namespace hackbench
