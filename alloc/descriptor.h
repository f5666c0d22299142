// SPDX-License-Identifier: MIT
// What is known of a page, out of band: one line per page in an array beside
// the pages, as the kernel's struct page and struct slab. Headers inside the
// pages would all map to one set of the L1 cache and cost large objects their
// neighbour.
#pragma once

#include <cstdint>

#include "alloc/owner_lock.h"
#include "alloc/page.h"
#include "atomics/word.h"

namespace hackbench::alloc {

enum class PageKind : uint8_t {
  kNone,       // The buddy's, or a block that is just changing hands.
  kOnCpuList,  // On a per-CPU page list.
  kSlab,
  kDiscarded,  // A slab on its way to the page allocator.
  kLarge,      // Handed out whole.
  kSpan,       // A span owned by a CPU.
  kSheaves,    // Cut into sheaves.
};

// Of a block of several pages the first descriptor counts; the others only say
// which one that is.
struct alignas(64) SlabDescriptor {
  // {freelist, counters} of a slab, or one packed word: slab_word.h.
  atomics::DoubleWord word;
  // What a holder of the slab lock is about to store into `word`. A thief of
  // the lock stores it again.
  atomics::DoubleWord redo;
  OwnerLock lock;
  uint32_t next;  // Page on the same list, kNoPage at its end.
  uint32_t prev;
  uint32_t head;  // The block's first page.
  uint16_t cache;
  uint16_t objects;
  uint16_t owner;  // CPU + 1 while it is some CPU's slab.
  PageKind kind;
  uint8_t order;
  bool redo_valid;
  bool on_partial;
};
static_assert(sizeof(SlabDescriptor) == 64);

}  // namespace hackbench::alloc
