// SPDX-License-Identifier: MIT
// Pages and orders: a block of order n is 2^n pages. Pages are counted from the
// start of the arena; page 0 is never handed out, so 0 says "none".
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace hackbench::alloc {

inline constexpr unsigned kPageShift = 12;
inline constexpr size_t kPageBytes = size_t{1} << kPageShift;
inline constexpr unsigned kMaxOrder = 10;
inline constexpr unsigned kNumOrders = kMaxOrder + 1;
inline constexpr uint32_t kNoPage = 0;

// The smallest order that holds `bytes`.
constexpr unsigned OrderFor(size_t bytes) {
  const size_t pages = (bytes + kPageBytes - 1) >> kPageShift;
  return pages <= 1 ? 0 : static_cast<unsigned>(std::bit_width(pages - 1));
}

}  // namespace hackbench::alloc
