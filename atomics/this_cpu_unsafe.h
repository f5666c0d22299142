// SPDX-License-Identifier: MIT
// The kernel's __this_cpu_*: plain loads and stores on the slot of this CPU.
// The caller guarantees that nothing else runs here meanwhile: a pinned thread,
// or a modelled CPU with one carrier. Anything else loses updates.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "atomics/cmpxchg.h"
#include "atomics/per_cpu.h"
#include "atomics/rseq_registration.h"

namespace hackbench::atomics {

// volatile throughout: a signal handler of this thread is the one party the
// caller may not have excluded, and it must see program order.
struct ThisCpuUnsafe {
  static constexpr std::string_view kName = "unsafe";

  static std::string WhyNot() { return {}; }
  static std::string WhyNoDouble() { return std::string(DoubleOps::WhyNot()); }

  template <class S>
  static S& Slot(PerCpu<S> area) {
    const uint32_t cpu = kRseqRegistration.path == RseqPath::kNone
                             ? Cpu::CurrentCpu()
                             : ThreadRseqArea()->cpu_id_start;
    return area.ForCpuOrOverflow(cpu);
  }
  template <class S, PerCpuWord T>
  static volatile T& At(PerCpu<S> area, T S::*word) {
    return Slot(area).*word;
  }

  template <class S, PerCpuWord T>
  static T Read(PerCpu<S> area, T S::*word) {
    return At(area, word);
  }
  template <class S, PerCpuWord T>
  static void Write(PerCpu<S> area, T S::*word, std::type_identity_t<T> value) {
    At(area, word) = value;
  }
  template <class S, PerCpuWord T>
  static void Add(PerCpu<S> area, T S::*word, std::type_identity_t<T> delta) {
    volatile T& at = At(area, word);
    at = at + delta;
  }
  template <class S, PerCpuWord T>
  static T Xchg(PerCpu<S> area, T S::*word, std::type_identity_t<T> value) {
    volatile T& at = At(area, word);
    const T old = at;
    at = value;
    return old;
  }
  template <class S, PerCpuWord T>
  static bool Cmpxchg(PerCpu<S> area, T S::*word, T& expected,
                      std::type_identity_t<T> desired) {
    volatile T& at = At(area, word);
    const T seen = at;
    if (seen == expected) {
      at = desired;
      return true;
    }
    expected = seen;
    return false;
  }
  template <class S>
  static bool CmpxchgDouble(PerCpu<S> area, DoubleWord S::*word,
                            DoubleWord expected, DoubleWord desired) {
    return CmpxchgDoubleLocal(&(Slot(area).*word), expected, desired);
  }
};

}  // namespace hackbench::atomics
