// SPDX-License-Identifier: MIT
// A CPU's part of a cache, as struct kmem_cache_cpu: the slab it allocates
// from, and that slab's free objects, which are the CPU's alone.
#pragma once

#include <cstdint>

#include "alloc/owner_lock.h"
#include "alloc/statistics.h"
#include "atomics/per_cpu.h"
#include "atomics/word.h"

namespace hackbench::alloc {

struct CpuSlab {
  atomics::DoubleWord fast;  // {freelist, tid}, or one packed word.
  uint64_t slab = 0;         // Page of the slab, 0: none.
  // The rest is for slow paths, under `lock`.
  OwnerLock lock;
  uint64_t working = 0;  // Page of the slab the holder of the lock works on.
  alignas(64) Statistics stats;
};

using CpuSlabs = atomics::PerCpu<CpuSlab>;

}  // namespace hackbench::alloc
