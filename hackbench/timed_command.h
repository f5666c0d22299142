// SPDX-License-Identifier: MIT
// Runs a whole command for the benchmarks: how long it took, and the seconds it
// reported itself in its `Time:` line.
#pragma once

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "hackbench/clock.h"

namespace hackbench {

struct CommandTimes {
  double wall_s = 0;
  double reported_s = 0;  // 0 when there was no such line: the run failed.
};

inline CommandTimes TimeCommand(const std::string& command) {
  CommandTimes times;
  const int64_t begin_ns = MonotonicNs();
  std::FILE* const output = popen((command + " 2>/dev/null").c_str(), "r");
  if (output == nullptr) return times;
  std::array<char, 256> line;
  while (std::fgets(line.data(), line.size(), output) != nullptr) {
    const std::string text(line.data());
    if (text.starts_with("Time: ")) {
      times.reported_s = std::strtod(text.c_str() + 6, nullptr);
    }
  }
  pclose(output);
  times.wall_s = static_cast<double>(MonotonicNs() - begin_ns) / 1e9;
  return times;
}

// The binary under test, from the environment that ctest and `make bench` set.
inline std::string OurHackbench() {
  const char* const path = std::getenv("HACKBENCH_BINARY");
  return path == nullptr ? "hackbench" : path;
}

// The peer from Debian's rt-tests package; empty when it is not installed.
inline std::string PeerHackbench() {
  constexpr const char* kPath = "/usr/bin/hackbench";
  return access(kPath, X_OK) == 0 ? kPath : "";
}

}  // namespace hackbench
