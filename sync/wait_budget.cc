// SPDX-License-Identifier: MIT
#include "sync/wait_budget.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "atomics/arch.h"
#include "sync/access.h"

namespace hackbench::sync {
namespace {

constexpr int kRelaxes = 200;
constexpr int kBatches = 25;
constexpr double kFloorNs = 0.2;

// The shortest batch: the others met an interrupt.
double MeasureRelaxNs() {
  using Clock = std::chrono::steady_clock;
  const uint32_t word = 0;
  double best_ns = std::numeric_limits<double>::max();
  for (int batch = 0; batch < kBatches; ++batch) {
    const auto start = Clock::now();
    for (int i = 0; i < kRelaxes && LoadRelaxed(&word) == 0; ++i) {
      atomics::Cpu::Relax();
    }
    const std::chrono::duration<double, std::nano> took = Clock::now() - start;
    best_ns = std::min(best_ns, took.count() / kRelaxes);
  }
  return std::max(best_ns, kFloorNs);
}

}  // namespace

double RelaxNs() {
  static const double relax_ns = MeasureRelaxNs();
  return relax_ns;
}

WaitBudget WaitBudget::Calibrated(int64_t spin_ns, uint32_t yields) {
  constexpr double kMost = 1e9;
  const double spins =
      std::min(kMost, static_cast<double>(spin_ns) / RelaxNs());
  return {static_cast<uint32_t>(spins), yields};
}

}  // namespace hackbench::sync
