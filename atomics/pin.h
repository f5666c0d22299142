// SPDX-License-Identifier: MIT
// CPUs this process may use, and keeping a thread on one of them.
#pragma once

#include <sched.h>

#include <vector>

namespace hackbench::atomics {

inline std::vector<int> AllowedCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

// Pins the calling thread; false when the kernel refuses.
inline bool PinToCpu(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return sched_setaffinity(0, sizeof(set), &set) == 0;
}

// Pins the calling thread and gives it back its CPUs at the end.
class PinnedScope {
 public:
  explicit PinnedScope(int cpu) {
    sched_getaffinity(0, sizeof(before_), &before_);
    pinned_ = PinToCpu(cpu);
  }
  ~PinnedScope() { sched_setaffinity(0, sizeof(before_), &before_); }
  PinnedScope(const PinnedScope&) = delete;
  PinnedScope& operator=(const PinnedScope&) = delete;

  [[nodiscard]] bool pinned() const { return pinned_; }

 private:
  cpu_set_t before_;
  bool pinned_ = false;
};

}  // namespace hackbench::atomics
