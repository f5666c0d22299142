// SPDX-License-Identifier: MIT
// One thing a CPU has or lacks, with the reason we say so; `--list` prints it.
#pragma once

#include <cstdint>
#include <string_view>

namespace hackbench::atomics {

struct Feature {
  std::string_view name;
  bool present;
  std::string_view note;  // Where the answer comes from, or what follows.
};

// Stands for an x86 instruction that reads the CPU id, on all the others.
struct NoCpuIdInstruction {
  static std::string_view WhyNot() { return "an instruction of x86-64"; }
  static uint32_t Read() { return 0; }
};

}  // namespace hackbench::atomics
