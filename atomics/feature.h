// SPDX-License-Identifier: MIT
// One thing a CPU has or lacks, with the reason we say so; `--list` prints it.
#pragma once

#include <string_view>

namespace hackbench::atomics {

struct Feature {
  std::string_view name;
  bool present;
  std::string_view note;  // Where the answer comes from, or what follows.
};

}  // namespace hackbench::atomics
