// SPDX-License-Identifier: MIT
// The operations the rest of the program calls: Cmpxchg, Xchg and FetchAdd on
// 1, 2, 4 or 8 bytes, CmpxchgDouble on 16, and their `Local` forms.
//
// `Local` is atomic against this CPU only: signals and preemption, not other
// CPUs. Use it inside a restartable sequence or with preemption modelled away;
// where the CPU has no unlocked form it is the relaxed shared one. Cmpxchg
// stores what it saw in `expected`; CmpxchgDouble only says yes or no, so
// reload both words. `Ops` defaults to this machine's; name another for A/B.
#pragma once

#include <type_traits>

#include "atomics/arch.h"

namespace hackbench::atomics {

template <Order kOrder = Order::kFull, class Ops = WordOps, Word T>
bool Cmpxchg(T* word, T& expected, std::type_identity_t<T> desired) {
  return Ops::template Cmpxchg<kOrder>(word, expected, desired);
}

// Eight bytes whatever the width of the CPU.
template <Order kOrder = Order::kFull, class Ops = WordOps>
bool Cmpxchg64(uint64_t* word, uint64_t& expected, uint64_t desired) {
  return Ops::template Cmpxchg<kOrder>(word, expected, desired);
}

template <Order kOrder = Order::kFull, class Ops = WordOps, Word T>
T Xchg(T* word, std::type_identity_t<T> value) {
  return Ops::template Xchg<kOrder>(word, value);
}

template <Order kOrder = Order::kFull, class Ops = WordOps, std::integral T>
T FetchAdd(T* word, std::type_identity_t<T> delta) {
  return Ops::template FetchAdd<kOrder>(word, delta);
}

template <class Ops = WordOps, Word T>
bool CmpxchgLocal(T* word, T& expected, std::type_identity_t<T> desired) {
  if constexpr (Ops::kLocalIsUnlocked) {
    return Ops::CmpxchgLocal(word, expected, desired);
  } else {
    // relaxed: the other party is this CPU, which sees its own order.
    return Ops::template Cmpxchg<Order::kRelaxed>(word, expected, desired);
  }
}

template <class Ops = WordOps, Word T>
T XchgLocal(T* word, std::type_identity_t<T> value) {
  if constexpr (Ops::kLocalIsUnlocked) {
    return Ops::XchgLocal(word, value);
  } else {
    return Ops::template Xchg<Order::kRelaxed>(word, value);  // As above.
  }
}

template <class Ops = WordOps, std::integral T>
T FetchAddLocal(T* word, std::type_identity_t<T> delta) {
  if constexpr (Ops::kLocalIsUnlocked) {
    return Ops::FetchAddLocal(word, delta);
  } else {
    return Ops::template FetchAdd<Order::kRelaxed>(word, delta);  // As above.
  }
}

template <Order kOrder = Order::kFull, class Ops = DoubleOps>
bool CmpxchgDouble(DoubleWord* word, DoubleWord expected, DoubleWord desired) {
  return Ops::template Cmpxchg<kOrder>(word, expected, desired);
}

template <class Ops = DoubleOps>
bool CmpxchgDoubleLocal(DoubleWord* word, DoubleWord expected,
                        DoubleWord desired) {
  if constexpr (Ops::kLocalIsUnlocked) {
    return Ops::CmpxchgLocal(word, expected, desired);
  } else {
    return Ops::template Cmpxchg<Order::kRelaxed>(word, expected, desired);
  }
}

}  // namespace hackbench::atomics
