// SPDX-License-Identifier: MIT
// The slow paths that all slab engines share: new slabs, the node's list of
// partial slabs, frees to a slab that is nobody's, and the way of a slab
// between a CPU and the node, as in SLUB since 3.1.
//
// The list lock is taken only when a slab changes its place: it becomes
// partial, empty, or some CPU's. Whoever steals it from a dead worker rebuilds
// the list from the descriptors, which always tell the truth: a slab belongs on
// it if it is not frozen and has free objects.
#pragma once

#include "alloc/corruption.h"
#include "alloc/heap.h"
#include "alloc/slab_word.h"
#include "alloc/statistics.h"

namespace hackbench::alloc {

// A slab a CPU may have, and the free objects taken off it.
struct Grab {
  SlabDescriptor* slab = nullptr;
  char* list = nullptr;
};

template <class Ops, StatsMode kStats>
class SlabLayer {
 public:
  explicit SlabLayer(Heap& heap) : heap_(heap) {}

  // A frozen slab of `cpu` with all its objects as a list; no slab at the
  // limit. `on_claim` is told of the slab before it is claimed.
  template <class OnClaim>
  Grab TakeSlab(Cache& cache, uint32_t cpu, OnClaim on_claim) {
    Grab grab = TakePartial(cache, cpu, on_claim);
    return grab.slab != nullptr ? grab : NewSlab(cache, cpu, on_claim);
  }

  // The first partial slab, frozen for `cpu`, with its free list taken.
  template <class OnClaim>
  Grab TakePartial(Cache& cache, uint32_t cpu, OnClaim on_claim) {
    if (__atomic_load_n(&cache.partial_head, __ATOMIC_RELAXED) == kNoPage) {
      return {};  // relaxed: a glance; a slab that comes later is not missed.
    }
    LockList(cache);
    Grab grab;
    if (cache.partial_head != kNoPage) {
      grab.slab = &heap_.descriptor(cache.partial_head);
      on_claim(*grab.slab);
      SlabView view;
      SlabView taken;
      do {
        view = Load(cache, *grab.slab);
        taken = view;
        taken.freelist = nullptr;
        taken.inuse = grab.slab->objects;
        taken.frozen = true;
      } while (!Exchange(cache, *grab.slab, view, taken));
      grab.list = view.freelist;
      grab.slab->owner = static_cast<uint16_t>(cpu + 1);
      RemovePartial(cache, *grab.slab);
      Count<kStats>(cache.node_stats, kAllocFromPartial);
    }
    cache.list_lock.Unlock();
    return grab;
  }

  template <class OnClaim>
  Grab NewSlab(Cache& cache, uint32_t cpu, OnClaim on_claim) {
    SlabDescriptor* slab = AllocSlab(cache);
    if (slab == nullptr) return {};
    on_claim(*slab);
    slab->owner = static_cast<uint16_t>(cpu + 1);
    char* list = LinkAll(cache, *slab);
    Publish(cache, *slab,
            {.freelist = nullptr,
             .inuse = slab->objects,
             .cache = cache.id,
             .frozen = true});
    return {slab, list};
  }

  // What came back to a CPU's slab since its list was taken. Nothing: the slab
  // is full and is not that CPU's any more.
  char* TakeReturned(Cache& cache, SlabDescriptor& slab) {
    for (;;) {
      const SlabView view = Load(cache, slab);
      SlabView next = view;
      next.freelist = nullptr;
      next.inuse = slab.objects;
      next.frozen = view.freelist != nullptr;
      // Gives up the claim before the slab can be another's.
      const uint16_t owner = slab.owner;
      if (!next.frozen) slab.owner = 0;
      if (Exchange(cache, slab, view, next)) {
        Count<kStats>(cache.node_stats,
                      next.frozen ? kAllocRefill : kDeactivateBypass);
        return view.freelist;
      }
      slab.owner = owner;
    }
  }

  // Takes a slab away from its CPU. `list` is what the CPU had not given out.
  void Deactivate(Cache& cache, SlabDescriptor& slab, char* list) {
    uint32_t count = 0;
    char* tail = nullptr;
    for (char* at = list; at != nullptr; at = Next(cache, slab, at)) {
      if (++count > slab.objects) {
        ReportCorruption("a CPU's free list is longer than its slab",
                         ToWord(list));
      }
      tail = at;
    }
    slab.owner = 0;
    LockList(cache);
    SlabView next;
    for (;;) {
      const SlabView view = Load(cache, slab);
      if (count > view.inuse) {
        ReportCorruption("more objects come back than are in use",
                         ToWord(list));
      }
      next = view;
      next.inuse = view.inuse - count;
      next.frozen = false;
      if (tail != nullptr) {
        SetNext(cache, slab, tail, view.freelist);
        next.freelist = list;
      }
      if (Exchange(cache, slab, view, next)) break;
    }
    Count<kStats>(cache.node_stats, next.inuse == 0 ? kDeactivateEmpty
                                    : next.freelist == nullptr
                                        ? kDeactivateFull
                                        : kDeactivateToTail);
    const bool discard =
        next.inuse == 0 && cache.partial_count >= cache.min_partial;
    if (discard) {
      slab.kind = PageKind::kDiscarded;
    } else if (next.freelist != nullptr) {
      AddPartial(cache, slab);
    }
    cache.list_lock.Unlock();
    if (discard) FreeSlab(cache, slab);
  }

  // A detached list of `count` objects, all of one slab, goes back by a single
  // exchange.
  [[gnu::noinline]] void Free(Cache& cache, SlabDescriptor& slab, char* head,
                              char* tail, uint32_t count) {
    bool locked = false;
    SlabView view;
    SlabView next;
    bool was_full = false;
    for (;;) {
      view = Load(cache, slab);
      if (view.freelist == head) {
        ReportCorruption("double free", ToWord(head));
      }
      SetNext(cache, slab, tail, view.freelist);
      next = view;
      next.freelist = head;
      next.inuse = view.inuse - count;
      was_full = view.freelist == nullptr;
      // Its place on the list will change: under the lock.
      if (!view.frozen && (was_full || next.inuse == 0) && !locked) {
        LockList(cache);
        locked = true;
        continue;
      }
      if (count > view.inuse) {
        ReportCorruption("an object is freed that is not in use", ToWord(head));
      }
      if (Exchange(cache, slab, view, next)) break;
      Count<kStats>(cache.node_stats, kCmpxchgDoubleFail);
    }
    if (view.frozen) Count<kStats>(cache.node_stats, kFreeFrozen, count);
    if (!locked) return;
    const bool discard =
        !view.frozen && PutInPlace(cache, slab, was_full, next.inuse == 0);
    cache.list_lock.Unlock();
    if (discard) FreeSlab(cache, slab);
  }

  // One object from the node, whoever owns this CPU: for callers that found
  // their CPU's structures busy, and for engines that have none.
  char* AllocOne(Cache& cache) {
    char* object = PopPartial(cache);
    if (object != nullptr) return object;
    const Grab grab = NewSlab(cache, 0, [](SlabDescriptor&) {});
    if (grab.slab == nullptr) return nullptr;
    Deactivate(cache, *grab.slab, Next(cache, *grab.slab, grab.list));
    return grab.list;
  }

  // The same and Free() with every exchange under the list lock, which is then
  // the only lock there is.
  void FreeUnderListLock(Cache& cache, SlabDescriptor& slab, char* object) {
    LockList(cache);
    const SlabView view = Load(cache, slab);
    if (view.freelist == object) {
      ReportCorruption("double free", ToWord(object));
    }
    if (view.inuse == 0) {
      ReportCorruption("an object is freed that is not in use", ToWord(object));
    }
    SetNext(cache, slab, object, view.freelist);
    SlabView next = view;
    next.freelist = object;
    --next.inuse;
    Exchange(cache, slab, view, next);
    const bool discard =
        PutInPlace(cache, slab, view.freelist == nullptr, next.inuse == 0);
    cache.list_lock.Unlock();
    if (discard) FreeSlab(cache, slab);
  }

  SlabView Load(const Cache& cache, const SlabDescriptor& slab) const {
    return Ops::Load(heap_, cache, slab);
  }
  bool Exchange(const Cache& cache, SlabDescriptor& slab, const SlabView& from,
                const SlabView& to) {
    return Ops::Exchange(heap_, cache, slab, from, to);
  }
  char* Next(const Cache& cache, const SlabDescriptor& slab,
             const void* object) const {
    return Ops::GetLink(heap_, cache, slab, object);
  }
  void SetNext(const Cache& cache, const SlabDescriptor& slab, void* object,
               const void* next) {
    Ops::SetLink(heap_, cache, slab, object, next);
  }

  void LockList(Cache& cache) {
    if (!cache.list_lock.Lock()) return;
    Count<kStats>(cache.node_stats, kLockStolen);
    RebuildPartial(cache);
  }
  // The list as the descriptors say it must be. With the list lock held.
  void RebuildPartial(Cache& cache) {
    cache.partial_head = kNoPage;
    cache.partial_tail = kNoPage;
    cache.partial_count = 0;
    const uint32_t grown = heap_.pages().zone().grown;
    for (uint32_t page = 1; page < grown; ++page) {
      SlabDescriptor& slab = heap_.descriptor(page);
      if (slab.kind != PageKind::kSlab || slab.cache != cache.id) continue;
      Ops::Repair(slab);
      slab.on_partial = false;
      const SlabView view = Load(cache, slab);
      if (!view.frozen && view.freelist != nullptr) AddPartial(cache, slab);
    }
  }
  void AddPartial(Cache& cache, SlabDescriptor& slab) {
    const uint32_t page = heap_.PageOf(slab);
    slab.prev = cache.partial_tail;
    slab.next = kNoPage;
    slab.on_partial = true;
    if (cache.partial_tail == kNoPage) {
      __atomic_store_n(&cache.partial_head, page, __ATOMIC_RELAXED);
    } else {
      heap_.descriptor(cache.partial_tail).next = page;
    }
    cache.partial_tail = page;
    ++cache.partial_count;
  }
  void RemovePartial(Cache& cache, SlabDescriptor& slab) {
    if (slab.prev == kNoPage) {
      __atomic_store_n(&cache.partial_head, slab.next, __ATOMIC_RELAXED);
    } else {
      heap_.descriptor(slab.prev).next = slab.next;
    }
    if (slab.next == kNoPage) {
      cache.partial_tail = slab.prev;
    } else {
      heap_.descriptor(slab.next).prev = slab.prev;
    }
    slab.on_partial = false;
    --cache.partial_count;
  }

  // Gives all empty slabs of the list back. Slabs freed.
  uint32_t Shrink(Cache& cache) {
    uint32_t freed = 0;
    LockList(cache);
    for (uint32_t page = cache.partial_head; page != kNoPage;) {
      SlabDescriptor& slab = heap_.descriptor(page);
      page = slab.next;
      if (Load(cache, slab).inuse != 0) continue;
      RemovePartial(cache, slab);
      slab.kind = PageKind::kDiscarded;
      FreeSlab(cache, slab);
      ++freed;
    }
    cache.list_lock.Unlock();
    return freed;
  }

 private:
  SlabDescriptor* AllocSlab(Cache& cache) {
    if (heap_.faults().ShouldFail(FaultSite::kSlab)) return nullptr;
    unsigned order = cache.order;
    uint32_t page = heap_.pages().Alloc(order);
    if (page == kNoPage && cache.min_order < order) {
      order = cache.min_order;
      page = heap_.pages().Alloc(order);
      if (page != kNoPage) Count<kStats>(cache.node_stats, kOrderFallback);
    }
    if (page == kNoPage) return nullptr;
    SlabDescriptor& slab = heap_.descriptor(page);
    slab.cache = static_cast<uint16_t>(cache.id);
    slab.objects = static_cast<uint16_t>((kPageBytes << order) / cache.size);
    slab.on_partial = false;
    for (uint32_t i = 0; i < 1U << order; ++i) {
      heap_.descriptor(page + i).head = page;
    }
    __atomic_fetch_add(&cache.slab_count, 1, __ATOMIC_RELAXED);  // A counter.
    Count<kStats>(cache.node_stats, kAllocSlab);
    return &slab;
  }

  // All objects as one list, in order of addresses.
  char* LinkAll(Cache& cache, SlabDescriptor& slab) {
    char* const first = heap_.AddressOf(heap_.PageOf(slab));
    char* const last = first + size_t{cache.size} * (slab.objects - 1U);
    if constexpr (requires { Ops::InitSlot(cache, first); }) {
      for (char* at = first; at <= last; at += cache.size) {
        Ops::InitSlot(cache, at);
      }
    }
    for (char* at = first; at != last; at += cache.size) {
      SetNext(cache, slab, at, at + cache.size);
    }
    SetNext(cache, slab, last, nullptr);
    return first;
  }

  // The word of a new slab. Its generation goes on from the page's last use, so
  // that nobody takes the new slab for the old one.
  void Publish(Cache& cache, SlabDescriptor& slab, SlabView view) {
    const SlabView before = Load(cache, slab);
    view.generation = before.generation;
    Exchange(cache, slab, before, view);
    PageKind kind = PageKind::kSlab;
    __atomic_store(&slab.kind, &kind, __ATOMIC_RELEASE);
  }

  // With the list lock held, after a free to a slab that is no CPU's. True when
  // the caller must give the slab back.
  bool PutInPlace(Cache& cache, SlabDescriptor& slab, bool was_full,
                  bool empty) {
    if (empty && cache.partial_count >= cache.min_partial) {
      if (!was_full) {
        RemovePartial(cache, slab);
        Count<kStats>(cache.node_stats, kFreeRemovePartial);
      }
      slab.kind = PageKind::kDiscarded;
      return true;
    }
    if (was_full) {
      AddPartial(cache, slab);
      Count<kStats>(cache.node_stats, kFreeAddPartial);
    }
    return false;
  }

  char* PopPartial(Cache& cache) {
    LockList(cache);
    char* object = nullptr;
    if (cache.partial_head != kNoPage) {
      SlabDescriptor& slab = heap_.descriptor(cache.partial_head);
      SlabView view;
      SlabView next;
      do {
        view = Load(cache, slab);
        next = view;
        next.freelist = Next(cache, slab, view.freelist);
        ++next.inuse;
      } while (!Exchange(cache, slab, view, next));
      object = view.freelist;
      if (next.freelist == nullptr) RemovePartial(cache, slab);
    }
    cache.list_lock.Unlock();
    return object;
  }

  void FreeSlab(Cache& cache, SlabDescriptor& slab) {
    __atomic_fetch_sub(&cache.slab_count, 1, __ATOMIC_RELAXED);  // A counter.
    Count<kStats>(cache.node_stats, kFreeSlab);
    heap_.pages().Free(heap_.PageOf(slab), slab.order);
  }

  Heap& heap_;
};

}  // namespace hackbench::alloc
