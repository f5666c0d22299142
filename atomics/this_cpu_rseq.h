// SPDX-License-Identifier: MIT
// this_cpu operations as restartable sequences: no LOCK, and correct against
// migration, preemption and signals, between threads and between processes that
// share the area. Needs rseq; ask WhyNot() before the first task starts.
//
// On a CPU beyond the table they are locked operations on the overflow slot.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "atomics/cmpxchg.h"
#include "atomics/per_cpu.h"
#include "atomics/rseq_registration.h"

namespace hackbench::atomics {

// `Sequence` is BasicRseq; tests pass one without its abort path.
template <class Sequence>
struct BasicThisCpuRseq {
  static constexpr std::string_view kName = "rseq";

  static std::string WhyNot() {
    if (kRseqRegistration.path != RseqPath::kNone) return {};
    return kRseqRegistration.reason;
  }
  static std::string WhyNoDouble() {
    if (!WhyNot().empty()) return WhyNot();
    return std::string(Sequence::WhyNoDouble());
  }

  template <class S, PerCpuWord T>
  static T Read(PerCpu<S> area, T S::*word) {
    T value{};
    Commit(
        area,
        [&](RseqArea* rseq, uint32_t cpu) {
          return Sequence::Read(rseq, cpu, &(area.ForCpu(cpu).*word), value);
        },
        [&] {
          value = __atomic_load_n(&(area.Overflow().*word), __ATOMIC_ACQUIRE);
        });
    return value;
  }

  template <class S, PerCpuWord T>
  static void Write(PerCpu<S> area, T S::*word, std::type_identity_t<T> value) {
    Commit(
        area,
        [&](RseqArea* rseq, uint32_t cpu) {
          return Sequence::Write(rseq, cpu, &(area.ForCpu(cpu).*word), value);
        },
        [&] {
          __atomic_store_n(&(area.Overflow().*word), value, __ATOMIC_RELEASE);
        });
  }

  template <class S, PerCpuWord T>
  static void Add(PerCpu<S> area, T S::*word, std::type_identity_t<T> delta) {
    Commit(
        area,
        [&](RseqArea* rseq, uint32_t cpu) {
          return Sequence::Add(rseq, cpu, &(area.ForCpu(cpu).*word), delta);
        },
        [&] { FetchAdd(&(area.Overflow().*word), delta); });
  }

  template <class S, PerCpuWord T>
  static T Xchg(PerCpu<S> area, T S::*word, std::type_identity_t<T> value) {
    T old{};
    Commit(
        area,
        [&](RseqArea* rseq, uint32_t cpu) {
          return Sequence::Xchg(rseq, cpu, &(area.ForCpu(cpu).*word), value,
                                old);
        },
        [&] { old = atomics::Xchg(&(area.Overflow().*word), value); });
    return old;
  }

  template <class S, PerCpuWord T>
  static bool Cmpxchg(PerCpu<S> area, T S::*word, T& expected,
                      std::type_identity_t<T> desired) {
    bool overflow_equal = false;
    const RseqResult result = Commit(
        area,
        [&](RseqArea* rseq, uint32_t cpu) {
          return Sequence::Cmpxchg(rseq, cpu, &(area.ForCpu(cpu).*word),
                                   expected, desired);
        },
        [&] {
          overflow_equal =
              atomics::Cmpxchg(&(area.Overflow().*word), expected, desired);
        });
    return result == RseqResult::kCommitted || overflow_equal;
  }

  template <class S>
  static bool CmpxchgDouble(PerCpu<S> area, DoubleWord S::*word,
                            DoubleWord expected, DoubleWord desired) {
    bool overflow_equal = false;
    const RseqResult result = Commit(
        area,
        [&](RseqArea* rseq, uint32_t cpu) {
          return Sequence::CmpxchgDouble(rseq, cpu, &(area.ForCpu(cpu).*word),
                                         expected, desired);
        },
        [&] {
          overflow_equal = atomics::CmpxchgDouble(&(area.Overflow().*word),
                                                  expected, desired);
        });
    return result == RseqResult::kCommitted || overflow_equal;
  }

 private:
  // Runs `sequence` until it was not aborted. A CPU beyond the table takes
  // `overflow` instead and answers kMismatch.
  template <class S, class Run, class Overflow>
  [[gnu::always_inline]] static RseqResult Commit(PerCpu<S> area, Run sequence,
                                                  Overflow overflow) {
    RseqArea* rseq = ThreadRseqArea();
    for (;;) {
      // volatile: the kernel writes it. Read again at every turn, or a migrated
      // thread would compare with the old CPU for ever.
      const uint32_t cpu = *const_cast<volatile uint32_t*>(&rseq->cpu_id_start);
      if (!area.Holds(cpu)) [[unlikely]] {
        overflow();
        return RseqResult::kMismatch;
      }
      const RseqResult result = sequence(rseq, cpu);
      if (result != RseqResult::kAborted) [[likely]]
        return result;
      EnsureRseqRegistered(rseq);
    }
  }
};

using ThisCpuRseq = BasicThisCpuRseq<Rseq>;

}  // namespace hackbench::atomics
