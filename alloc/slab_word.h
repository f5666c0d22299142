// SPDX-License-Identifier: MIT
// The word of a slab that says which of its objects are free, in the four forms
// the engines choose from, behind one interface:
//
//   Load                a view, possibly torn; the exchange judges it
//   Exchange            from one view to another, false when it was not the one
//   GetLink, SetLink    the free pointer inside a free object
//   Repair              finishes what a dead worker began
//
// A view names the free list's head, the objects in use, and whether a CPU has
// the slab to itself (frozen). Each exchange steps a generation of at least 35
// bits, so that a list which changed and changed back does not pass for
// untouched; 24 bits would wrap within one preemption.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "alloc/cache.h"
#include "alloc/descriptor.h"
#include "alloc/heap.h"
#include "atomics/cmpxchg.h"

namespace hackbench::alloc {

struct SlabView {
  char* freelist = nullptr;
  uint32_t inuse = 0;
  uint32_t cache = 0;
  bool frozen = false;
  uint64_t generation = 0;
};

inline char* ToPointer(uint64_t bits) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a word that keeps a pointer.
  return reinterpret_cast<char*>(bits);
}
inline uint64_t ToWord(const void* pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

// {inuse:13, cache:8, frozen:1, generation:41}; bit 63 stays clear.
struct Counters {
  static constexpr unsigned kInuseBits = 13;
  static constexpr unsigned kCacheBits = 8;
  static constexpr unsigned kGenerationShift = kInuseBits + kCacheBits + 1;
  static constexpr uint64_t kGenerationMask = (uint64_t{1} << 41) - 1;
  static_assert(kMaxCaches <= 1U << kCacheBits);

  static uint64_t Pack(const SlabView& view) {
    return view.inuse | uint64_t{view.cache} << kInuseBits |
           uint64_t{view.frozen} << (kInuseBits + kCacheBits) |
           (view.generation & kGenerationMask) << kGenerationShift;
  }
  static SlabView Unpack(atomics::DoubleWord word) {
    SlabView view;
    view.freelist = ToPointer(word.first);
    view.inuse = word.second & ((1U << kInuseBits) - 1);
    view.cache = word.second >> kInuseBits & ((1U << kCacheBits) - 1);
    view.frozen = (word.second >> (kInuseBits + kCacheBits) & 1) != 0;
    view.generation = word.second >> kGenerationShift & kGenerationMask;
    return view;
  }
  static atomics::DoubleWord Words(const SlabView& view) {
    return {ToWord(view.freelist), Pack(view)};
  }
};

// relaxed: a link may be read while its object is being written by the owner it
// was just given to; the exchange that follows fails then.
inline uint64_t LoadLink(const void* object) {
  return __atomic_load_n(static_cast<const uint64_t*>(object),
                         __ATOMIC_RELAXED);
}
inline void StoreLink(void* object, uint64_t link) {
  __atomic_store_n(static_cast<uint64_t*>(object), link, __ATOMIC_RELAXED);
}

struct PlainLink {
  static char* Get(const Heap&, const void* object) {
    return ToPointer(LoadLink(object));
  }
  static void Set(const Heap&, void* object, const void* next) {
    StoreLink(object, ToWord(next));
  }
};

// SLAB_FREELIST_HARDENED: an overwritten free object does not lead anywhere
// the attacker chose.
struct HardenedLink {
  static uint64_t Code(const Heap& heap, const void* object) {
    return heap.secret() ^ __builtin_bswap64(ToWord(object));
  }
  static char* Get(const Heap& heap, const void* object) {
    return ToPointer(LoadLink(object) ^ Code(heap, object));
  }
  static void Set(const Heap& heap, void* object, const void* next) {
    StoreLink(object, ToWord(next) ^ Code(heap, object));
  }
};

// The links of every form but the packed one.
template <class Link>
struct PointerLinks {
  static char* GetLink(const Heap& heap, const Cache&, const SlabDescriptor&,
                       const void* object) {
    return Link::Get(heap, object);
  }
  static void SetLink(const Heap& heap, const Cache&, const SlabDescriptor&,
                      void* object, const void* next) {
    Link::Set(heap, object, next);
  }
};

// 881db7fb03a7: both words by one cmpxchg_double.
template <class Link = PlainLink, class Double = atomics::DoubleOps>
struct DoubleSlab : PointerLinks<Link> {
  static constexpr std::string_view kName = "cmpxchg_double";
  static std::string WhyNot() { return std::string(Double::WhyNot()); }

  static SlabView Load(const Heap&, const Cache&, const SlabDescriptor& slab) {
    return Counters::Unpack(Double::Load(&slab.word));
  }
  static bool Exchange(const Heap&, const Cache&, SlabDescriptor& slab,
                       const SlabView& from, SlabView to) {
    to.generation = from.generation + 1;
    return atomics::CmpxchgDouble<atomics::Order::kFull, Double>(
        &slab.word, Counters::Words(from), Counters::Words(to));
  }
  static void Repair(SlabDescriptor&) {}
};

// Two stores under a lock the caller holds. What is to be stored stands in the
// descriptor first, so that a thief of the lock can finish it.
struct PlainSlab : PointerLinks<PlainLink> {
  static constexpr std::string_view kName = "list lock";
  static std::string WhyNot() { return {}; }

  static SlabView Load(const Heap&, const Cache&, const SlabDescriptor& slab) {
    return Counters::Unpack(atomics::LoadTorn(&slab.word));
  }
  static bool Exchange(const Heap&, const Cache&, SlabDescriptor& slab,
                       const SlabView& from, SlabView to) {
    const atomics::DoubleWord seen = atomics::LoadTorn(&slab.word);
    if (!(seen == Counters::Words(from))) return false;
    to.generation = from.generation + 1;
    slab.redo = Counters::Words(to);
    // release: whoever sees it valid sees what to do.
    __atomic_store_n(&slab.redo_valid, true, __ATOMIC_RELEASE);
    Store(slab);
    return true;
  }
  static void Repair(SlabDescriptor& slab) {
    if (__atomic_load_n(&slab.redo_valid, __ATOMIC_ACQUIRE)) Store(slab);
  }

 private:
  static void Store(SlabDescriptor& slab) {
    __atomic_store_n(&slab.word.first, slab.redo.first, __ATOMIC_RELEASE);
    __atomic_store_n(&slab.word.second, slab.redo.second, __ATOMIC_RELEASE);
    __atomic_store_n(&slab.redo_valid, false, __ATOMIC_RELEASE);
  }
};

// slab_lock(): the same under a lock of the slab, taken for each exchange.
struct BitLockSlab : PlainSlab {
  static constexpr std::string_view kName = "slab lock";

  static bool Exchange(const Heap& heap, const Cache& cache,
                       SlabDescriptor& slab, const SlabView& from,
                       const SlabView& to) {
    if (slab.lock.Lock()) PlainSlab::Repair(slab);
    const bool equal = PlainSlab::Exchange(heap, cache, slab, from, to);
    slab.lock.Unlock();
    return equal;
  }
  static void Repair(SlabDescriptor& slab) {
    const Taken taken = slab.lock.TryLock();
    if (taken == Taken::kStolen) PlainSlab::Repair(slab);
    if (taken != Taken::kNo) slab.lock.Unlock();
  }
};

// For CPUs without a double-word exchange: {head number:11, inuse:11, frozen:1,
// cache:6, generation:35} in eight bytes. Objects are numbered from 1, and the
// links are such numbers.
struct PackedSlab {
  static constexpr std::string_view kName = "packed64";
  static constexpr unsigned kNumberBits = 11;
  static constexpr unsigned kFrozenShift = 2 * kNumberBits;
  static constexpr unsigned kCacheShift = kFrozenShift + 1;
  static constexpr unsigned kCacheBits = 6;
  static constexpr unsigned kGenerationShift = kCacheShift + kCacheBits;
  static constexpr uint64_t kNumberMask = (1U << kNumberBits) - 1;
  static constexpr uint64_t kGenerationMask = (uint64_t{1} << 35) - 1;
  static_assert(kMaxCaches <= 1U << kCacheBits && kGenerationShift == 29);

  static std::string WhyNot() { return {}; }

  static uint64_t NumberOf(const Heap& heap, const Cache& cache,
                           const SlabDescriptor& slab, const void* object) {
    if (object == nullptr) return 0;
    const char* start = heap.AddressOf(heap.PageOf(slab));
    return cache.ObjectNumber(static_cast<uint64_t>(
               static_cast<const char*>(object) - start)) +
           1;
  }
  static char* ObjectOf(const Heap& heap, const Cache& cache,
                        const SlabDescriptor& slab, uint64_t number) {
    if (number == 0) return nullptr;
    return heap.AddressOf(heap.PageOf(slab)) + (number - 1) * cache.size;
  }

  static SlabView Load(const Heap& heap, const Cache& cache,
                       const SlabDescriptor& slab) {
    const uint64_t word = __atomic_load_n(&slab.word.first, __ATOMIC_ACQUIRE);
    SlabView view;
    view.freelist = ObjectOf(heap, cache, slab, word & kNumberMask);
    view.inuse = static_cast<uint32_t>(word >> kNumberBits & kNumberMask);
    view.frozen = (word >> kFrozenShift & 1) != 0;
    view.cache = static_cast<uint32_t>(word >> kCacheShift) & (kMaxCaches - 1);
    view.generation = word >> kGenerationShift & kGenerationMask;
    return view;
  }
  static uint64_t Pack(const Heap& heap, const Cache& cache,
                       const SlabDescriptor& slab, const SlabView& view) {
    return NumberOf(heap, cache, slab, view.freelist) |
           uint64_t{view.inuse} << kNumberBits |
           uint64_t{view.frozen} << kFrozenShift |
           uint64_t{view.cache} << kCacheShift |
           (view.generation & kGenerationMask) << kGenerationShift;
  }
  static bool Exchange(const Heap& heap, const Cache& cache,
                       SlabDescriptor& slab, const SlabView& from,
                       SlabView to) {
    to.generation = from.generation + 1;
    uint64_t expected = Pack(heap, cache, slab, from);
    return atomics::Cmpxchg64(&slab.word.first, expected,
                              Pack(heap, cache, slab, to));
  }
  static void Repair(SlabDescriptor&) {}

  static char* GetLink(const Heap& heap, const Cache& cache,
                       const SlabDescriptor& slab, const void* object) {
    return ObjectOf(heap, cache, slab, LoadLink(object) & kNumberMask);
  }
  static void SetLink(const Heap& heap, const Cache& cache,
                      const SlabDescriptor& slab, void* object,
                      const void* next) {
    StoreLink(object, NumberOf(heap, cache, slab, next));
  }
};

}  // namespace hackbench::alloc
