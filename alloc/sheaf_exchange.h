// SPDX-License-Identifier: MIT
// The slow paths of a CPU's sheaf, with its slot detached: what to allocate
// from next, and where to put what does not fit.
//
// A sheaf is always taken out of one place before it is put into another, so a
// worker killed here loses a sheaf and never leaves one in two places.
#pragma once

#include "alloc/sheaf.h"

namespace hackbench::alloc {

// For an allocation that found `main` empty (or 0: none). `refill` fills an
// empty sheaf as far as it can. Returns the new main; it may be empty, or 0.
template <StatsMode kStats, class Refill>
SheafTop SheafToAllocFrom(Heap& heap, Barn& barn, CpuSheaf& slot, SheafTop main,
                          Refill refill) {
  if (main != 0 && !IsEmptySheaf(main)) return main;
  if (slot.spare != 0 && !IsEmptySheaf(slot.spare)) {
    const SheafTop spare = slot.spare;
    __atomic_store_n(&slot.spare, main, __ATOMIC_RELEASE);
    return spare;
  }
  const SheafTop full = barn.TakeFull();
  if (full != 0) {
    Count<kStats>(slot.stats, kBarnGet);
    if (main != 0) barn.PutEmpty(main);
    return full;
  }
  Count<kStats>(slot.stats, kBarnGetFail);
  if (main == 0 && slot.spare != 0) {
    main = slot.spare;
    __atomic_store_n(&slot.spare, 0, __ATOMIC_RELEASE);
  }
  if (main == 0) main = barn.EmptySheaf(heap);
  if (main == 0) return 0;
  refill(main);
  Count<kStats>(slot.stats, kSheafRefill);
  return main;
}

// For a free that found `main` full (or 0: none). `flush` empties a sheaf into
// where its objects came from. Returns a main with room, or 0.
template <StatsMode kStats, class FlushInto>
SheafTop SheafToFreeTo(Heap& heap, Barn& barn, CpuSheaf& slot, SheafTop main,
                       FlushInto flush) {
  if (main != 0 && !IsFullSheaf(main)) return main;
  if (main == 0) {
    main = slot.spare;
    __atomic_store_n(&slot.spare, 0, __ATOMIC_RELEASE);
    if (main == 0) main = barn.EmptySheaf(heap);
    if (main == 0 || !IsFullSheaf(main)) return main;
  }
  if (slot.spare != 0 && !IsFullSheaf(slot.spare)) {
    const SheafTop spare = slot.spare;
    __atomic_store_n(&slot.spare, main, __ATOMIC_RELEASE);
    return spare;
  }
  if (slot.spare == 0) {
    const SheafTop empty = barn.EmptySheaf(heap);
    if (empty != 0) {
      __atomic_store_n(&slot.spare, main, __ATOMIC_RELEASE);
      return empty;
    }
  } else {
    const SheafTop empty = barn.EmptySheaf(heap);
    if (empty != 0) {
      if (barn.PutFull(main)) {
        Count<kStats>(slot.stats, kBarnPut);
        return empty;
      }
      barn.PutEmpty(empty);
    }
  }
  Count<kStats>(slot.stats, kBarnPutFail);
  Count<kStats>(slot.stats, kSheafFlush);
  flush(main);
  return main;
}

}  // namespace hackbench::alloc
