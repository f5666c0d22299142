// SPDX-License-Identifier: MIT
// The machine, chosen at compile time: one folder of arch/ under the names
// `Cpu`, `Rdpid`, `Rdtscp`, `WordOps`, `DoubleOps`, `BasicRseq`,
// `BasicRseqList`, and `generic::` beside it for A/B.
//
// The contract is checked here. Each folder has the same files. Of the two
// ways to build a compare-exchange, `InstructionOps` and `LoadLinkedOps`, one
// may be absent: kCompiled is then false and WhyNot() says why. WhyNot() of a
// compiled part is empty when this machine can run it; ask before the first
// task starts. HACKBENCH_FORCE_GENERIC picks generic anywhere, and so does
// thread sanitizer, which cannot see what inline assembly orders.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <vector>

#include "atomics/arch/generic/cmpxchg.h"
#include "atomics/arch/generic/cmpxchg_double.h"
#include "atomics/arch/generic/cpu.h"
#include "atomics/arch/generic/rseq.h"
#include "atomics/arch/generic/rseq_list.h"
#include "atomics/feature.h"
#include "atomics/order.h"
#include "atomics/word.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HACKBENCH_THREAD_SANITIZER 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define HACKBENCH_THREAD_SANITIZER 1
#endif

#if defined(HACKBENCH_FORCE_GENERIC) || defined(HACKBENCH_THREAD_SANITIZER)
namespace hackbench::atomics {
namespace native = generic;
}
#elif defined(__x86_64__) && defined(__LP64__)
#include "atomics/arch/x86_64/cmpxchg.h"
#include "atomics/arch/x86_64/cmpxchg_double.h"
#include "atomics/arch/x86_64/cpu.h"
#include "atomics/arch/x86_64/rseq.h"
#include "atomics/arch/x86_64/rseq_list.h"
namespace hackbench::atomics {
namespace native = x86_64;
}
#elif defined(__aarch64__) && defined(__LP64__)
#include "atomics/arch/arm64/cmpxchg.h"
#include "atomics/arch/arm64/cmpxchg_double.h"
#include "atomics/arch/arm64/cpu.h"
#include "atomics/arch/arm64/rseq.h"
#include "atomics/arch/arm64/rseq_list.h"
namespace hackbench::atomics {
namespace native = arm64;
}
#elif defined(__riscv) && __riscv_xlen == 64 && defined(__riscv_atomic)
#include "atomics/arch/riscv64/cmpxchg.h"
#include "atomics/arch/riscv64/cmpxchg_double.h"
#include "atomics/arch/riscv64/cpu.h"
#include "atomics/arch/riscv64/rseq.h"
#include "atomics/arch/riscv64/rseq_list.h"
namespace hackbench::atomics {
namespace native = riscv64;
}
#else
namespace hackbench::atomics {
namespace native = generic;
}
#endif

namespace hackbench::atomics {

template <class Ops, class T>
concept WordOpsFor = requires(T* word, T& expected, T value) {
  // clang-format off
  { Ops::template Cmpxchg<Order::kFull>(word, expected, value) }
      -> std::same_as<bool>;
  { Ops::template Xchg<Order::kFull>(word, value) } -> std::same_as<T>;
  { Ops::template FetchAdd<Order::kFull>(word, value) } -> std::same_as<T>;
  // clang-format on
};

template <class Ops, class T>
concept UnlockedWordOpsFor = requires(T* word, T& expected, T value) {
  // clang-format off
  { Ops::CmpxchgLocal(word, expected, value) } -> std::same_as<bool>;
  { Ops::XchgLocal(word, value) } -> std::same_as<T>;
  { Ops::FetchAddLocal(word, value) } -> std::same_as<T>;
  // clang-format on
};

// Compiled, and with every size; or absent with a reason.
template <class Ops>
concept WordBackend = requires {
  { Ops::WhyNot() } -> std::same_as<std::string_view>;
}
&&(!Ops::kCompiled ||
   (WordOpsFor<Ops, int8_t> && WordOpsFor<Ops, uint16_t> &&
    WordOpsFor<Ops, int32_t> && WordOpsFor<Ops, uint64_t> &&
    (!Ops::kLocalIsUnlocked ||
     (UnlockedWordOpsFor<Ops, int8_t> && UnlockedWordOpsFor<Ops, uint64_t>))));

template <class Ops>
concept DoubleOpsComplete = requires(DoubleWord* word, DoubleWord value) {
  // clang-format off
  { Ops::template Cmpxchg<Order::kFull>(word, value, value) }
      -> std::same_as<bool>;
  { Ops::Load(word) } -> std::same_as<DoubleWord>;
  { Ops::kReservedSecondBits } -> std::convertible_to<uint64_t>;
  // clang-format on
};

template <class Ops>
concept DoubleBackend = requires {
  { Ops::WhyNot() } -> std::same_as<std::string_view>;
}
&&(!Ops::kCompiled || DoubleOpsComplete<Ops>);

template <class T>
concept CpuBackend = requires(const void* address) {
  // clang-format off
  { T::kName } -> std::convertible_to<std::string_view>;
  { T::kRelaxInstruction } -> std::convertible_to<std::string_view>;
  { T::kCycleUnit } -> std::convertible_to<std::string_view>;
  { T::kCycleSource } -> std::convertible_to<std::string_view>;
  { T::kCacheLineBytes } -> std::convertible_to<size_t>;
  { T::kChainAdds } -> std::convertible_to<int>;
  { T::Relax() } -> std::same_as<void>;
  { T::ReadCycles() } -> std::same_as<uint64_t>;
  { T::CycleHz() } -> std::same_as<uint64_t>;
  { T::FullFence() } -> std::same_as<void>;
  { T::PrefetchForWrite(address) } -> std::same_as<void>;
  { T::CurrentCpu() } -> std::same_as<uint32_t>;
  { T::kHasFlags } -> std::convertible_to<bool>;
  { T::SaveFlags() } -> std::same_as<uint64_t>;
  { T::RestoreFlags(uint64_t{}) } -> std::same_as<void>;
  { T::AddChain(uint64_t{}) } -> std::same_as<uint64_t>;
  { T::Features() } -> std::same_as<std::vector<Feature>>;
  // clang-format on
};

template <class T>
concept RseqBackend = requires(RseqArea* area, uint64_t* word, uint64_t& out,
                               DoubleWord* pair) {
  // clang-format off
  { T::kCompiled } -> std::convertible_to<bool>;
  { T::kSignature } -> std::convertible_to<uint32_t>;
  { T::WhyNot() } -> std::same_as<std::string_view>;
  { T::WhyNoDouble() } -> std::same_as<std::string_view>;
  { T::ThreadPointer() } -> std::same_as<char*>;
  { T::Read(area, 0U, word, out) } -> std::same_as<RseqResult>;
  { T::Write(area, 0U, word, out) } -> std::same_as<RseqResult>;
  { T::Add(area, 0U, word, out) } -> std::same_as<RseqResult>;
  { T::Xchg(area, 0U, word, out, out) } -> std::same_as<RseqResult>;
  { T::Cmpxchg(area, 0U, word, out, out) } -> std::same_as<RseqResult>;
  { T::CmpxchgDouble(area, 0U, pair, *pair, *pair) }
      -> std::same_as<RseqResult>;
  // clang-format on
};

template <class T>
concept RseqListBackend = requires(RseqArea* area, uint64_t* word,
                                   uint64_t& out, uint32_t* links) {
  // clang-format off
  { T::WhyNoUnlocked() } -> std::same_as<std::string_view>;
  { T::Pop(area, 0U, word, out) } -> std::same_as<RseqResult>;
  { T::Push(area, 0U, word, out) } -> std::same_as<RseqResult>;
  { T::PushIf(area, 0U, word, out, word, out) } -> std::same_as<RseqResult>;
  { T::PopUnlocked(area, 0U, word, out) } -> std::same_as<RseqResult>;
  { T::PushIfUnlocked(area, 0U, word, out, word, out) }
      -> std::same_as<RseqResult>;
  { T::PopIndexed(area, 0U, word, links, out) } -> std::same_as<RseqResult>;
  { T::PushIndexed(area, 0U, word, links, out) } -> std::same_as<RseqResult>;
  { T::PopTop(area, 0U, word, out) } -> std::same_as<RseqResult>;
  { T::template PushTop<512>(area, 0U, word, out) }
      -> std::same_as<RseqResult>;
  // clang-format on
};

using Cpu = native::Cpu;
using Rdpid = native::Rdpid;
using Rdtscp = native::Rdtscp;
using WordOps = native::WordOps;
using InstructionOps = native::InstructionOps;
using LoadLinkedOps = native::LoadLinkedOps;
using DoubleOps = native::DoubleOps;
using DoubleInstructionOps = native::DoubleInstructionOps;
using DoubleLoadLinkedOps = native::DoubleLoadLinkedOps;
template <bool kArmed = true, unsigned kWindow = 0>
using BasicRseq = native::BasicRseq<kArmed, kWindow>;
using Rseq = BasicRseq<>;
template <bool kArmed = true, unsigned kWindow = 0>
using BasicRseqList = native::BasicRseqList<kArmed, kWindow>;
using RseqList = BasicRseqList<>;

static_assert(CpuBackend<Cpu> && CpuBackend<generic::Cpu>);
static_assert(WordBackend<WordOps> && WordBackend<generic::WordOps>);
static_assert(WordBackend<InstructionOps> && WordBackend<LoadLinkedOps>);
static_assert(DoubleBackend<DoubleOps> && DoubleBackend<generic::DoubleOps>);
static_assert(DoubleBackend<DoubleInstructionOps> &&
              DoubleBackend<DoubleLoadLinkedOps>);
static_assert(RseqBackend<Rseq> && RseqBackend<generic::BasicRseq<>>);
static_assert(RseqListBackend<RseqList> &&
              RseqListBackend<generic::BasicRseqList<>>);

}  // namespace hackbench::atomics
