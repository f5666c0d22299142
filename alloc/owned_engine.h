// SPDX-License-Identifier: MIT
// Spans owned by CPUs, the project's own: mimalloc's split of local and remote
// frees with the CPU as the owner, so that no thread's end abandons anything.
//
// The owner pops and pushes one list per size class by restartable sequences:
// one load of a small table says class and owner, one store commits. Everybody
// else pushes to the owner's remote list by an 8-byte exchange; that list is
// only ever taken whole, so there is no ABA and no double-word exchange on any
// architecture. From 1 KiB the links stand beside the objects, four bytes per
// KiB of the arena, and no object is ever touched: a list, not a bitmap, for it
// touches as little and a pop is four instructions instead of a search.
//
// `best` adds a sheaf per CPU and class for objects of other CPUs' spans, and
// barns through which they travel back untouched. Sheaves take no part in local
// traffic, where a list is cheaper.
#pragma once

#include "alloc/owned_audit.h"
#include "alloc/owned_slow.h"

namespace hackbench::alloc {

template <bool kFront, StatsMode kStats>
class OwnedEngine : public OwnedAudit<kFront, kStats> {
 public:
  static std::string WhyNot() { return WhyNoRseq(); }

  using OwnedAudit<kFront, kStats>::OwnedAudit;

  static constexpr size_t kLargestClass = kMaxClassBytes;

  [[gnu::always_inline]] void* Alloc(size_t bytes) {
    if (bytes > kMaxClassBytes) [[unlikely]]
      return heap_.AllocLarge(bytes);
    return AllocOfClass(ClassFor(bytes));
  }
  [[gnu::always_inline]] void* AllocOfClass(unsigned c) {
    return Base::IsIndexed(c) ? PopLocal<OutsideLinks>(c)
                              : PopLocal<InsideLinks>(c);
  }

  [[gnu::always_inline]] void Free(void* object) {
    if (object == nullptr) [[unlikely]]
      return;
    const SpanInfo span = spans_[Base::SpanOf(object)];
    atomics::RseqArea* const area = atomics::ThreadRseqArea();
    const uint32_t cpu = atomics::CpuOf(area);
    if (span.owner() != cpu) [[unlikely]]
      return Base::FreeForeign(object);
    OwnedClass& own = *(&cpus_->classes[0] + span.slot());
    if (Base::IsIndexed(span.size_class())) {
      PushLocal<OutsideLinks>(own, area, cpu, object);
    } else {
      PushLocal<InsideLinks>(own, area, cpu, object);
    }
  }

  size_t AllocBulk(size_t bytes, size_t count, void** objects) {
    for (size_t i = 0; i < count; ++i) {
      objects[i] = Alloc(bytes);
      if (objects[i] == nullptr) return i;
    }
    return count;
  }
  void FreeBulk(size_t count, void** objects) {
    for (size_t i = 0; i < count; ++i) Free(objects[i]);
  }

  size_t UsableSize(void* object) const {
    if (object == nullptr) return 0;
    const SpanInfo span = spans_[Base::SpanOf(object)];
    return span.is_span() ? kClassBytes[span.size_class()]
                          : kPageBytes << heap_.SlabOf(object).order;
  }

  // Caches share the size classes, as merged caches of the kernel do.
  absl::StatusOr<Cache*> CreateCache(std::string_view name, size_t bytes) {
    return heap_.CreateCache(name, bytes);
  }
  void* AllocFrom(Cache* cache) { return Alloc(cache->object_bytes); }

 private:
  using Base = OwnedSlow<kFront, kStats>;
  using Base::cpus_;
  using Base::heap_;
  using Base::num_cpus_;
  using Base::spans_;

  template <class Kind>
  [[gnu::always_inline]] void* PopLocal(unsigned c) {
    atomics::RseqArea* const area = atomics::ThreadRseqArea();
    const uint32_t cpu = atomics::CpuOf(area);
    if (cpu < num_cpus_) [[likely]] {
      OwnedClass& own = cpus_[cpu].classes[c];
      uint64_t word = 0;
      if (Kind::Pop(Base::Links(), area, cpu, &own.list, word) ==
          RseqResult::kCommitted) [[likely]] {
        Count<kStats>(own.front.stats, kAllocFastpath);
        return Kind::ToObject(Base::Links(), word);
      }
    }
    return Base::template AllocOtherwise<Kind>(c);
  }

  template <class Kind>
  [[gnu::always_inline]] void PushLocal(OwnedClass& own,
                                        atomics::RseqArea* area, uint32_t cpu,
                                        void* object) {
    const uint64_t word = Kind::ToWord(Base::Links(), object);
    if (PeekWord(&own.list) == word) [[unlikely]]
      ReportCorruption("double free", word);
    if (Kind::Push(Base::Links(), area, cpu, &own.list, word) ==
        RseqResult::kCommitted) [[likely]] {
      Count<kStats>(own.front.stats, kFreeFastpath);
      return;
    }
    FreeAgain(object);
  }

  // After an abort: wherever we are now.
  [[gnu::noinline]] void FreeAgain(void* object) {
    atomics::EnsureRseqRegistered(atomics::ThreadRseqArea());
    Free(object);
  }
};

template <StatsMode kStats>
struct Owned : OwnedEngine<false, kStats> {
  static constexpr std::string_view kName = "owned";
  static constexpr std::string_view kSummary =
      "spans owned by CPUs: local lists, remote lists of the owner";
  static constexpr EngineTraits kTraits = {};
  using OwnedEngine<false, kStats>::OwnedEngine;
};
template <StatsMode kStats>
struct Best : OwnedEngine<true, kStats> {
  static constexpr std::string_view kName = "best";
  static constexpr std::string_view kSummary =
      "owned, with sheaves for objects of other CPUs";
  static constexpr EngineTraits kTraits = {};
  using OwnedEngine<true, kStats>::OwnedEngine;
};

}  // namespace hackbench::alloc
