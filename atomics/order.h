// SPDX-License-Identifier: MIT
// How strongly an atomic operation orders the memory accesses around it, in the
// kernel's four strengths.
//
// `kFull` is at least C++'s seq_cst; the native backends make it the kernel's
// fully ordered cmpxchg(), which also keeps later plain accesses behind it. A
// compare-exchange that *fails* promises no order at all; reload with an
// acquire if you go on to follow a pointer.
#pragma once

namespace hackbench::atomics {

enum class Order { kRelaxed, kAcquire, kRelease, kFull };

constexpr bool Acquires(Order order) {
  return order == Order::kAcquire || order == Order::kFull;
}

constexpr bool Releases(Order order) {
  return order == Order::kRelease || order == Order::kFull;
}

// The same strength as the compiler's builtins name it.
constexpr int BuiltinOrder(Order order) {
  switch (order) {
    case Order::kRelaxed:
      return __ATOMIC_RELAXED;
    case Order::kAcquire:
      return __ATOMIC_ACQUIRE;
    case Order::kRelease:
      return __ATOMIC_RELEASE;
    case Order::kFull:
      return __ATOMIC_SEQ_CST;
  }
  return __ATOMIC_SEQ_CST;
}

}  // namespace hackbench::atomics
