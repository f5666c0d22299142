// SPDX-License-Identifier: MIT
// The tick of the cooperative preemption model: asks for a switch on every CPU,
// `hz` times a second, in the page that all tasks share.
//
// One thread ticks for all CPUs, at once; the kernel's ticks are per CPU and
// apart. Start it when all tasks exist, so that no fork copies a threaded
// process. Ends with the object.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <thread>

#include "sync/coop_preempt.h"

namespace hackbench {

class Ticker {
 public:
  Ticker(std::span<sync::CpuRequest> requests, int64_t hz);
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

  uint64_t ticks() const {
    // Relaxed: a number for people.
    return ticks_.load(std::memory_order_relaxed);
  }

 private:
  void Run(std::stop_token stop);

  std::span<sync::CpuRequest> requests_;
  int64_t period_ns_;
  std::atomic<uint64_t> ticks_ = 0;
  std::mutex mutex_;
  std::condition_variable_any condition_;
  std::jthread thread_;  // Last: it uses the rest.
};

}  // namespace hackbench
