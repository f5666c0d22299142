// SPDX-License-Identifier: MIT
// The ways to do one atomic operation that `hackbench atomics` measures.
//
// A variant is a name, what it is for, two traits, whether it can run here, and
// Do(): one operation on its target whose result depends on `value`. Adding one
// is a struct here and a line in atomic_list.h.
#pragma once

#include <sched.h>

#include <string>
#include <string_view>

#include "atomics/cmpxchg.h"
#include "atomics/this_cpu.h"

namespace hackbench::atomics {

struct BenchLine {
  uint64_t word = 0;
  DoubleWord pair;
};

// What an operation works on: a line of its own, or a per-CPU area.
struct Target {
  BenchLine* line;
  PerCpu<BenchLine> area;
};

struct VariantTraits {
  bool locked = false;  // Excludes other CPUs, by LOCK or what stands for it.
  bool shared = false;  // Correct when two CPUs use one target.
};

inline constexpr VariantTraits kLockedTraits = {.locked = true, .shared = true};
inline constexpr VariantTraits kSequenceTraits = {.shared = true};

// The zero point: what the loop itself costs.
struct NoneVariant {
  static constexpr std::string_view kOp = "none";
  static constexpr std::string_view kName = "none";
  static constexpr std::string_view kSummary = "loop overhead, subtracted";
  static constexpr VariantTraits kTraits = kSequenceTraits;
  static std::string WhyNot() { return {}; }
  static uint64_t Do(Target, uint64_t value) {
    asm volatile("" : "+r"(value));
    return value;
  }
};

template <class Ops>
std::string WhyNotOps() {
  return std::string(Ops::WhyNot());
}

// relaxed: a first guess, which the exchange judges.
inline uint64_t Guess(const uint64_t* word) {
  return __atomic_load_n(word, __ATOMIC_RELAXED);
}

struct XchgOp {
  static constexpr std::string_view kOp = "xchg";
};

struct XchgVariant : XchgOp {
  static constexpr std::string_view kName = "xchg";
  static constexpr std::string_view kSummary = "xchg; x86 implies LOCK";
  static constexpr VariantTraits kTraits = kLockedTraits;
  static std::string WhyNot() { return {}; }
  static uint64_t Do(Target target, uint64_t value) {
    return Xchg(&target.line->word, value);
  }
};

struct XchgByCmpxchgVariant : XchgOp {
  static constexpr std::string_view kName = "xchg-by-cmpxchg";
  static constexpr std::string_view kSummary = "xchg as a loop of cmpxchg";
  static constexpr VariantTraits kTraits = kLockedTraits;
  static std::string WhyNot() { return {}; }
  static uint64_t Do(Target target, uint64_t value) {
    uint64_t old = Guess(&target.line->word);
    while (!Cmpxchg(&target.line->word, old, value)) {
    }
    return old;
  }
};

struct XchgLocalVariant : XchgOp {
  static constexpr std::string_view kName = "xchg-local";
  static constexpr std::string_view kSummary =
      "xchg as a loop of cmpxchg without LOCK";
  static constexpr VariantTraits kTraits = {};
  static std::string WhyNot() { return {}; }
  static uint64_t Do(Target target, uint64_t value) {
    return XchgLocal(&target.line->word, value);
  }
};

struct ReadWriteVariant : XchgOp {
  static constexpr std::string_view kName = "read-write";
  static constexpr std::string_view kSummary = "a plain load and a plain store";
  static constexpr VariantTraits kTraits = {};
  static std::string WhyNot() { return {}; }
  static uint64_t Do(Target target, uint64_t value) {
    volatile uint64_t& word = target.line->word;
    const uint64_t old = word;
    word = value;
    return old;
  }
};

struct UnsafeThisCpuXchgVariant : XchgOp {
  static constexpr std::string_view kName = "__this_cpu_xchg";
  static constexpr std::string_view kSummary =
      "plain load and store in this CPU's slot";
  static constexpr VariantTraits kTraits = {};
  static std::string WhyNot() { return ThisCpuUnsafe::WhyNot(); }
  static uint64_t Do(Target target, uint64_t value) {
    return ThisCpuUnsafe::Xchg(target.area, &BenchLine::word, value);
  }
};

struct ThisCpuXchgVariant : XchgOp {
  static constexpr std::string_view kName = "this_cpu_xchg-xchg";
  static constexpr std::string_view kSummary =
      "this CPU's slot by xchg, the kernel's way before 2010";
  static constexpr VariantTraits kTraits = kLockedTraits;
  static std::string WhyNot() { return {}; }
  static uint64_t Do(Target target, uint64_t value) {
    return Xchg(&ThisCpuUnsafe::Slot(target.area).word, value);
  }
};

struct ThisCpuXchgLocalVariant : XchgOp {
  static constexpr std::string_view kName = "this_cpu_xchg-cmpxchg";
  static constexpr std::string_view kSummary =
      "this CPU's slot by cmpxchg without LOCK, the kernel's way since";
  static constexpr VariantTraits kTraits = {};
  static std::string WhyNot() { return {}; }
  static uint64_t Do(Target target, uint64_t value) {
    return XchgLocal(&ThisCpuUnsafe::Slot(target.area).word, value);
  }
};

template <class Ops>
struct ThisCpuXchgBy : XchgOp {
  static constexpr bool kIsRseq = std::is_same_v<Ops, ThisCpuRseq>;
  static constexpr std::string_view kName =
      kIsRseq ? "this_cpu_xchg-rseq" : "this_cpu_xchg-fallback";
  static constexpr std::string_view kSummary =
      kIsRseq ? "this CPU's slot by a restartable sequence"
              : "this CPU's slot by a CPU id and xchg: without rseq";
  static constexpr VariantTraits kTraits =
      kIsRseq ? kSequenceTraits : kLockedTraits;
  static std::string WhyNot() { return Ops::WhyNot(); }
  static uint64_t Do(Target target, uint64_t value) {
    return Ops::Xchg(target.area, &BenchLine::word, value);
  }
};

struct RseqStoreVariant {
  static constexpr std::string_view kOp = "store";
  static constexpr std::string_view kName = "this_cpu_write-rseq";
  static constexpr std::string_view kSummary =
      "a restartable sequence of nothing but its commit";
  static constexpr VariantTraits kTraits = kSequenceTraits;
  static std::string WhyNot() { return ThisCpuRseq::WhyNot(); }
  static uint64_t Do(Target target, uint64_t value) {
    ThisCpuRseq::Write(target.area, &BenchLine::word, value);
    return value;
  }
};

struct CmpxchgOp {
  static constexpr std::string_view kOp = "cmpxchg";
};

// A load and a compare-exchange, by one way of doing it. What is absent on this
// CPU stays in the list with its reason.
template <class Ops>
uint64_t CmpxchgBy(Target target, uint64_t value) {
  uint64_t old = Guess(&target.line->word);
  const uint64_t expected = old;
  if constexpr (Ops::kCompiled) {
    Cmpxchg<Order::kFull, Ops>(&target.line->word, old, value + expected + 1);
  }
  return expected;
}

struct CmpxchgVariant : CmpxchgOp {
  static constexpr std::string_view kName = "cmpxchg";
  static constexpr std::string_view kSummary = "load and cmpxchg, LOCK on x86";
  static constexpr VariantTraits kTraits = kLockedTraits;
  static std::string WhyNot() { return WhyNotOps<WordOps>(); }
  static uint64_t Do(Target target, uint64_t value) {
    return CmpxchgBy<WordOps>(target, value);
  }
};

struct CmpxchgLocalVariant : CmpxchgOp {
  static constexpr std::string_view kName = "cmpxchg-local";
  static constexpr std::string_view kSummary = "load and cmpxchg without LOCK";
  static constexpr VariantTraits kTraits = {};
  static std::string WhyNot() { return {}; }
  static uint64_t Do(Target target, uint64_t value) {
    uint64_t old = Guess(&target.line->word);
    const uint64_t expected = old;
    CmpxchgLocal(&target.line->word, old, value + expected + 1);
    return expected;
  }
};

struct CmpxchgInstructionVariant : CmpxchgOp {
  static constexpr std::string_view kName = "cmpxchg-instruction";
  static constexpr std::string_view kSummary =
      "one instruction: lock cmpxchg, LSE cas, Zacas amocas";
  static constexpr VariantTraits kTraits = kLockedTraits;
  static std::string WhyNot() { return WhyNotOps<InstructionOps>(); }
  static uint64_t Do(Target target, uint64_t value) {
    return CmpxchgBy<InstructionOps>(target, value);
  }
};

struct CmpxchgLoadLinkedVariant : CmpxchgOp {
  static constexpr std::string_view kName = "cmpxchg-llsc";
  static constexpr std::string_view kSummary =
      "load-linked/store-conditional: ldxr/stxr, lr/sc";
  static constexpr VariantTraits kTraits = kLockedTraits;
  static std::string WhyNot() { return WhyNotOps<LoadLinkedOps>(); }
  static uint64_t Do(Target target, uint64_t value) {
    return CmpxchgBy<LoadLinkedOps>(target, value);
  }
};

struct CmpxchgGenericVariant : CmpxchgOp {
  static constexpr std::string_view kName = "cmpxchg-generic";
  static constexpr std::string_view kSummary = "what the compiler makes of it";
  static constexpr VariantTraits kTraits = kLockedTraits;
  static std::string WhyNot() { return {}; }
  static uint64_t Do(Target target, uint64_t value) {
    return CmpxchgBy<generic::WordOps>(target, value);
  }
};

template <class Ops>
struct ThisCpuCmpxchgBy : CmpxchgOp {
  static constexpr bool kIsRseq = std::is_same_v<Ops, ThisCpuRseq>;
  static constexpr std::string_view kName =
      kIsRseq ? "this_cpu_cmpxchg-rseq" : "this_cpu_cmpxchg-fallback";
  static constexpr std::string_view kSummary =
      kIsRseq ? "read and cmpxchg by restartable sequences"
              : "read and cmpxchg by a CPU id and LOCK: without rseq";
  static constexpr VariantTraits kTraits =
      kIsRseq ? kSequenceTraits : kLockedTraits;
  static std::string WhyNot() { return Ops::WhyNot(); }
  static uint64_t Do(Target target, uint64_t value) {
    uint64_t old = Ops::Read(target.area, &BenchLine::word);
    const uint64_t expected = old;
    Ops::Cmpxchg(target.area, &BenchLine::word, old, value + expected + 1);
    return expected;
  }
};

template <Order kOrder>
struct Cmpxchg64Variant {
  static constexpr std::string_view kOp = "cmpxchg64";
  static constexpr std::string_view kName =
      kOrder == Order::kRelaxed   ? "cmpxchg64-relaxed"
      : kOrder == Order::kAcquire ? "cmpxchg64-acquire"
      : kOrder == Order::kRelease ? "cmpxchg64-release"
                                  : "cmpxchg64-full";
  static constexpr std::string_view kSummary =
      "load and 64-bit cmpxchg in this order";
  static constexpr VariantTraits kTraits = kLockedTraits;
  static std::string WhyNot() { return {}; }
  static uint64_t Do(Target target, uint64_t value) {
    uint64_t old = Guess(&target.line->word);
    const uint64_t expected = old;
    Cmpxchg64<kOrder>(&target.line->word, old, value + expected + 1);
    return expected;
  }
};

struct DoubleOp {
  static constexpr std::string_view kOp = "cmpxchg_double";
};

// The new pair keeps clear of the bit the generic form locks with.
inline DoubleWord NextPair(DoubleWord seen, uint64_t value) {
  return {value + seen.first + 1, (seen.second + 1) & (kBitLock - 1)};
}

template <class Ops>
uint64_t DoubleBy(Target target, uint64_t value) {
  if constexpr (Ops::kCompiled) {
    const DoubleWord seen = Ops::Load(&target.line->pair);
    CmpxchgDouble<Order::kFull, Ops>(&target.line->pair, seen,
                                     NextPair(seen, value));
    return seen.first;
  } else {
    return value;
  }
}

struct DoubleVariant : DoubleOp {
  static constexpr std::string_view kName = "cmpxchg_double";
  static constexpr std::string_view kSummary =
      "two loads and a 16-byte cmpxchg, LOCK on x86";
  static constexpr VariantTraits kTraits = kLockedTraits;
  static std::string WhyNot() { return WhyNotOps<DoubleOps>(); }
  static uint64_t Do(Target target, uint64_t value) {
    return DoubleBy<DoubleOps>(target, value);
  }
};

struct DoubleLocalVariant : DoubleOp {
  static constexpr std::string_view kName = "cmpxchg_double-local";
  static constexpr std::string_view kSummary =
      "two loads and a 16-byte cmpxchg without LOCK";
  static constexpr VariantTraits kTraits = {};
  static std::string WhyNot() { return WhyNotOps<DoubleOps>(); }
  static uint64_t Do(Target target, uint64_t value) {
    const DoubleWord seen = DoubleOps::Load(&target.line->pair);
    CmpxchgDoubleLocal(&target.line->pair, seen, NextPair(seen, value));
    return seen.first;
  }
};

struct DoubleLoadLinkedVariant : DoubleOp {
  static constexpr std::string_view kName = "cmpxchg_double-llsc";
  static constexpr std::string_view kSummary =
      "load-linked/store-conditional pair: ldxp/stxp";
  static constexpr VariantTraits kTraits = kLockedTraits;
  static std::string WhyNot() { return WhyNotOps<DoubleLoadLinkedOps>(); }
  static uint64_t Do(Target target, uint64_t value) {
    return DoubleBy<DoubleLoadLinkedOps>(target, value);
  }
};

struct DoubleInstructionVariant : DoubleOp {
  static constexpr std::string_view kName = "cmpxchg_double-instruction";
  static constexpr std::string_view kSummary =
      "one instruction: lock cmpxchg16b, LSE casp, Zacas amocas.q";
  static constexpr VariantTraits kTraits = kLockedTraits;
  static std::string WhyNot() { return WhyNotOps<DoubleInstructionOps>(); }
  static uint64_t Do(Target target, uint64_t value) {
    return DoubleBy<DoubleInstructionOps>(target, value);
  }
};

struct DoubleBitLockVariant : DoubleOp {
  static constexpr std::string_view kName = "cmpxchg_double-fallback";
  static constexpr std::string_view kSummary = "a bit lock in the object";
  static constexpr VariantTraits kTraits = kLockedTraits;
  static std::string WhyNot() { return {}; }
  static uint64_t Do(Target target, uint64_t value) {
    return DoubleBy<generic::DoubleOps>(target, value);
  }
};

template <class Ops>
struct ThisCpuDoubleBy : DoubleOp {
  static constexpr bool kIsRseq = std::is_same_v<Ops, ThisCpuRseq>;
  static constexpr std::string_view kName =
      kIsRseq ? "this_cpu_cmpxchg_double-rseq"
              : "this_cpu_cmpxchg_double-fallback";
  static constexpr std::string_view kSummary =
      kIsRseq
          ? "16 bytes of this CPU's slot in a restartable sequence"
          : "16 bytes of this CPU's slot by a CPU id and LOCK: without rseq";
  static constexpr VariantTraits kTraits =
      kIsRseq ? kSequenceTraits : kLockedTraits;
  static std::string WhyNot() { return Ops::WhyNoDouble(); }
  static uint64_t Do(Target target, uint64_t value) {
    const DoubleWord seen =
        DoubleOps::Load(&ThisCpuUnsafe::Slot(target.area).pair);
    Ops::CmpxchgDouble(target.area, &BenchLine::pair, seen,
                       NextPair(seen, value));
    return seen.first;
  }
};

struct FetchAddOp {
  static constexpr std::string_view kOp = "fetch_add";
};

struct FetchAddVariant : FetchAddOp {
  static constexpr std::string_view kName = "fetch_add";
  static constexpr std::string_view kSummary = "fetch_add, LOCK xadd on x86";
  static constexpr VariantTraits kTraits = kLockedTraits;
  static std::string WhyNot() { return {}; }
  static uint64_t Do(Target target, uint64_t value) {
    return FetchAdd(&target.line->word, value);
  }
};

struct FetchAddLocalVariant : FetchAddOp {
  static constexpr std::string_view kName = "fetch_add-local";
  static constexpr std::string_view kSummary = "fetch_add without LOCK";
  static constexpr VariantTraits kTraits = {};
  static std::string WhyNot() { return {}; }
  static uint64_t Do(Target target, uint64_t value) {
    return FetchAddLocal(&target.line->word, value);
  }
};

template <class Ops>
struct ThisCpuAddBy : FetchAddOp {
  static constexpr bool kIsRseq = std::is_same_v<Ops, ThisCpuRseq>;
  static constexpr std::string_view kName =
      kIsRseq ? "this_cpu_add-rseq" : "this_cpu_add-fallback";
  static constexpr std::string_view kSummary =
      kIsRseq ? "add to this CPU's slot by a restartable sequence"
              : "add to this CPU's slot by a CPU id and LOCK: without rseq";
  static constexpr VariantTraits kTraits =
      kIsRseq ? kSequenceTraits : kLockedTraits;
  static std::string WhyNot() { return Ops::WhyNot(); }
  static uint64_t Do(Target target, uint64_t value) {
    Ops::Add(target.area, &BenchLine::word, value);
    return value;
  }
};

struct FenceVariant {
  static constexpr std::string_view kOp = "fence";
  static constexpr std::string_view kName = "fence";
  static constexpr std::string_view kSummary = "a full fence; x86: mfence";
  static constexpr VariantTraits kTraits = kLockedTraits;
  static std::string WhyNot() { return {}; }
  static uint64_t Do(Target target, uint64_t value) {
    target.line->word = value;
    Cpu::FullFence();
    return value;
  }
};

struct RelaxVariant {
  static constexpr std::string_view kOp = "relax";
  static constexpr std::string_view kName = "cpu_relax";
  static constexpr std::string_view kSummary = "the pause hint of spin loops";
  static constexpr VariantTraits kTraits = kSequenceTraits;
  static std::string WhyNot() { return {}; }
  static uint64_t Do(Target, uint64_t value) {
    Cpu::Relax();
    return value;
  }
};

struct RseqCpuIdVariant {
  static constexpr std::string_view kOp = "cpu-id";
  static constexpr std::string_view kName = "cpu-id-rseq";
  static constexpr std::string_view kSummary = "the CPU id of the rseq area";
  static constexpr VariantTraits kTraits = kSequenceTraits;
  static std::string WhyNot() { return ThisCpuRseq::WhyNot(); }
  static uint64_t Do(Target, uint64_t value) {
    return value +
           *const_cast<volatile uint32_t*>(&ThreadRseqArea()->cpu_id_start);
  }
};

struct RdpidVariant {
  static constexpr std::string_view kOp = "cpu-id";
  static constexpr std::string_view kName = "cpu-id-rdpid";
  static constexpr std::string_view kSummary = "the CPU id by rdpid";
  static constexpr VariantTraits kTraits = kSequenceTraits;
  static std::string WhyNot() { return std::string(Rdpid::WhyNot()); }
  static uint64_t Do(Target, uint64_t value) { return value + Rdpid::Read(); }
};

struct RdtscpVariant {
  static constexpr std::string_view kOp = "cpu-id";
  static constexpr std::string_view kName = "cpu-id-rdtscp";
  static constexpr std::string_view kSummary =
      "the CPU id by rdtscp, which waits for what stands before it";
  static constexpr VariantTraits kTraits = kSequenceTraits;
  static std::string WhyNot() { return std::string(Rdtscp::WhyNot()); }
  static uint64_t Do(Target, uint64_t value) { return value + Rdtscp::Read(); }
};

struct LibraryCpuIdVariant {
  static constexpr std::string_view kOp = "cpu-id";
  static constexpr std::string_view kName = "cpu-id-fallback";
  static constexpr std::string_view kSummary =
      "the CPU id without rseq: rdpid where there is one, or the C library";
  static constexpr VariantTraits kTraits = kSequenceTraits;
  static std::string WhyNot() { return {}; }
  static uint64_t Do(Target, uint64_t value) {
    return value + Cpu::CurrentCpu();
  }
};

}  // namespace hackbench::atomics
