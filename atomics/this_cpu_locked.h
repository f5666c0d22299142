// SPDX-License-Identifier: MIT
// this_cpu operations as full atomics on the slot of a CPU the caller was on a
// moment ago: correct everywhere, also when it has moved on. The fallback where
// restartable sequences are missing; do not mix it with them on one area.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "atomics/cmpxchg.h"
#include "atomics/per_cpu.h"

namespace hackbench::atomics {

struct ThisCpuLocked {
  static constexpr std::string_view kName = "locked";

  static std::string WhyNot() { return {}; }
  static std::string WhyNoDouble() { return std::string(DoubleOps::WhyNot()); }

  template <class S>
  static S& Slot(PerCpu<S> area) {
    return area.ForCpuOrOverflow(Cpu::CurrentCpu());
  }

  template <class S, PerCpuWord T>
  static T Read(PerCpu<S> area, T S::*word) {
    return __atomic_load_n(&(Slot(area).*word), __ATOMIC_ACQUIRE);
  }
  template <class S, PerCpuWord T>
  static void Write(PerCpu<S> area, T S::*word, std::type_identity_t<T> value) {
    __atomic_store_n(&(Slot(area).*word), value, __ATOMIC_RELEASE);
  }
  // Full order throughout: unlike a sequence, the next user of the slot may be
  // on another CPU at this moment.
  template <class S, PerCpuWord T>
  static void Add(PerCpu<S> area, T S::*word, std::type_identity_t<T> delta) {
    FetchAdd(&(Slot(area).*word), delta);
  }
  template <class S, PerCpuWord T>
  static T Xchg(PerCpu<S> area, T S::*word, std::type_identity_t<T> value) {
    return atomics::Xchg(&(Slot(area).*word), value);
  }
  template <class S, PerCpuWord T>
  static bool Cmpxchg(PerCpu<S> area, T S::*word, T& expected,
                      std::type_identity_t<T> desired) {
    return atomics::Cmpxchg(&(Slot(area).*word), expected, desired);
  }
  template <class S>
  static bool CmpxchgDouble(PerCpu<S> area, DoubleWord S::*word,
                            DoubleWord expected, DoubleWord desired) {
    return atomics::CmpxchgDouble(&(Slot(area).*word), expected, desired);
  }
};

}  // namespace hackbench::atomics
