// SPDX-License-Identifier: MIT
// The kmalloc size classes: 8, 16, 32, 64, 96, 128, 192, 256, 512, 1k, 2k, 4k,
// 8k; above that whole pages. `owned` goes on to 16k and 32k.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace hackbench::alloc {

inline constexpr std::array<uint32_t, 15> kClassBytes = {
    8,   16,   32,   64,   96,   128,   192,  256,
    512, 1024, 2048, 4096, 8192, 16384, 32768};
inline constexpr unsigned kNumKmallocClasses = 13;
inline constexpr size_t kMaxKmallocBytes = 8192;
inline constexpr unsigned kNumClasses = kClassBytes.size();
inline constexpr size_t kMaxClassBytes = 32768;

// By steps of eight bytes up to 192.
inline constexpr std::array<uint8_t, 25> kSmallClass = [] {
  std::array<uint8_t, 25> table{};
  for (size_t step = 0; step < table.size(); ++step) {
    uint8_t index = 0;
    while (kClassBytes[index] < step * 8) ++index;
    table[step] = index;
  }
  return table;
}();

// `bytes` is at most kMaxClassBytes; 0 counts as 1.
constexpr unsigned ClassFor(size_t bytes) {
  if (bytes <= 192) return kSmallClass[(bytes + 7) / 8];
  // 256 is class 7.
  return static_cast<unsigned>(std::bit_width(bytes - 1)) - 1;
}
static_assert(ClassFor(0) == 0 && ClassFor(1) == 0 && ClassFor(8) == 0);
static_assert(ClassFor(9) == 1 && ClassFor(65) == 4 && ClassFor(192) == 6);
static_assert(ClassFor(193) == 7 && ClassFor(256) == 7 && ClassFor(257) == 8);
static_assert(ClassFor(8192) == 12 && ClassFor(32768) == 14);

}  // namespace hackbench::alloc
