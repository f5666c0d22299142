// SPDX-License-Identifier: MIT
// How long a waiter spins and yields before it does something dearer.
//
// Given in ns and turned into spins by what cpu_relax costs on this machine:
// one takes from 5 to 140 cycles, so a number of spins would mean nothing. A
// budget of 0 is legal: the condition is tested, then the next step follows.
#pragma once

#include <cstdint>

namespace hackbench::sync {

// About 100 pauses of 24 ns, the price of one futex hand-over.
inline constexpr int64_t kDefaultSpinNs = 2400;

struct WaitBudget {
  uint32_t spins = 100;
  uint32_t yields = 2;

  // Of `spin_ns` and `yields` here.
  static WaitBudget Calibrated(int64_t spin_ns = kDefaultSpinNs,
                               uint32_t yields = 2);
};

// One cpu_relax and one look at a word, ns; measured at the first call.
double RelaxNs();

}  // namespace hackbench::sync
