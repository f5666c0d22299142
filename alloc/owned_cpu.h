// SPDX-License-Identifier: MIT
// What a CPU has of each size class in `owned`: its list, the list others push
// to, and where the span it is cutting up ends.
#pragma once

#include <array>
#include <cstdint>

#include "alloc/heap.h"
#include "alloc/sheaf.h"
#include "alloc/size_class.h"

namespace hackbench::alloc {

struct OwnedClass {
  alignas(128) uint64_t list;  // This CPU's alone: restartable sequences.
  // Where the next object will be cut, in a span of this class; a multiple of
  // the span's size when there is none left. Under the front's lock.
  uint64_t carve;
  // Objects of other CPUs' spans. Its lock is the class's lock here.
  CpuSheaf front;
  // On lines of its own: others write it, the owner seldom looks.
  alignas(128) uint64_t remote;
};

// Powers of two, so that a class is found by shifts.
static_assert(sizeof(OwnedClass) == 512);
struct OwnedCpu {
  std::array<OwnedClass, 1U << SpanInfo::kClassBits> classes;
};
static_assert(kNumClasses <= 1U << SpanInfo::kClassBits);

// Spans of CPUs beyond the table.
inline constexpr uint32_t kOverflowOwner = (~0U >> 4) - 1;

}  // namespace hackbench::alloc
