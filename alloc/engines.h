// SPDX-License-Identifier: MIT
// The slab engines by name: which fast path, which slab word, which irq model.
#pragma once

#include "alloc/cmpxchg_double_engine.h"
#include "alloc/cpu_slab_engine.h"
#include "alloc/locked_engine.h"

namespace hackbench::alloc {

template <StatsMode kStats>
struct LockedCache : LockedEngine<kStats> {
  static constexpr std::string_view kName = "locked";
  static constexpr std::string_view kSummary = "one lock per cache";
  static constexpr EngineTraits kTraits = {};
  using LockedEngine<kStats>::LockedEngine;
};

template <StatsMode kStats>
struct LockedPerCpu : CpuSlabEngine<CpuLockFast, BitLockSlab, NoIrq, kStats> {
  static constexpr std::string_view kName = "locked-percpu";
  static constexpr std::string_view kSummary =
      "a list per CPU under a lock of its own, slab lock behind";
  static constexpr EngineTraits kTraits = {};
  using CpuSlabEngine<CpuLockFast, BitLockSlab, NoIrq, kStats>::CpuSlabEngine;
};

// What cmpxchg_local was compared with in 2007: the plain list inside an
// interrupt-off section, slab lock behind. The list itself is kept safe by a
// sequence, which costs about two cycles beside the irq model.
template <class Irq, StatsMode kStats>
struct Base2007 : CpuSlabEngine<RseqFast<>, BitLockSlab, Irq, kStats> {
  static constexpr std::string_view kSummary =
      "the base of 2007: plain list in an irq-off model, slab lock behind";
  static constexpr EngineTraits kTraits = {.irq_model = Irq::kName};
  using CpuSlabEngine<RseqFast<>, BitLockSlab, Irq, kStats>::CpuSlabEngine;
};
template <StatsMode kStats>
struct BasePopf : Base2007<PopfIrq, kStats> {
  static constexpr std::string_view kName = "base-popf";
  using Base2007<PopfIrq, kStats>::Base2007;
};
template <StatsMode kStats>
struct BaseFlag : Base2007<FlagIrq, kStats> {
  static constexpr std::string_view kName = "base-flag";
  using Base2007<FlagIrq, kStats>::Base2007;
};
template <StatsMode kStats>
struct BaseSigmask : Base2007<SigmaskIrq, kStats> {
  static constexpr std::string_view kName = "base-sigmask";
  using Base2007<SigmaskIrq, kStats>::Base2007;
};

template <StatsMode kStats>
struct CmpxchgDouble : CmpxchgDoubleEngine<DoubleSlab<>, kStats> {
  static constexpr std::string_view kName = "cmpxchg-double";
  static constexpr std::string_view kSummary =
      "{freelist, counters} of the slab by one exchange";
  static constexpr EngineTraits kTraits = {};
  using CmpxchgDoubleEngine<DoubleSlab<>, kStats>::CmpxchgDoubleEngine;
};
template <StatsMode kStats>
struct CmpxchgDoubleBitLock : CmpxchgDoubleEngine<BitLockSlab, kStats> {
  static constexpr std::string_view kName = "cmpxchg-double-bitlock";
  static constexpr std::string_view kSummary =
      "the same under the slab lock: a CPU without the exchange";
  static constexpr EngineTraits kTraits = {};
  using CmpxchgDoubleEngine<BitLockSlab, kStats>::CmpxchgDoubleEngine;
};
template <StatsMode kStats>
struct CmpxchgDoublePacked : CmpxchgDoubleEngine<PackedSlab, kStats> {
  static constexpr std::string_view kName = "cmpxchg-double-packed64";
  static constexpr std::string_view kSummary =
      "the same in eight bytes: object numbers for pointers";
  static constexpr EngineTraits kTraits = {};
  using CmpxchgDoubleEngine<PackedSlab, kStats>::CmpxchgDoubleEngine;
};

template <StatsMode kStats>
struct CmpxchgLocalLock16
    : CpuSlabEngine<LockedDoubleFast<>, DoubleSlab<>, NoIrq, kStats> {
  static constexpr std::string_view kName = "cmpxchg-local-lock16";
  static constexpr std::string_view kSummary =
      "{freelist, tid} of the CPU by a LOCKed 16-byte exchange";
  static constexpr EngineTraits kTraits = {};
  using CpuSlabEngine<LockedDoubleFast<>, DoubleSlab<>, NoIrq,
                      kStats>::CpuSlabEngine;
};
template <StatsMode kStats>
struct CmpxchgLocalHardened
    : CpuSlabEngine<LockedDoubleFast<HardenedLink>, DoubleSlab<HardenedLink>,
                    NoIrq, kStats> {
  static constexpr std::string_view kName = "cmpxchg-local-hardened";
  static constexpr std::string_view kSummary =
      "lock16 with encoded free pointers (SLAB_FREELIST_HARDENED)";
  static constexpr EngineTraits kTraits = {};
  using CpuSlabEngine<LockedDoubleFast<HardenedLink>, DoubleSlab<HardenedLink>,
                      NoIrq, kStats>::CpuSlabEngine;
};
template <StatsMode kStats>
struct CmpxchgLocalRseq16
    : CpuSlabEngine<RseqDoubleFast, DoubleSlab<>, NoIrq, kStats> {
  static constexpr std::string_view kName = "cmpxchg-local-rseq16";
  static constexpr std::string_view kSummary =
      "the 16-byte exchange without LOCK in a restartable sequence";
  static constexpr EngineTraits kTraits = {};
  using CpuSlabEngine<RseqDoubleFast, DoubleSlab<>, NoIrq,
                      kStats>::CpuSlabEngine;
};
// The patch of 2007 left the slow paths as they were: slab lock.
template <StatsMode kStats>
struct CmpxchgLocalRseq8
    : CpuSlabEngine<RseqFast<true>, BitLockSlab, NoIrq, kStats> {
  static constexpr std::string_view kName = "cmpxchg-local-rseq8";
  static constexpr std::string_view kSummary =
      "the patch of 2007: 8-byte cmpxchg without LOCK, slab lock behind";
  static constexpr EngineTraits kTraits = {};
  using CpuSlabEngine<RseqFast<true>, BitLockSlab, NoIrq,
                      kStats>::CpuSlabEngine;
};
template <StatsMode kStats>
struct CmpxchgLocalRseq
    : CpuSlabEngine<RseqFast<>, DoubleSlab<>, NoIrq, kStats> {
  static constexpr std::string_view kName = "cmpxchg-local-rseq";
  static constexpr std::string_view kSummary =
      "a restartable sequence that commits by a plain store";
  static constexpr EngineTraits kTraits = {};
  using CpuSlabEngine<RseqFast<>, DoubleSlab<>, NoIrq, kStats>::CpuSlabEngine;
};
template <StatsMode kStats>
struct CmpxchgLocalPacked
    : CpuSlabEngine<PackedFast, PackedSlab, NoIrq, kStats> {
  static constexpr std::string_view kName = "cmpxchg-local-packed64";
  static constexpr std::string_view kSummary =
      "{object number, tid} in eight bytes: for CPUs without a double word";
  static constexpr EngineTraits kTraits = {};
  using CpuSlabEngine<PackedFast, PackedSlab, NoIrq, kStats>::CpuSlabEngine;
};

// Tests set the pause; everybody else gets none.
struct AbaPause {
  static inline void (*pause)() = nullptr;
  static void BetweenLookAndExchange() {
    if (pause != nullptr) pause();
  }
};
template <StatsMode kStats>
struct Aba : CpuSlabEngine<AbaFast<AbaPause>, DoubleSlab<>, NoIrq, kStats> {
  static constexpr std::string_view kName = "aba";
  static constexpr std::string_view kSummary =
      "UNSAFE control: the 8-byte exchange without a tid (the bug of 2008)";
  static constexpr EngineTraits kTraits = {.safe = false};
  using CpuSlabEngine<AbaFast<AbaPause>, DoubleSlab<>, NoIrq,
                      kStats>::CpuSlabEngine;
};

}  // namespace hackbench::alloc
