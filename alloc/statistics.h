// SPDX-License-Identifier: MIT
// SLUB's statistics, under its names, counted per CPU and cache.
//
// kOff counts nothing. kRacy adds without a lock, about one cycle, and may lose
// counts to preemption, as the kernel's own. kExact adds atomically, about ten
// cycles: for tests, whose identities hold exactly.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace hackbench::alloc {

enum class StatsMode { kOff, kRacy, kExact };

enum Stat : uint32_t {
  kAllocFastpath,
  kAllocSlowpath,
  kFreeFastpath,
  kFreeSlowpath,
  kFreeFrozen,
  kFreeAddPartial,
  kFreeRemovePartial,
  kAllocFromPartial,
  kAllocSlab,
  kAllocRefill,
  kFreeSlab,
  kCpuslabFlush,
  kDeactivateFull,
  kDeactivateEmpty,
  kDeactivateToTail,
  kDeactivateBypass,
  kOrderFallback,
  kCmpxchgDoubleCpuFail,
  kCmpxchgDoubleFail,
  kSheafFlush,
  kSheafRefill,
  kSheafAlloc,
  kSheafFree,
  kBarnGet,
  kBarnGetFail,
  kBarnPut,
  kBarnPutFail,
  kLockStolen,  // Ours: a lock of a dead worker was taken over.
  kNumStats
};

inline constexpr std::array<std::string_view, kNumStats> kStatNames = {
    "alloc_fastpath",      "alloc_slowpath",     "free_fastpath",
    "free_slowpath",       "free_frozen",        "free_add_partial",
    "free_remove_partial", "alloc_from_partial", "alloc_slab",
    "alloc_refill",        "free_slab",          "cpuslab_flush",
    "deactivate_full",     "deactivate_empty",   "deactivate_to_tail",
    "deactivate_bypass",   "order_fallback",     "cmpxchg_double_cpu_fail",
    "cmpxchg_double_fail", "sheaf_flush",        "sheaf_refill",
    "sheaf_alloc",         "sheaf_free",         "barn_get",
    "barn_get_fail",       "barn_put",           "barn_put_fail",
    "lock_stolen",
};

struct Statistics {
  std::array<uint64_t, kNumStats> counts{};

  uint64_t operator[](Stat stat) const { return counts[stat]; }
  [[nodiscard]] uint64_t allocs() const {
    return counts[kAllocFastpath] + counts[kAllocSlowpath];
  }
  [[nodiscard]] uint64_t frees() const {
    return counts[kFreeFastpath] + counts[kFreeSlowpath];
  }
};

template <StatsMode kMode>
[[gnu::always_inline]] inline void Count(Statistics& statistics, Stat stat,
                                         uint64_t by = 1) {
  uint64_t& count = statistics.counts[stat];
  if constexpr (kMode == StatsMode::kExact) {
    __atomic_fetch_add(&count, by, __ATOMIC_RELAXED);  // Orders nothing.
  } else if constexpr (kMode == StatsMode::kRacy) {
    volatile uint64_t& racy = count;
    racy = racy + by;
  }
}

}  // namespace hackbench::alloc
