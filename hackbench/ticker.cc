// SPDX-License-Identifier: MIT
#include "hackbench/ticker.h"

#include <chrono>

#include "atomics/cmpxchg.h"

namespace hackbench {

Ticker::Ticker(std::span<sync::CpuRequest> requests, int64_t hz)
    : requests_(requests),
      period_ns_(1'000'000'000 / hz),
      thread_([this](std::stop_token stop) { Run(std::move(stop)); }) {}

void Ticker::Run(std::stop_token stop) {
  auto next = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    // From the last due time, so that a late tick does not slow the rate.
    next += std::chrono::nanoseconds(period_ns_);
    condition_.wait_until(lock, stop, next, [] { return false; });
    if (stop.stop_requested()) return;
    for (sync::CpuRequest& request : requests_) {
      // Relaxed: a request orders nothing.
      atomics::FetchAdd<atomics::Order::kRelaxed>(&request.ticks, 1U);
    }
    ticks_.fetch_add(1, std::memory_order_relaxed);
  }
}

}  // namespace hackbench
