// SPDX-License-Identifier: MIT
// What the operations of atomics/ work on: words of 1, 2, 4 or 8 bytes, and the
// double word of 16.
//
// Backends see unsigned words only. A signed `int8_t{-1}` that reaches an
// assembler line keeps 24 bits of sign above it, and a compare against a
// zero-extended load then fails forever (arm64 and riscv64 both had this bug).
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace hackbench::atomics {

template <class T>
concept Word = (std::integral<T> || std::is_enum_v<T> ||
                std::is_pointer_v<T>)&&(sizeof(T) == 1 || sizeof(T) == 2 ||
                                        sizeof(T) == 4 || sizeof(T) == 8);

template <size_t kSize>
struct UnsignedOfSize;
template <>
struct UnsignedOfSize<1> {
  using Type = uint8_t;
};
template <>
struct UnsignedOfSize<2> {
  using Type = uint16_t;
};
template <>
struct UnsignedOfSize<4> {
  using Type = uint32_t;
};
template <>
struct UnsignedOfSize<8> {
  using Type = uint64_t;
};
template <Word T>
using Bits = typename UnsignedOfSize<sizeof(T)>::Type;

template <Word T>
constexpr Bits<T> ToBits(T value) {
  return std::bit_cast<Bits<T>>(value);
}

template <Word T>
constexpr T FromBits(Bits<T> bits) {
  return std::bit_cast<T>(bits);
}

// Two words that are compared and exchanged as one. The struct is aligned, not
// its members: `alignas` on the declaration list would align each of them.
struct alignas(16) DoubleWord {
  uint64_t first = 0;
  uint64_t second = 0;

  bool operator==(const DoubleWord&) const = default;
};
static_assert(sizeof(DoubleWord) == 16);

// Both words, possibly torn: the compare-exchange that follows judges the pair.
// `second` (the tid) is read first, so that `first` is at least as new: acquire
// keeps the reads in that order.
inline DoubleWord LoadTorn(const DoubleWord* word) {
  const uint64_t second = __atomic_load_n(&word->second, __ATOMIC_ACQUIRE);
  return {__atomic_load_n(&word->first, __ATOMIC_ACQUIRE), second};
}

}  // namespace hackbench::atomics
