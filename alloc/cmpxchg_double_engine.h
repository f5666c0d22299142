// SPDX-License-Identifier: MIT
// cmpxchg_double at the slab level only: a CPU has a slab but no list of its
// own; objects are popped off the slab and pushed onto it by one exchange of
// {freelist, counters}, whoever does it. What 881db7fb03a7 (3.1) gave the slow
// paths, without the fast path of 2.6.39.
#pragma once

#include "alloc/cpu_slab.h"
#include "alloc/slab_base.h"
#include "atomics/current_cpu.h"

namespace hackbench::alloc {

template <class Ops, StatsMode kStats>
class CmpxchgDoubleEngine
    : public SlabBase<CmpxchgDoubleEngine<Ops, kStats>, Ops, kStats> {
 public:
  using Base = SlabBase<CmpxchgDoubleEngine, Ops, kStats>;
  friend Base;
  static constexpr bool kDetachedRuns = true;

  static std::string WhyNot() { return Ops::WhyNot(); }

  explicit CmpxchgDoubleEngine(Heap& heap) : Base(heap) {
    Base::CreateKmallocCaches();
  }

  [[gnu::always_inline]] void* AllocFrom(Cache* cache) {
    CpuSlab& slot = Slots(*cache).ForCpuOrOverflow(atomics::CurrentCpuId());
    const uint64_t page = __atomic_load_n(&slot.slab, __ATOMIC_ACQUIRE);
    if (page != 0) [[likely]] {
      char* const object =
          Pop(*cache, heap_.descriptor(static_cast<uint32_t>(page)));
      if (object != nullptr) [[likely]] {
        Count<kStats>(slot.stats, kAllocFastpath);
        return object;
      }
    }
    return AllocSlowly(*cache);
  }

 private:
  using Base::heap_;
  using Base::layer_;

  [[nodiscard]] CpuSlabs Slots(const Cache& cache) const {
    return {cache.cpu_slots, heap_.num_cpus()};
  }

  // Only while it is some CPU's slab of this very cache: the page may have been
  // given back and be another's since we looked it up.
  char* Pop(Cache& cache, SlabDescriptor& slab) {
    for (;;) {
      const SlabView view = layer_.Load(cache, slab);
      if (!view.frozen || view.cache != cache.id || view.freelist == nullptr) {
        return nullptr;
      }
      SlabView next = view;
      next.freelist = layer_.Next(cache, slab, view.freelist);
      ++next.inuse;
      if (layer_.Exchange(cache, slab, view, next)) return view.freelist;
      Count<kStats>(cache.node_stats, kCmpxchgDoubleFail);
    }
  }

  void FreeTo(Cache& cache, SlabDescriptor& slab, char* object) {
    layer_.Free(cache, slab, object, object, 1);
    if constexpr (kStats != StatsMode::kOff) {
      Count<kStats>(
          Slots(cache).ForCpuOrOverflow(atomics::CurrentCpuId()).stats,
          kFreeSlowpath);
    }
  }

  [[gnu::noinline]] void* AllocSlowly(Cache& cache) {
    const uint32_t cpu = atomics::CurrentCpuId();
    char* object = nullptr;
    CpuSlab& slot = Slots(cache).ForCpuOrOverflow(cpu);
    Taken taken = Taken::kNo;
    if (Slots(cache).Holds(cpu)) taken = slot.lock.TryLock();
    if (taken == Taken::kNo) {
      object = layer_.AllocOne(cache);
    } else {
      object = NewCpuSlab(cache, slot, cpu);
      slot.lock.Unlock();
    }
    if (object == nullptr) {
      heap_.CountFailure();
    } else {
      Count<kStats>(slot.stats, kAllocSlowpath);
    }
    return object;
  }

  char* NewCpuSlab(Cache& cache, CpuSlab& slot, uint32_t cpu) {
    const uint64_t page = slot.slab;
    if (page != 0) {
      // Given up before it is unfrozen: killed between the two, we would leave
      // a CPU with a slab that is the node's.
      __atomic_store_n(&slot.slab, 0, __ATOMIC_RELEASE);
      SlabDescriptor& old = heap_.descriptor(static_cast<uint32_t>(page));
      char* const list = layer_.TakeReturned(cache, old);
      if (list != nullptr) {
        GiveList(cache, old, layer_.Next(cache, old, list));
        __atomic_store_n(&slot.slab, page, __ATOMIC_RELEASE);
        return list;
      }
    }
    const Grab grab = layer_.TakeSlab(cache, cpu, [](const SlabDescriptor&) {});
    if (grab.slab == nullptr) return nullptr;
    GiveList(cache, *grab.slab, layer_.Next(cache, *grab.slab, grab.list));
    __atomic_store_n(&slot.slab, heap_.PageOf(*grab.slab), __ATOMIC_RELEASE);
    return grab.list;
  }

  // A taken list goes back to its slab, which stays the CPU's.
  void GiveList(Cache& cache, SlabDescriptor& slab, char* list) {
    if (list == nullptr) return;
    char* tail = list;
    uint32_t count = 1;
    for (char* next = nullptr; (next = layer_.Next(cache, slab, tail));
         tail = next) {
      ++count;
    }
    SlabView view;
    SlabView next;
    do {
      view = layer_.Load(cache, slab);
      layer_.SetNext(cache, slab, tail, view.freelist);
      next = view;
      next.freelist = list;
      next.inuse = view.inuse - count;
    } while (!layer_.Exchange(cache, slab, view, next));
  }

  bool SetUpCache(Cache& cache) {
    void* slots = heap_.Carve(CpuSlabs::BytesFor(heap_.num_cpus()));
    if (slots == nullptr) return false;
    CpuSlabs::Make(slots, heap_.num_cpus());
    cache.cpu_slots = slots;
    return true;
  }

  template <class Visit>
  void ForEachStatistics(const Cache& cache, Visit visit) const {
    Slots(cache).ForEach([&](const CpuSlab& slot) { visit(slot.stats); });
  }

  bool IsCpuSlab(const Cache& cache, const SlabDescriptor& slab) const {
    bool found = false;
    Slots(cache).ForEach(
        [&](const CpuSlab& slot) { found |= slot.slab == heap_.PageOf(slab); });
    return found;
  }

  template <class Next>
  absl::Status CheckCpus(const Cache&, SlabAudit&, Next) {
    return absl::OkStatus();
  }

  void FlushCache(Cache& cache) {
    Slots(cache).ForEach([&](CpuSlab& slot) {
      if (slot.slab == 0) return;
      SlabDescriptor& slab = heap_.descriptor(static_cast<uint32_t>(slot.slab));
      slot.slab = 0;
      layer_.Deactivate(cache, slab, nullptr);
      Count<kStats>(slot.stats, kCpuslabFlush);
    });
  }

  void RecoverCache(Cache& cache) {
    Slots(cache).ForEach([](CpuSlab& slot) {
      if (slot.lock.IsHeld()) slot.lock.Unlock();
    });
  }
};

}  // namespace hackbench::alloc
