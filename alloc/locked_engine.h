// SPDX-License-Identifier: MIT
// One lock per cache and nothing else: every call takes the list lock, pops the
// first partial slab or pushes to the object's. The naive floor.
#pragma once

#include "alloc/slab_base.h"

namespace hackbench::alloc {

template <StatsMode kStats>
class LockedEngine : public SlabBase<LockedEngine<kStats>, PlainSlab, kStats> {
 public:
  using Base = SlabBase<LockedEngine, PlainSlab, kStats>;
  friend Base;
  static constexpr bool kDetachedRuns = false;

  static std::string WhyNot() { return {}; }

  explicit LockedEngine(Heap& heap) : Base(heap) {
    Base::CreateKmallocCaches();
  }

  void* AllocFrom(Cache* cache) {
    char* const object = layer_.AllocOne(*cache);
    if (object == nullptr) {
      heap_.CountFailure();
    } else {
      Count<kStats>(cache->node_stats, kAllocSlowpath);
    }
    return object;
  }

 private:
  using Base::heap_;
  using Base::layer_;

  void FreeTo(Cache& cache, SlabDescriptor& slab, char* object) {
    layer_.FreeUnderListLock(cache, slab, object);
    Count<kStats>(cache.node_stats, kFreeSlowpath);
  }

  bool SetUpCache(Cache&) { return true; }
  template <class Visit>
  void ForEachStatistics(const Cache&, Visit) const {}
  bool IsCpuSlab(const Cache&, const SlabDescriptor&) const { return false; }
  template <class Next>
  absl::Status CheckCpus(const Cache&, SlabAudit&, Next) {
    return absl::OkStatus();
  }
  void FlushCache(Cache&) {}
  void RecoverCache(Cache&) {}
};

}  // namespace hackbench::alloc
