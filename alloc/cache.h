// SPDX-License-Identifier: MIT
// A kmem_cache: objects of one size, cut out of slabs, with the node's list of
// partial slabs. Full slabs and CPU slabs are on no list.
#pragma once

#include <cstdint>

#include "alloc/owner_lock.h"
#include "alloc/page.h"
#include "alloc/statistics.h"

namespace hackbench::alloc {

inline constexpr uint32_t kMaxCaches = 64;
inline constexpr uint32_t kCacheNameBytes = 32;

struct alignas(128) Cache {
  char name[kCacheNameBytes];
  uint32_t id;
  uint32_t object_bytes;  // What was asked for.
  uint32_t size;          // The distance of objects.
  uint32_t objects;       // Per slab of `order`.
  uint32_t order;
  uint32_t min_order;
  uint32_t min_partial;
  // ceil(2^32 / size): object numbers without a division.
  uint64_t reciprocal;
  void* cpu_slots;  // Of the engine.
  // The node. Its readers do not share a line with its lock's waiters.
  alignas(128) OwnerLock list_lock;
  uint32_t partial_head;
  uint32_t partial_tail;
  alignas(64) uint32_t partial_count;
  uint32_t slab_count;
  alignas(128) Statistics node_stats;

  // `offset` is within a slab.
  [[nodiscard]] uint32_t ObjectNumber(uint64_t offset) const {
    return static_cast<uint32_t>(offset * reciprocal >> 32);
  }
};

}  // namespace hackbench::alloc
