// SPDX-License-Identifier: MIT
// What the machine did to one launch: time stolen by the hypervisor, pressure,
// throttling, interrupts. Counters read before and after it, outside the time
// that is measured; three small files and a few more when they exist.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hackbench::results {

// Counters by name: "steal_ns", "psi_cpu_us", "throttled_us", …; absent where
// this machine has none. "cpu_ns" is time passed on all CPUs together.
using Counters = std::map<std::string, int64_t>;

Counters ReadCounters(const std::string& root = "");

struct RunDelta {
  Counters counters = {};  // After minus before.
  double load = -1;        // Of the last minute, before the launch; -1 unknown.
  int64_t runnable = 0;    // Tasks on run queues before it, without us.
};

// What stood in /proc/loadavg.
void ReadLoad(RunDelta& delta, const std::string& root = "");

Counters Subtract(const Counters& after, const Counters& before);

// Reasons to doubt the launch, from the environment alone and so chosen before
// its time is known: "steal 2.3 %", "throttled", "swapped".
std::vector<std::string> Flags(const RunDelta& delta);

std::string ToJson(const RunDelta& delta);

}  // namespace hackbench::results
