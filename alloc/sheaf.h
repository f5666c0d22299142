// SPDX-License-Identifier: MIT
// A sheaf: an array of free objects that moves between CPUs without anybody
// touching them, and the barn where full and empty ones wait, as in 6.18.
//
// A sheaf is 512 aligned bytes and is named by its top, the address of the next
// free slot: below it lie the objects, below those a null pointer, and where
// the top is a multiple of 512 the sheaf is full. One word is thus all there is
// to commit. What stands above the top is scratch.
#pragma once

#include <algorithm>
#include <cstdint>

#include "alloc/corruption.h"
#include "alloc/heap.h"
#include "alloc/owner_lock.h"
#include "alloc/slab_word.h"
#include "alloc/statistics.h"

namespace hackbench::alloc {

inline constexpr uint32_t kSheafBytes = 512;
inline constexpr uint32_t kSheafSlots = kSheafBytes / sizeof(uint64_t);

// Objects per sheaf: as many as fill one of the kernel's sheaves.
constexpr uint32_t SheafCapacity(size_t object_bytes) {
  if (object_bytes >= kPageBytes) return 4;
  if (object_bytes >= 1024) return 12;
  if (object_bytes >= 256) return 28;
  return 60;
}

// Never dereferenced as one: a top is a number that says where.
using SheafTop = uint64_t;

inline uint64_t* SlotBelow(SheafTop top) {
  return reinterpret_cast<uint64_t*>(ToPointer(top)) - 1;
}
inline bool IsEmptySheaf(SheafTop top) { return *SlotBelow(top) == 0; }
inline bool IsFullSheaf(SheafTop top) { return top % kSheafBytes == 0; }
inline char* PopSheaf(SheafTop& top) {
  char* const object = ToPointer(*SlotBelow(top));
  top -= sizeof(uint64_t);
  return object;
}
inline void PushSheaf(SheafTop& top, const void* object) {
  *SlotBelow(top + sizeof(uint64_t)) = ToWord(object);
  top += sizeof(uint64_t);
}
// The cheap check: freed twice in a row. What lies below a top is free, so this
// never accuses an object in use, however stale the top.
inline void RefuseTopAgain(const SheafTop& slot, const void* object) {
  const SheafTop top = __atomic_load_n(&slot, __ATOMIC_RELAXED);
  if (*SlotBelow(top) == ToWord(object)) [[unlikely]]
    ReportCorruption("double free", ToWord(object));
}
// Visits what a sheaf holds.
template <class Visit>
void ForEachInSheaf(SheafTop top, Visit visit) {
  for (SheafTop at = top; !IsEmptySheaf(at); at -= sizeof(uint64_t)) {
    visit(ToPointer(*SlotBelow(at)));
  }
}

// What stands in a CPU's place while a slow path has its sheaf: empty and full
// at once, so that every fast path turns away.
class ClosedSheaf {
 public:
  static SheafTop Make(Heap& heap) {
    void* const memory = heap.Carve(2 * kSheafBytes);
    if (memory == nullptr) return 0;
    return (ToWord(memory) + kSheafBytes + kSheafBytes - 1) / kSheafBytes *
           kSheafBytes;
  }
};

inline constexpr uint32_t kBarnFull = 10;
inline constexpr uint32_t kBarnEmpty = 64;

// Of one cache. A thief of the lock finds it in order: a count is the commit of
// each change, and a sheaf is taken out of one place before it is put into
// another.
struct alignas(128) Barn {
  OwnerLock lock;
  uint32_t full_count = 0;
  uint32_t empty_count = 0;
  uint32_t capacity = 0;
  SheafTop full[kBarnFull] = {};
  SheafTop empty[kBarnEmpty] = {};

  SheafTop TakeFull() { return Take(full, full_count); }
  SheafTop TakeEmpty() { return Take(empty, empty_count); }
  bool PutFull(SheafTop sheaf) {
    return Put(full, kBarnFull, full_count, sheaf);
  }
  // One too many is dropped: it only costs its 512 bytes.
  void PutEmpty(SheafTop sheaf) { Put(empty, kBarnEmpty, empty_count, sheaf); }

  // An empty sheaf of the barn or a new one; 0 when there is no room.
  SheafTop EmptySheaf(Heap& heap) {
    const SheafTop sheaf = TakeEmpty();
    if (sheaf != 0) return sheaf;
    if (heap.faults().ShouldFail(FaultSite::kSheaf)) return 0;
    void* const memory = heap.Carve(2 * kSheafBytes);
    if (memory == nullptr) return 0;
    const SheafTop end = (ToWord(memory) + kSheafBytes + kSheafBytes - 1) /
                         kSheafBytes * kSheafBytes;
    // The null pointer below the first of `capacity` slots; memory is zero.
    return end - capacity * sizeof(uint64_t);
  }

 private:
  SheafTop Take(SheafTop* from, uint32_t& count) {
    if (__atomic_load_n(&count, __ATOMIC_RELAXED) == 0) return 0;
    // Stolen or not: see above.
    static_cast<void>(lock.Lock());
    SheafTop sheaf = 0;
    if (count != 0) {
      sheaf = from[count - 1];
      __atomic_store_n(&count, count - 1, __ATOMIC_RELEASE);
    }
    lock.Unlock();
    return sheaf;
  }
  bool Put(SheafTop* to, uint32_t limit, uint32_t& count, SheafTop sheaf) {
    if (__atomic_load_n(&count, __ATOMIC_RELAXED) == limit) return false;
    static_cast<void>(lock.Lock());
    const bool fits = count != limit;
    if (fits) {
      to[count] = sheaf;
      __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
    }
    lock.Unlock();
    return fits;
  }
};

// A CPU's sheaf of one cache.
struct CpuSheaf {
  SheafTop top = 0;
  // For slow paths, under the lock.
  OwnerLock lock;
  SheafTop spare = 0;
  alignas(64) Statistics stats;
};

}  // namespace hackbench::alloc
