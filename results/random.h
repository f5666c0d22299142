// SPDX-License-Identifier: MIT
// A small generator whose sequence is the same on every machine and with every
// standard library, so that a recorded seed rebuilds a plan or a test.
//
// SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014. Not for secrets.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace hackbench::results {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  // An independent stream of the same seed, one per block of a plan.
  Random(uint64_t seed, uint64_t stream) : state_(seed) {
    state_ = Next() ^ (stream * 0xd1342543de82ef95u);
  }

  uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  // Uniform in [0, bound), without the bias of a plain remainder. bound > 0.
  uint64_t Below(uint64_t bound) {
    const uint64_t unfair = (0 - bound) % bound;  // 2^64 mod bound.
    for (;;) {
      const uint64_t value = Next();
      if (value >= unfair) return value % bound;
    }
  }

  // Uniform in (0, 1).
  double Unit() {
    return (static_cast<double>(Next() >> 11) + 0.5) * 0x1.0p-53;
  }

  template <typename T>
  void Shuffle(std::span<T> items) {
    for (size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[Below(i)]);
    }
  }

 private:
  uint64_t state_;
};

}  // namespace hackbench::results
