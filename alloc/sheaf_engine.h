// SPDX-License-Identifier: MIT
// Sheaves, SLUB since 6.18: per CPU an array of free objects and a spare one, a
// barn of full and empty arrays per cache, slabs behind. Objects pass from CPU
// to CPU by the array, untouched.
//
// A CPU that frees what another allocated fills sheaves for it. The price: an
// array more to read than a list, and objects that lose their order.
#pragma once

#include <array>

#include "alloc/sheaf_exchange.h"
#include "alloc/sheaf_guard.h"
#include "alloc/slab_base.h"

namespace hackbench::alloc {

template <class Guard, class Ops, StatsMode kStats>
class SheafEngine
    : public SlabBase<SheafEngine<Guard, Ops, kStats>, Ops, kStats> {
 public:
  using Base = SlabBase<SheafEngine, Ops, kStats>;
  friend Base;
  static constexpr bool kDetachedRuns = false;

  static std::string WhyNot() {
    return Guard::WhyNot().empty() ? Ops::WhyNot() : Guard::WhyNot();
  }

  explicit SheafEngine(Heap& heap)
      : Base(heap), closed_(ClosedSheaf::Make(heap)) {
    Base::CreateKmallocCaches();
  }

  [[gnu::always_inline]] void* AllocFrom(Cache* cache) {
    char* const object = Guard::Pop(Slots(*cache));
    if (object != nullptr) [[likely]] {
      CountHere(*cache, kAllocFastpath);
      return object;
    }
    return AllocSlowly(*cache);
  }

 private:
  using Base::heap_;
  using Base::layer_;

  // Of one cache; the slots of the CPUs follow.
  static Barn& BarnOf(const Cache& cache) {
    return *static_cast<Barn*>(cache.cpu_slots);
  }
  [[nodiscard]] CpuSheaves Slots(const Cache& cache) const {
    return {static_cast<char*>(cache.cpu_slots) + sizeof(Barn),
            heap_.num_cpus()};
  }
  void CountHere(const Cache& cache, Stat stat) const {
    if constexpr (kStats != StatsMode::kOff) {
      Count<kStats>(
          Slots(cache).ForCpuOrOverflow(atomics::CurrentCpuId()).stats, stat);
    }
  }

  [[gnu::always_inline]] void FreeTo(Cache& cache, SlabDescriptor& slab,
                                     char* object) {
    if (Guard::Push(Slots(cache), object)) [[likely]] {
      CountHere(cache, kFreeFastpath);
      return;
    }
    FreeSlowly(cache, slab, object);
  }

  // Runs `work` on this CPU's slot with its sheaf in hand: it gets the sheaf's
  // top (0: none) and returns what to attach. False when the slot is busy.
  template <class Work>
  bool WithSlot(Cache& cache, Work work) {
    for (;;) {
      const uint32_t cpu = atomics::CurrentCpuId();
      if (!Slots(cache).Holds(cpu)) return false;
      CpuSheaf& slot = Slots(cache).ForCpu(cpu);
      const Taken taken = slot.lock.TryLock();
      if (taken == Taken::kNo) return false;
      if (taken == Taken::kStolen) Count<kStats>(slot.stats, kLockStolen);
      SheafTop top = 0;
      const bool detached = Guard::Detach(slot, cpu, closed_, top);
      if (detached) {
        const SheafTop next = work(slot, top == closed_ ? 0 : top);
        // release: the sheaf's contents before its top. Nobody writes the top
        // of a closed slot but us.
        __atomic_store_n(&slot.top, next == 0 ? closed_ : next,
                         __ATOMIC_RELEASE);
      }
      slot.lock.Unlock();
      if (detached) return true;
    }
  }

  [[gnu::noinline]] void* AllocSlowly(Cache& cache) {
    char* object = nullptr;
    WithSlot(cache, [&](CpuSheaf& slot, SheafTop top) {
      SheafTop main = SheafToAllocFrom<kStats>(
          heap_, BarnOf(cache), slot, top,
          [&](SheafTop& sheaf) { Refill(cache, sheaf); });
      if (main != 0 && !IsEmptySheaf(main)) object = PopSheaf(main);
      return main;
    });
    if (object == nullptr) object = layer_.AllocOne(cache);
    if (object == nullptr) {
      heap_.CountFailure();
    } else {
      CountHere(cache, kAllocSlowpath);
    }
    return object;
  }

  // Half full is enough: the next frees find room.
  void Refill(Cache& cache, SheafTop& sheaf) {
    uint32_t wanted = BarnOf(cache).capacity;
    while (wanted != 0) {
      const Grab grab =
          layer_.TakeSlab(cache, kNobody, [](const SlabDescriptor&) {});
      if (grab.slab == nullptr) return;
      char* list = grab.list;
      for (; list != nullptr && wanted != 0; --wanted) {
        PushSheaf(sheaf, list);
        list = layer_.Next(cache, *grab.slab, list);
      }
      layer_.Deactivate(cache, *grab.slab, list);
    }
  }

  [[gnu::noinline]] void FreeSlowly(Cache& cache, SlabDescriptor& slab,
                                    char* object) {
    bool kept = false;
    WithSlot(cache, [&](CpuSheaf& slot, SheafTop top) {
      SheafTop main = SheafToFreeTo<kStats>(
          heap_, BarnOf(cache), slot, top,
          [&](SheafTop& sheaf) { FlushSheaf(cache, sheaf); });
      if (main != 0) {
        PushSheaf(main, object);
        kept = true;
      }
      return main;
    });
    CountHere(cache, kFreeSlowpath);
    if (!kept) layer_.Free(cache, slab, object, object, 1);
  }

  // Sorted, objects of one slab are neighbours and cost one exchange.
  void FlushSheaf(Cache& cache, SheafTop& sheaf) {
    std::array<char*, kSheafSlots> objects;
    size_t count = 0;
    while (!IsEmptySheaf(sheaf)) objects[count++] = PopSheaf(sheaf);
    std::sort(objects.begin(), objects.begin() + count);
    for (size_t i = 0; i < count;) {
      SlabDescriptor& slab = heap_.SlabOf(objects[i]);
      size_t end = i + 1;
      while (end < count && &heap_.SlabOf(objects[end]) == &slab) {
        if (objects[end] == objects[end - 1]) {
          ReportCorruption("double free", ToWord(objects[end]));
        }
        layer_.SetNext(cache, slab, objects[end - 1], objects[end]);
        ++end;
      }
      layer_.Free(cache, slab, objects[i], objects[end - 1],
                  static_cast<uint32_t>(end - i));
      i = end;
    }
  }

  bool SetUpCache(Cache& cache) {
    void* const memory =
        heap_.Carve(sizeof(Barn) + CpuSheaves::BytesFor(heap_.num_cpus()));
    if (memory == nullptr || closed_ == 0) return false;
    cache.cpu_slots = memory;
    auto* const barn = new (memory) Barn{};
    barn->capacity = SheafCapacity(cache.size);
    CpuSheaves::Make(static_cast<char*>(memory) + sizeof(Barn),
                     heap_.num_cpus());
    Slots(cache).ForEach([&](CpuSheaf& slot) { slot.top = closed_; });
    return true;
  }

  template <class Visit>
  void ForEachStatistics(const Cache& cache, Visit visit) const {
    Slots(cache).ForEach([&](const CpuSheaf& slot) { visit(slot.stats); });
  }

  // Slabs are the node's alone.
  bool IsCpuSlab(const Cache&, const SlabDescriptor&) const { return false; }

  // While nobody else is at work: every sheaf in use.
  template <class Visit>
  void ForEachSheaf(const Cache& cache, Visit visit) const {
    Slots(cache).ForEach([&](CpuSheaf& slot) {
      visit(slot.top);
      if (slot.spare != 0) visit(slot.spare);
    });
    Barn& barn = BarnOf(cache);
    for (uint32_t i = 0; i < barn.full_count; ++i) visit(barn.full[i]);
  }

  template <class Next>
  absl::Status CheckCpus(const Cache& cache, SlabAudit& audit, Next) {
    absl::Status status = absl::OkStatus();
    ForEachSheaf(cache, [&](SheafTop sheaf) {
      ForEachInSheaf(sheaf, [&](const char* object) {
        if (status.ok()) status = audit.AddObject(object);
      });
    });
    return status;
  }

  void FlushCache(Cache& cache) {
    ForEachSheaf(cache, [&](SheafTop& sheaf) {
      if (sheaf != closed_) FlushSheaf(cache, sheaf);
    });
    Barn& barn = BarnOf(cache);
    while (const SheafTop sheaf = barn.TakeFull()) barn.PutEmpty(sheaf);
  }

  void RecoverCache(Cache& cache) {
    Slots(cache).ForEach([](CpuSheaf& slot) {
      if (slot.lock.IsHeld()) slot.lock.Unlock();
    });
    if (BarnOf(cache).lock.IsHeld()) BarnOf(cache).lock.Unlock();
  }

  static constexpr uint32_t kNobody = 0xfffe;
  SheafTop closed_;
};

template <StatsMode kStats>
struct Sheaves : SheafEngine<RseqSheafGuard, DoubleSlab<>, kStats> {
  static constexpr std::string_view kName = "sheaves";
  static constexpr std::string_view kSummary =
      "arrays of free objects per CPU and a barn, by restartable sequences";
  static constexpr EngineTraits kTraits = {};
  using SheafEngine<RseqSheafGuard, DoubleSlab<>, kStats>::SheafEngine;
};
template <StatsMode kStats>
struct SheavesTryLock : SheafEngine<TryLockSheafGuard, PackedSlab, kStats> {
  static constexpr std::string_view kName = "sheaves-trylock";
  static constexpr std::string_view kSummary =
      "the same under a lock per CPU that is only tried; needs nothing";
  static constexpr EngineTraits kTraits = {};
  using SheafEngine<TryLockSheafGuard, PackedSlab, kStats>::SheafEngine;
};

}  // namespace hackbench::alloc
