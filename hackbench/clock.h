// SPDX-License-Identifier: MIT
// Monotonic nanoseconds, comparable between the tasks of one machine.
#pragma once

#include <time.h>

#include <cstdint>

namespace hackbench {

inline int64_t MonotonicNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace hackbench
