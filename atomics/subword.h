// SPDX-License-Identifier: MIT
// One- and two-byte atomics for a CPU that has only four-byte ones: a
// compare-exchange of the aligned four bytes around the small word.
//
// The neighbours in those four bytes must be memory of ours too, and are
// rewritten with the value they had. `Cmpxchg32` is a backend's own four-byte
// compare-exchange; the compiler's would call libatomic.
#pragma once

#include <bit>
#include <cstdint>

#include "atomics/order.h"

namespace hackbench::atomics {

// Four bytes seen through a pointer to something smaller.
using Container [[gnu::may_alias]] = uint32_t;

template <class Small>
class Subword {
 public:
  explicit Subword(Small* word) {
    const auto address = reinterpret_cast<uintptr_t>(word);
    constexpr uintptr_t kInside = sizeof(Container) - 1;
    // The cast goes back to the four bytes the word lives in.
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    container_ = reinterpret_cast<Container*>(address & ~kInside);
    uintptr_t byte = address & kInside;
    if constexpr (std::endian::native == std::endian::big) {
      byte = sizeof(Container) - sizeof(Small) - byte;
    }
    shift_ = static_cast<unsigned>(byte * 8);
  }

  // Replaces the word by `change(word)` while `wanted(word)` holds; `seen` is
  // what stood there before.
  template <class Cmpxchg32, Order kOrder, class Wanted, class Change>
  bool Update(Small& seen, Wanted wanted, Change change) {
    // relaxed: a first guess, confirmed by the compare-exchange.
    uint32_t old = __atomic_load_n(container_, __ATOMIC_RELAXED);
    for (;;) {
      seen = static_cast<Small>(old >> shift_);
      if (!wanted(seen)) return false;
      const uint32_t next =
          (old & ~Mask()) | (static_cast<uint32_t>(change(seen)) << shift_);
      if (Cmpxchg32::template Run<kOrder>(container_, old, next)) return true;
    }
  }

 private:
  [[nodiscard]] uint32_t Mask() const {
    return static_cast<uint32_t>(static_cast<Small>(~Small{0})) << shift_;
  }

  Container* container_;
  unsigned shift_;
};

template <class Cmpxchg32, Order kOrder, class Small>
bool SubwordCmpxchg(Small* word, Small& expected, Small desired) {
  const Small wanted = expected;
  return Subword<Small>(word).template Update<Cmpxchg32, kOrder>(
      expected, [wanted](Small seen) { return seen == wanted; },
      [desired](Small) { return desired; });
}

template <class Cmpxchg32, Order kOrder, class Small>
Small SubwordXchg(Small* word, Small value) {
  Small old{};
  Subword<Small>(word).template Update<Cmpxchg32, kOrder>(
      old, [](Small) { return true; }, [value](Small) { return value; });
  return old;
}

template <class Cmpxchg32, Order kOrder, class Small>
Small SubwordFetchAdd(Small* word, Small delta) {
  Small old{};
  Subword<Small>(word).template Update<Cmpxchg32, kOrder>(
      old, [](Small) { return true; },
      [delta](Small seen) { return static_cast<Small>(seen + delta); });
  return old;
}

}  // namespace hackbench::atomics
