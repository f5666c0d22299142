// SPDX-License-Identifier: MIT
// Fault injection, as failslab: makes the n-th allocation of a site fail, and
// every one after it if asked. Shared by all processes of a heap.
#pragma once

#include <cstdint>

namespace hackbench::alloc {

enum class FaultSite : uint32_t {
  kPage,   // A block from the page allocator.
  kSlab,   // A new slab or span.
  kSheaf,  // An empty sheaf.
  kCache,  // A new kmem_cache.
};
inline constexpr uint32_t kNumFaultSites = 4;

class Faults {
 public:
  // The call after `passes` more of them fails; with `and_later` all do.
  void Arm(FaultSite site, uint64_t passes, bool and_later) {
    Site& at = sites_[static_cast<uint32_t>(site)];
    at.later = and_later;
    __atomic_store_n(&at.left, static_cast<int64_t>(passes) + 1,
                     __ATOMIC_RELEASE);
  }
  void Disarm() {
    for (Site& site : sites_) {
      __atomic_store_n(&site.left, 0, __ATOMIC_RELEASE);
      site.later = false;
    }
  }

  // True when the caller must fail.
  bool ShouldFail(FaultSite site) {
    Site& at = sites_[static_cast<uint32_t>(site)];
    // relaxed: a counter that orders nothing.
    if (__atomic_load_n(&at.left, __ATOMIC_RELAXED) == 0) return false;
    const int64_t left = __atomic_sub_fetch(&at.left, 1, __ATOMIC_RELAXED);
    const bool fails = left == 0 || (left < 0 && at.later);
    if (left == 0 && at.later) {
      __atomic_store_n(&at.left, -1, __ATOMIC_RELAXED);  // Stays armed.
    }
    if (fails) __atomic_fetch_add(&fired_, 1, __ATOMIC_RELAXED);
    return fails;
  }

  [[nodiscard]] uint64_t fired() const {
    return __atomic_load_n(&fired_, __ATOMIC_RELAXED);
  }

 private:
  struct Site {
    int64_t left = 0;  // 0: not armed.
    bool later = false;
  };
  Site sites_[kNumFaultSites];
  uint64_t fired_ = 0;
};

}  // namespace hackbench::alloc
