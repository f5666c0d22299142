// SPDX-License-Identifier: MIT
// The engines with a private free list per CPU, SLUB from 2.6.24 to 7.0: a fast
// path on that list, slow paths that detach it, work, and attach a new one.
//
// A slow path holds the lock of its CPU's structure; who finds it busy does not
// wait but is served from the node. The holder notes which slab it works on, so
// that a thief can put it back where it belongs. A worker killed here loses at
// most the list it had in hand.
#pragma once

#include "alloc/cpu_fast.h"
#include "alloc/irq_model.h"
#include "alloc/slab_base.h"

namespace hackbench::alloc {

template <class Fast, class Ops, class Irq, StatsMode kStats>
class CpuSlabEngine
    : public SlabBase<CpuSlabEngine<Fast, Ops, Irq, kStats>, Ops, kStats> {
 public:
  using Base = SlabBase<CpuSlabEngine, Ops, kStats>;
  friend Base;
  static constexpr bool kDetachedRuns = true;

  static std::string WhyNot() {
    for (std::string reason : {Fast::WhyNot(), Ops::WhyNot(), Irq::WhyNot()}) {
      if (!reason.empty()) return reason;
    }
    return {};
  }

  explicit CpuSlabEngine(Heap& heap) : Base(heap) {
    Base::CreateKmallocCaches();
  }

  [[gnu::always_inline]] void* AllocFrom(Cache* cache) {
    [[maybe_unused]] const typename Irq::Section section;
    const FastContext context = Context(*cache);
    char* const object = Fast::Pop(context);
    if (object != nullptr) [[likely]] {
      if constexpr (kStats != StatsMode::kOff) {
        Count<kStats>(Here(context).stats, kAllocFastpath);
      }
      return object;
    }
    return AllocSlowly(*cache);
  }

 private:
  using Base::heap_;
  using Base::layer_;

  [[gnu::always_inline]] void FreeTo(Cache& cache, SlabDescriptor& slab,
                                     char* object) {
    [[maybe_unused]] const typename Irq::Section section;
    const FastContext context = Context(cache);
    if (Fast::Push(context, heap_.PageOf(slab), object)) [[likely]] {
      if constexpr (kStats != StatsMode::kOff) {
        Count<kStats>(Here(context).stats, kFreeFastpath);
      }
      return;
    }
    if constexpr (kStats != StatsMode::kOff) {
      Count<kStats>(Here(context).stats, kFreeSlowpath);
    }
    layer_.Free(cache, slab, object, object, 1);
  }

  [[nodiscard]] FastContext Context(const Cache& cache) const {
    return {heap_, cache, CpuSlabs(cache.cpu_slots, heap_.num_cpus())};
  }
  static CpuSlab& Here(const FastContext& context) {
    return context.slots.ForCpuOrOverflow(atomics::CurrentCpuId());
  }

  [[gnu::noinline]] void* AllocSlowly(Cache& cache) {
    const FastContext context = Context(cache);
    char* object = nullptr;
    for (;;) {
      const uint32_t cpu = atomics::CurrentCpuId();
      if (!context.slots.Holds(cpu)) {
        object = layer_.AllocOne(cache);
        break;
      }
      CpuSlab& slot = context.slots.ForCpu(cpu);
      const Taken taken = slot.lock.TryLock();
      if (taken == Taken::kNo) {
        object = layer_.AllocOne(cache);
        break;
      }
      if (taken == Taken::kStolen) {
        Count<kStats>(slot.stats, kLockStolen);
        PutBackForTheDead(cache, slot, cpu);
      }
      const bool done = Refill(context, cache, slot, cpu, object);
      slot.lock.Unlock();
      if (done) break;
    }
    if (object == nullptr) {
      heap_.CountFailure();
    } else if constexpr (kStats != StatsMode::kOff) {
      Count<kStats>(Here(context).stats, kAllocSlowpath);
    }
    return object;
  }

  // Detach, work, attach; under the lock of the slot. False: the caller has
  // left the CPU. `object` is the first of the new list.
  bool Refill(const FastContext& context, Cache& cache, CpuSlab& slot,
              uint32_t cpu, char*& object) {
    if (slot.slab != 0) slot.working = slot.slab;
    SlabDescriptor* slab = Find(slot.slab);
    char* list = nullptr;
    if (!Fast::Detach(context, slot, cpu, list)) {
      Count<kStats>(slot.stats, kCmpxchgDoubleCpuFail);
      return false;
    }
    // A dead holder may have left a list whose slab is not the CPU's any more.
    if (slab == nullptr && list != nullptr) slab = &heap_.SlabOf(list);
    if (list == nullptr && slab != nullptr) {
      list = layer_.TakeReturned(cache, *slab);
    }
    if (list == nullptr) {
      const Grab grab =
          layer_.TakeSlab(cache, cpu, [&](const SlabDescriptor& claimed) {
            __atomic_store_n(&slot.working, heap_.PageOf(claimed),
                             __ATOMIC_RELEASE);
          });
      slab = grab.slab;
      list = grab.list;
    }
    object = list;
    if (list != nullptr) {
      Fast::Attach(context, slot, layer_.Next(cache, *slab, list),
                   heap_.PageOf(*slab));
    }
    __atomic_store_n(&slot.working, 0, __ATOMIC_RELEASE);
    return true;
  }

  SlabDescriptor* Find(uint64_t page) {
    return page == 0 ? nullptr : &heap_.descriptor(static_cast<uint32_t>(page));
  }

  // The slab a dead holder of the lock had claimed and not attached goes to the
  // node. Where it stands is in the slab itself.
  void PutBackForTheDead(Cache& cache, CpuSlab& slot, uint32_t cpu) {
    SlabDescriptor* const slab = Find(slot.working);
    const bool ours = slab != nullptr && slot.working != slot.slab &&
                      slab->kind == PageKind::kSlab &&
                      slab->cache == cache.id && slab->owner == cpu + 1 &&
                      layer_.Load(cache, *slab).frozen;
    // With a list still in the slot the slab is needed: Refill() takes both.
    if (ours && !HasList(slot)) {
      layer_.Deactivate(cache, *slab, nullptr);
    }
  }

  static bool HasList(const CpuSlab& slot) {
    return std::is_same_v<Fast, PackedFast>
               ? (slot.fast.first & PackedFast::kNumberMask) != 0
               : slot.fast.first != 0;
  }

  bool SetUpCache(Cache& cache) {
    void* slots = heap_.Carve(CpuSlabs::BytesFor(heap_.num_cpus()));
    if (slots == nullptr) return false;
    const CpuSlabs made = CpuSlabs::Make(slots, heap_.num_cpus());
    const atomics::TidSequence tids(heap_.num_cpus());
    for (uint32_t cpu = 0; cpu < heap_.num_cpus(); ++cpu) {
      made.ForCpu(cpu).fast.second = tids.First(cpu);
    }
    cache.cpu_slots = slots;
    return true;
  }

  template <class Visit>
  void ForEachStatistics(const Cache& cache, Visit visit) const {
    Context(cache).slots.ForEach(
        [&](const CpuSlab& slot) { visit(slot.stats); });
  }

  // What follows runs while nobody else is at work.
  template <class Visit>
  void ForEachSlot(const Cache& cache, Visit visit) const {
    for (uint32_t cpu = 0; cpu < heap_.num_cpus(); ++cpu) {
      visit(Context(cache).slots.ForCpu(cpu), cpu);
    }
  }

  bool IsCpuSlab(const Cache& cache, const SlabDescriptor& slab) const {
    bool found = false;
    ForEachSlot(cache, [&](const CpuSlab& slot, uint32_t) {
      found |= slot.slab == heap_.PageOf(slab);
    });
    return found;
  }

  char* ListOf(const Cache& cache, const CpuSlab& slot) const {
    if constexpr (std::is_same_v<Fast, PackedFast>) {
      return PackedSlab::ObjectOf(
          heap_, cache, heap_.descriptor(static_cast<uint32_t>(slot.slab)),
          slot.fast.first & PackedFast::kNumberMask);
    } else {
      return ToPointer(slot.fast.first);
    }
  }

  template <class Next>
  absl::Status CheckCpus(const Cache& cache, SlabAudit& audit, Next next) {
    absl::Status status = absl::OkStatus();
    ForEachSlot(cache, [&](const CpuSlab& slot, uint32_t cpu) {
      if (!status.ok()) return;
      if (slot.slab == 0 && HasList(slot)) {
        status = absl::InternalError(absl::StrCat(
            cache.name, ": CPU ", cpu, " has free objects and no slab"));
      } else if (slot.slab != 0) {
        status =
            audit.AddList(heap_.descriptor(static_cast<uint32_t>(slot.slab)),
                          ListOf(cache, slot), next);
      }
    });
    return status;
  }

  void FlushCache(Cache& cache) {
    ForEachSlot(cache, [&](CpuSlab& slot, uint32_t) {
      if (slot.slab == 0) return;
      SlabDescriptor* const slab = Find(slot.slab);
      char* const list = ListOf(cache, slot);
      slot.slab = 0;
      if constexpr (std::is_same_v<Fast, PackedFast>) {
        slot.fast.first &= ~PackedFast::kNumberMask;
      } else {
        slot.fast.first = 0;
      }
      layer_.Deactivate(cache, *slab, list);
      Count<kStats>(slot.stats, kCpuslabFlush);
    });
  }

  void RecoverCache(Cache& cache) {
    ForEachSlot(cache, [&](CpuSlab& slot, uint32_t) {
      // The living are not at work, so a held lock is a dead one's.
      if (!slot.lock.IsHeld()) return;
      if (slot.slab == 0 && HasList(slot)) {
        slot.slab =
            slot.working != 0
                ? slot.working
                : heap_.PageOf(heap_.SlabOf(ToPointer(slot.fast.first)));
      }
      slot.working = 0;
      slot.lock.Unlock();
    });
  }
};

}  // namespace hackbench::alloc
