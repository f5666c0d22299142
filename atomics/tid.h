// SPDX-License-Identifier: MIT
// The transaction id of a per-CPU freelist, as the kernel's SLUB counts it:
// starts at the CPU number and steps by the power of two at or above the number
// of CPUs, so that no two operations on any CPU share one.
//
// Put it in the second word of a double word and step it at every change. A
// freelist head that was popped, popped again and pushed back then no longer
// passes for untouched (the 2008 bug). 64 bits do not wrap; 24 would in 90 ms.
#pragma once

#include <bit>
#include <cstdint>

namespace hackbench::atomics {

class TidSequence {
 public:
  explicit constexpr TidSequence(uint32_t num_cpus)
      : step_(std::bit_ceil(uint64_t{num_cpus})) {}

  [[nodiscard]] constexpr uint64_t First(uint32_t cpu) const { return cpu; }
  // The top bit stays clear: the generic double word keeps its lock there.
  [[nodiscard]] constexpr uint64_t Next(uint64_t tid) const {
    return (tid + step_) & ~(uint64_t{1} << 63);
  }
  [[nodiscard]] constexpr uint32_t Cpu(uint64_t tid) const {
    return static_cast<uint32_t>(tid & (step_ - 1));
  }

 private:
  uint64_t step_;
};

}  // namespace hackbench::atomics
