// SPDX-License-Identifier: MIT
// The slow paths of `owned`: where objects come from when a CPU's list is
// empty, and where those of other CPUs go.
//
// In order: what others have freed, a sheaf, the rest of the span being cut, a
// new span, and when there is no page left what this CPU itself has lying
// about. A worker killed here loses the list it had in hand.
#pragma once

#include <algorithm>

#include "alloc/corruption.h"
#include "alloc/engine.h"
#include "alloc/owned_cpu.h"
#include "alloc/owned_links.h"
#include "alloc/sheaf_exchange.h"
#include "alloc/sheaf_guard.h"

namespace hackbench::alloc {

inline constexpr size_t kSpanBytes = size_t{1} << kSpanShift;

template <bool kFront, StatsMode kStats>
class OwnedSlow {
 public:
  explicit OwnedSlow(Heap& heap)
      : base_(heap.base()),
        spans_(heap.spans()),
        links_(heap.links()),
        num_cpus_(heap.num_cpus()),
        heap_(heap) {
    const size_t cpus = size_t{num_cpus_} + 1;  // The last for ids beyond.
    cpus_ = static_cast<OwnedCpu*>(heap.Carve(cpus * sizeof(OwnedCpu)));
    barns_ = static_cast<Barn*>(heap.Carve(kNumClasses * sizeof(Barn)));
    closed_ = ClosedSheaf::Make(heap);
    if (cpus_ == nullptr || barns_ == nullptr || closed_ == 0) {
      ReportCorruption("no room for the owners' tables", cpus);
    }
    for (size_t cpu = 0; cpu < cpus; ++cpu) {
      for (OwnedClass& own : cpus_[cpu].classes) own.front.top = closed_;
    }
    if (num_cpus_ >= kOverflowOwner) {
      ReportCorruption("more CPUs than owners can be told apart", num_cpus_);
    }
    for (unsigned c = 0; c < kNumClasses; ++c) {
      barns_[c].capacity = kSheafSlots - 1;
    }
    std::fill_n(spans_, (heap.arena().max_bytes() >> kSpanShift) + 1,
                SpanInfo{});
  }

 protected:
  static constexpr bool IsIndexed(unsigned size_class) {
    return size_class >= kFirstIndexedClass;
  }
  [[nodiscard]] LinkTable Links() const { return {base_, links_}; }
  [[nodiscard]] uint64_t SpanOf(const void* object) const {
    return static_cast<uint64_t>(static_cast<const char*>(object) - base_) >>
           kSpanShift;
  }
  [[nodiscard]] OwnedClass& ClassOf(SpanInfo span) const {
    const uint32_t owner = std::min(span.owner(), num_cpus_);
    return cpus_[owner].classes[span.size_class()];
  }

  // The list was empty, or the attempt was interrupted.
  template <class Kind>
  [[gnu::noinline]] void* AllocOtherwise(unsigned c) {
    atomics::RseqArea* const area = atomics::ThreadRseqArea();
    uint32_t cpu = 0;
    uint64_t word = 0;
    for (;;) {
      cpu = atomics::CurrentCpuId();
      if (cpu >= num_cpus_) return AllocBeyondTable<Kind>(c);
      OwnedClass& own = cpus_[cpu].classes[c];
      // Most often a sheaf has what the list has not.
      RseqResult result = RseqResult::kMismatch;
      if constexpr (kFront) {
        result = atomics::RseqList::PopTop(area, cpu, &own.front.top, word);
        if (result == RseqResult::kCommitted) {
          Count<kStats>(own.front.stats, kAllocFastpath);
          return ToPointer(word);
        }
      }
      if (result == RseqResult::kMismatch) {
        result = Kind::Pop(Links(), area, cpu, &own.list, word);
        if (result == RseqResult::kCommitted) {
          Count<kStats>(own.front.stats, kAllocFastpath);
          return Kind::ToObject(Links(), word);
        }
      }
      if (result == RseqResult::kMismatch) break;
      atomics::EnsureRseqRegistered(area);
    }
    OwnedClass& own = cpus_[cpu].classes[c];
    void* object = AllocSlowly<Kind>(c, cpu);
    if (object == nullptr && Trim(cpu)) object = AllocSlowly<Kind>(c, cpu);
    if (object == nullptr) {
      heap_.CountFailure();
    } else {
      Count<kStats>(own.front.stats, kAllocSlowpath);
    }
    return object;
  }

  // An object of another CPU's span, or a whole block.
  [[gnu::noinline]] void FreeForeign(void* object) {
    if (!heap_.Contains(object)) {
      ReportCorruption("a pointer is freed that was never handed out",
                       ToWord(object));
    }
    const SpanInfo span = spans_[SpanOf(object)];
    if (!span.is_span()) return FreeWhole(object);
    const uint32_t cpu = atomics::CurrentCpuId();
    OwnedClass& here =
        cpus_[std::min(cpu, num_cpus_)].classes[span.size_class()];
    if constexpr (kFront) {
      if (cpu < num_cpus_) {
        RefuseTopAgain(here.front.top, object);
        const RseqResult result = atomics::RseqList::PushTop<kSheafBytes>(
            atomics::ThreadRseqArea(), cpu, &here.front.top, ToWord(object));
        if (result == RseqResult::kCommitted) [[likely]] {
          Count<kStats>(here.front.stats, kFreeFastpath);
          return;
        }
        if (FreeByNewSheaf(span.size_class(), object)) {
          Count<kStats>(here.front.stats, kFreeSlowpath);
          return;
        }
      }
    }
    PushRemote(span, object);
    Count<kStats>(here.front.stats, kFreeSlowpath);
  }

  // A chain of one owner's objects, from its first to its last.
  template <class Kind>
  void PushRemoteChain(OwnedClass& own, uint64_t first, uint64_t last) {
    uint64_t head = PeekWord(&own.remote);
    do {
      if (head == first) ReportCorruption("double free", first);
      Kind::Set(Links(), last, head);
    } while (!atomics::Cmpxchg64<atomics::Order::kRelease>(&own.remote, head,
                                                           first));
  }
  void PushRemote(SpanInfo span, void* object) {
    OwnedClass& own = ClassOf(span);
    if (IsIndexed(span.size_class())) {
      const uint64_t word = OutsideLinks::ToWord(Links(), object);
      PushRemoteChain<OutsideLinks>(own, word, word);
    } else {
      const uint64_t word = InsideLinks::ToWord(Links(), object);
      PushRemoteChain<InsideLinks>(own, word, word);
    }
  }

  // Runs of one owner's objects go back as one chain, by one exchange.
  void FlushToOwners(SheafTop& sheaf, unsigned c) {
    IsIndexed(c) ? FlushChains<OutsideLinks>(sheaf)
                 : FlushChains<InsideLinks>(sheaf);
  }
  template <class Kind>
  void FlushChains(SheafTop& sheaf) {
    while (!IsEmptySheaf(sheaf)) {
      char* const object = PopSheaf(sheaf);
      const SpanInfo span = spans_[SpanOf(object)];
      const uint64_t last = Kind::ToWord(Links(), object);
      uint64_t first = last;
      while (!IsEmptySheaf(sheaf)) {
        char* const more = ToPointer(*SlotBelow(sheaf));
        if (spans_[SpanOf(more)].slot() != span.slot()) break;
        const uint64_t word = Kind::ToWord(Links(), PopSheaf(sheaf));
        Kind::Set(Links(), word, first);
        first = word;
      }
      PushRemoteChain<Kind>(ClassOf(span), first, last);
    }
  }

  // Objects cut from a span so far.
  [[nodiscard]] uint32_t ObjectsCut(const OwnedClass& own, uint64_t start,
                                    unsigned c) const {
    const uint64_t size = kClassBytes[c];
    const bool cutting = own.carve > start && own.carve < start + kSpanBytes;
    return static_cast<uint32_t>((cutting ? own.carve - start : kSpanBytes) /
                                 size);
  }

  // Spans whose every object is on the chain go back to the page allocator; the
  // rest of the chain is returned. Under the class's lock, or alone.
  template <class Kind>
  uint64_t ReleaseSpans(OwnedClass& own, unsigned c, uint64_t chain,
                        uint64_t& last) {
    uint32_t empty = kNoPage;
    for (uint64_t at = chain; at != 0; at = Kind::Get(Links(), at)) {
      SlabDescriptor& span = SpanDescriptor(Kind::ToObject(Links(), at));
      const auto start = ToWord(heap_.AddressOf(heap_.PageOf(span)));
      if (++span.redo.first == ObjectsCut(own, start, c)) {
        span.next = empty;
        empty = heap_.PageOf(span);
      }
    }
    uint64_t kept = 0;
    last = 0;
    for (uint64_t at = chain; at != 0;) {
      const uint64_t next = Kind::Get(Links(), at);
      SlabDescriptor& span = SpanDescriptor(Kind::ToObject(Links(), at));
      const auto start = ToWord(heap_.AddressOf(heap_.PageOf(span)));
      if (span.redo.first != ObjectsCut(own, start, c)) {
        if (last == 0) last = at;
        Kind::Set(Links(), at, kept);
        kept = at;
      }
      at = next;
    }
    for (uint64_t at = kept; at != 0; at = Kind::Get(Links(), at)) {
      SpanDescriptor(Kind::ToObject(Links(), at)).redo.first = 0;
    }
    while (empty != kNoPage) {
      SlabDescriptor& span = heap_.descriptor(empty);
      empty = span.next;
      ReleaseSpan(own, span);
    }
    return kept;
  }

  // Two chains as one; walks the first.
  template <class Kind>
  uint64_t Join(uint64_t first, uint64_t second) {
    if (first == 0) return second;
    uint64_t last = first;
    while (const uint64_t next = Kind::Get(Links(), last)) last = next;
    Kind::Set(Links(), last, second);
    return first;
  }

 private:
  SlabDescriptor& SpanDescriptor(const void* object) const {
    return heap_.descriptor(
        static_cast<uint32_t>(SpanOf(object) << kSpanOrder));
  }

  void ReleaseSpan(OwnedClass& own, SlabDescriptor& span) {
    const uint32_t page = heap_.PageOf(span);
    const auto start = ToWord(heap_.AddressOf(page));
    if (own.carve > start && own.carve < start + kSpanBytes) own.carve = 0;
    span.redo.first = 0;
    spans_[page >> kSpanOrder] = SpanInfo{};
    span.kind = PageKind::kNone;
    Count<kStats>(own.front.stats, kFreeSlab);
    heap_.pages().Free(page, kSpanOrder);
  }

  void FreeWhole(void* object) {
    SlabDescriptor& block = heap_.SlabOf(object);
    if (block.kind != PageKind::kLarge ||
        heap_.AddressOf(heap_.PageOf(block)) != object) {
      ReportCorruption("a pointer is freed that was never handed out",
                       ToWord(object));
    }
    heap_.FreeLarge(block);
  }

  template <class Kind>
  void* AllocSlowly(unsigned c, uint32_t cpu) {
    OwnedClass& own = cpus_[cpu].classes[c];
    if (PeekWord(&own.remote) != 0) {
      const uint64_t chain = atomics::Xchg(&own.remote, 0);
      if (chain != 0) return TakeFirst<Kind>(own, cpu, chain);
    }
    if constexpr (kFront) {
      if (void* object = AllocFromSheaf(c)) return object;
    }
    // A thief finds the cursor in order: it is one word.
    static_cast<void>(own.front.lock.Lock());
    const uint64_t chain = Carve<Kind>(own, c, cpu);
    own.front.lock.Unlock();
    return chain == 0 ? nullptr : TakeFirst<Kind>(own, cpu, chain);
  }

  // The first of the chain is the caller's, the rest the CPU's.
  template <class Kind>
  void* TakeFirst(OwnedClass& own, uint32_t cpu, uint64_t chain) {
    const uint64_t rest = Kind::Get(Links(), chain);
    if (rest != 0 && !AttachToEmpty(own, cpu, rest)) {
      uint64_t last = rest;
      while (const uint64_t next = Kind::Get(Links(), last)) last = next;
      PushRemoteChain<Kind>(own, rest, last);
    }
    return Kind::ToObject(Links(), chain);
  }

  // While its list is empty and the caller on its CPU.
  static bool AttachToEmpty(OwnedClass& own, uint32_t cpu, uint64_t chain) {
    uint64_t expected = 0;
    return atomics::Rseq::Cmpxchg(atomics::ThreadRseqArea(), cpu, &own.list,
                                  expected, chain) == RseqResult::kCommitted;
  }

  // A page's worth of new objects as a chain, of at least one; 0 at the limit.
  template <class Kind>
  uint64_t Carve(OwnedClass& own, unsigned c, uint32_t owner) {
    const uint64_t size = kClassBytes[c];
    uint64_t start = own.carve;
    uint64_t left = (kSpanBytes - start % kSpanBytes) % kSpanBytes;
    SlabDescriptor* fresh = nullptr;
    if (left < size) {
      if (heap_.faults().ShouldFail(FaultSite::kSlab)) return 0;
      const uint32_t page = heap_.pages().Alloc(kSpanOrder);
      if (page == kNoPage) return 0;
      fresh = &heap_.descriptor(page);
      fresh->redo.first = 0;
      spans_[page >> kSpanOrder] = SpanInfo(owner, c);
      start = ToWord(heap_.AddressOf(page));
      left = kSpanBytes;
      Count<kStats>(own.front.stats, kAllocSlab);
    }
    const uint64_t count =
        std::min(left / size, std::max(uint64_t{1}, kPageBytes / size));
    // release: the cursor behind what it says of the span. If the span is cut
    // to its end the cursor reads as "none left".
    __atomic_store_n(&own.carve, start + count * size, __ATOMIC_RELEASE);
    if (fresh != nullptr) {
      PageKind kind = PageKind::kSpan;
      __atomic_store(&fresh->kind, &kind, __ATOMIC_RELEASE);
    }
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t at = start + i * size;
      Kind::Set(
          Links(), Kind::ToWord(Links(), ToPointer(at)),
          i + 1 == count ? 0 : Kind::ToWord(Links(), ToPointer(at + size)));
    }
    return Kind::ToWord(Links(), ToPointer(start));
  }

  // CPUs beyond the table share one slot, under its lock and without sequences.
  template <class Kind>
  void* AllocBeyondTable(unsigned c) {
    OwnedClass& own = cpus_[num_cpus_].classes[c];
    static_cast<void>(own.front.lock.Lock());
    uint64_t chain = own.list;
    if (chain == 0) chain = atomics::Xchg(&own.remote, 0);
    if (chain == 0) chain = Carve<Kind>(own, c, kOverflowOwner);
    if (chain != 0) {
      __atomic_store_n(&own.list, Kind::Get(Links(), chain), __ATOMIC_RELEASE);
    }
    own.front.lock.Unlock();
    if (chain == 0) {
      heap_.CountFailure();
      return nullptr;
    }
    Count<kStats>(own.front.stats, kAllocSlowpath);
    return Kind::ToObject(Links(), chain);
  }

  // Runs `work` with this CPU's sheaf in hand; see SheafEngine::WithSlot().
  template <class Work>
  bool WithSheaf(unsigned c, Work work) {
    for (;;) {
      const uint32_t cpu = atomics::CurrentCpuId();
      if (cpu >= num_cpus_) return false;
      CpuSheaf& slot = cpus_[cpu].classes[c].front;
      if (slot.lock.TryLock() == Taken::kNo) return false;
      SheafTop top = 0;
      const bool detached = RseqSheafGuard::Detach(slot, cpu, closed_, top);
      if (detached) {
        const SheafTop next = work(slot, top == closed_ ? 0 : top);
        __atomic_store_n(&slot.top, next == 0 ? closed_ : next,
                         __ATOMIC_RELEASE);
      }
      slot.lock.Unlock();
      if (detached) return true;
    }
  }

  void* AllocFromSheaf(unsigned c) {
    // relaxed: a glance; most often there is nothing, and no lock is taken.
    const uint32_t cpu = atomics::CurrentCpuId();
    if (cpu >= num_cpus_) return nullptr;
    const CpuSheaf& here = cpus_[cpu].classes[c].front;
    if (__atomic_load_n(&barns_[c].full_count, __ATOMIC_RELAXED) == 0 &&
        __atomic_load_n(&here.spare, __ATOMIC_RELAXED) == 0) {
      return nullptr;
    }
    void* object = nullptr;
    WithSheaf(c, [&](CpuSheaf& slot, SheafTop top) {
      SheafTop main = SheafToAllocFrom<kStats>(heap_, barns_[c], slot, top,
                                               [](SheafTop&) {});
      if (main != 0 && !IsEmptySheaf(main)) object = PopSheaf(main);
      return main;
    });
    return object;
  }

  bool FreeByNewSheaf(unsigned c, void* object) {
    bool kept = false;
    WithSheaf(c, [&](CpuSheaf& slot, SheafTop top) {
      SheafTop main = SheafToFreeTo<kStats>(
          heap_, barns_[c], slot, top,
          [&](SheafTop& sheaf) { FlushToOwners(sheaf, c); });
      if (main != 0) {
        PushSheaf(main, object);
        kept = true;
      }
      return main;
    });
    return kept;
  }

  // No page is left: gives the spans of this CPU that are wholly free back.
  // True when there were any.
  bool Trim(uint32_t cpu) {
    bool any = false;
    for (unsigned c = 0; c < kNumClasses; ++c) {
      any |= IsIndexed(c) ? TrimClass<OutsideLinks>(c, cpu)
                          : TrimClass<InsideLinks>(c, cpu);
    }
    if (any) heap_.pages().DrainCpuLists();
    return any;
  }

  template <class Kind>
  bool TrimClass(unsigned c, uint32_t cpu) {
    OwnedClass& own = cpus_[cpu].classes[c];
    if (own.front.lock.TryLock() == Taken::kNo) return false;
    uint64_t list = 0;
    OnCpu(cpu, [&](atomics::RseqArea* area) {
      return atomics::Rseq::Xchg(area, cpu, &own.list, uint64_t{0}, list);
    });
    const uint64_t chain = Join<Kind>(list, atomics::Xchg(&own.remote, 0));
    uint64_t last = 0;
    const uint64_t kept = ReleaseSpans<Kind>(own, c, chain, last);
    if (kept != 0) PushRemoteChain<Kind>(own, kept, last);
    own.front.lock.Unlock();
    return chain != 0;
  }

 protected:
  char* base_;
  SpanInfo* spans_;
  uint32_t* links_;
  OwnedCpu* cpus_;
  uint32_t num_cpus_;
  SheafTop closed_;
  Barn* barns_;
  Heap& heap_;
};

}  // namespace hackbench::alloc
