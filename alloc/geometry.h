// SPDX-License-Identifier: MIT
// How a cache is cut into slabs, by the kernel's rules: the lowest order that
// holds enough objects and wastes at most a sixteenth of the slab, or an
// eighth, a quarter, a half; never above order 3 unless one object needs it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "alloc/page.h"

namespace hackbench::alloc {

struct Geometry {
  unsigned order = 0;
  unsigned min_order = 0;  // What one object needs: the fallback.
  uint32_t objects = 0;
};

inline constexpr unsigned kCostlyOrder = 3;

constexpr uint32_t ObjectsIn(unsigned order, size_t size) {
  return static_cast<uint32_t>((kPageBytes << order) / size);
}

constexpr Geometry GeometryFor(size_t size, uint32_t num_cpus) {
  Geometry geometry;
  geometry.min_order = OrderFor(size);
  geometry.order = geometry.min_order;
  const uint32_t wanted =
      4 * (static_cast<uint32_t>(std::bit_width(num_cpus)) + 1);
  const uint32_t least =
      std::max(1U, std::min(wanted, ObjectsIn(kCostlyOrder, size)));
  bool found = false;
  for (unsigned fraction = 16; fraction >= 2 && !found; fraction /= 2) {
    for (unsigned order = OrderFor(least * size); order <= kCostlyOrder;
         ++order) {
      const size_t slab = kPageBytes << order;
      if (slab % size > slab / fraction) continue;
      geometry.order = order;
      found = true;
      break;
    }
  }
  geometry.objects = ObjectsIn(geometry.order, size);
  return geometry;
}

// Partial slabs kept per cache however empty they are.
constexpr uint32_t MinPartialFor(size_t size) {
  return static_cast<uint32_t>(
      std::clamp<int>((std::bit_width(size) - 1) / 2, 5, 10));
}

// As an x86-64 kernel with two CPUs has them in /sys/kernel/slab.
static_assert(GeometryFor(8, 2).order == 0 && GeometryFor(8, 2).objects == 512);
static_assert(GeometryFor(96, 2).objects == 42);
static_assert(GeometryFor(192, 2).order == 0 &&
              GeometryFor(192, 2).objects == 21);
static_assert(GeometryFor(512, 2).order == 1 &&
              GeometryFor(512, 2).objects == 16);
static_assert(GeometryFor(2048, 2).order == 3 &&
              GeometryFor(2048, 2).objects == 16);
static_assert(GeometryFor(8192, 2).order == 3 &&
              GeometryFor(8192, 2).objects == 4);
static_assert(MinPartialFor(8) == 5 && MinPartialFor(4096) == 6);

}  // namespace hackbench::alloc
