// SPDX-License-Identifier: MIT
// What the slab engines share around their fast paths: the kmalloc caches,
// large blocks, sizes, bulk calls in runs, statistics and the audit.
//
// `Engine` derives from this and adds AllocFrom(cache), FreeTo(cache, slab,
// object) and FlushCache(cache), and ForEachCpuSlab for the audit.
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include "alloc/engine.h"
#include "alloc/slab_audit.h"
#include "alloc/slab_layer.h"

namespace hackbench::alloc {

template <class Engine, class Ops, StatsMode kStats>
class SlabBase {
 public:
  explicit SlabBase(Heap& heap) : heap_(heap), layer_(heap) {}

  [[gnu::always_inline]] void* Alloc(size_t bytes) {
    if (bytes > kMaxKmallocBytes) [[unlikely]]
      return heap_.AllocLarge(bytes);
    return AllocOfClass(ClassFor(bytes));
  }
  // Of the kmalloc classes.
  [[gnu::always_inline]] void* AllocOfClass(unsigned c) {
    return self().AllocFrom(kmalloc_[c]);
  }

  [[gnu::always_inline]] void Free(void* object) {
    if (object == nullptr) return;
    SlabDescriptor& slab = heap_.SlabOf(object);
    if (slab.kind == PageKind::kSlab) [[likely]] {
      self().FreeTo(heap_.cache(slab.cache), slab, static_cast<char*>(object));
    } else {
      FreeOther(slab, object);
    }
  }

  size_t AllocBulk(size_t bytes, size_t count, void** objects) {
    for (size_t i = 0; i < count; ++i) {
      objects[i] = Alloc(bytes);
      if (objects[i] == nullptr) return i;
    }
    return count;
  }

  // Neighbours of one slab go back as one detached list with one exchange.
  void FreeBulk(size_t count, void** objects) {
    for (size_t i = 0; i < count;) {
      if (objects[i] == nullptr) {
        ++i;
        continue;
      }
      SlabDescriptor& slab = heap_.SlabOf(objects[i]);
      if (slab.kind != PageKind::kSlab) {
        FreeOther(slab, objects[i++]);
        continue;
      }
      i += FreeRun(slab, objects + i, count - i);
    }
  }

  size_t UsableSize(void* object) const {
    if (object == nullptr) return 0;
    const SlabDescriptor& slab = heap_.SlabOf(object);
    return slab.kind == PageKind::kSlab ? heap_.cache(slab.cache).size
                                        : kPageBytes << slab.order;
  }

  absl::StatusOr<Cache*> CreateCache(std::string_view name, size_t bytes) {
    absl::StatusOr<Cache*> cache = heap_.CreateCache(name, SlotFor(bytes));
    if (!cache.ok()) return cache;
    (*cache)->object_bytes = static_cast<uint32_t>(bytes);
    if (!self().SetUpCache(**cache)) {
      return absl::ResourceExhaustedError(
          "no room for the per-CPU part of another cache");
    }
    return cache;
  }

  Statistics Stats() {
    Statistics sum;
    for (uint32_t id = 0; id < heap_.num_caches(); ++id) {
      Add(sum, heap_.cache(id).node_stats);
      self().ForEachStatistics(heap_.cache(id),
                               [&](const Statistics& more) { Add(sum, more); });
    }
    return sum;
  }

  void Flush() {
    for (uint32_t id = 0; id < heap_.num_caches(); ++id) {
      self().FlushCache(heap_.cache(id));
      layer_.Shrink(heap_.cache(id));
    }
    heap_.pages().DrainCpuLists();
  }

  // Finishes what the dead began and puts every slab where it belongs.
  void Recover() {
    for (uint32_t id = 0; id < heap_.num_caches(); ++id) {
      Cache& cache = heap_.cache(id);
      // Taken for good or stolen: the list is rebuilt in any case.
      static_cast<void>(cache.list_lock.Lock());
      heap_.ForEachBlock([&](SlabDescriptor& slab) {
        if (slab.kind == PageKind::kSlab && slab.cache == id) Ops::Repair(slab);
      });
      cache.list_lock.Unlock();
      self().RecoverCache(cache);
      heap_.ForEachBlock([&](SlabDescriptor& slab) {
        if (slab.kind != PageKind::kSlab || slab.cache != id) return;
        if (layer_.Load(cache, slab).frozen && !self().IsCpuSlab(cache, slab)) {
          layer_.Deactivate(cache, slab, nullptr);
        }
      });
      static_cast<void>(cache.list_lock.Lock());
      layer_.RebuildPartial(cache);
      cache.list_lock.Unlock();
    }
    heap_.pages().Recover();
  }

  absl::StatusOr<Audit> Check() {
    absl::StatusOr<Audit> audit = AuditHeap(heap_);
    if (!audit.ok()) return audit;
    for (uint32_t id = 0; id < heap_.num_caches(); ++id) {
      Cache& cache = heap_.cache(id);
      SlabAudit slabs(heap_, cache);
      const absl::Status status = CheckCache(cache, slabs);
      if (!status.ok()) return status;
      audit->slabs += slabs.slabs();
      audit->objects_free += slabs.objects_free();
      audit->objects_used += slabs.objects_used();
    }
    return audit;
  }

  Heap& heap() { return heap_; }

 protected:
  // Called by the engine's constructor, once it can set caches up.
  void CreateKmallocCaches() {
    for (unsigned i = 0; i < kNumKmallocClasses; ++i) {
      const absl::StatusOr<Cache*> cache = CreateCache(
          "kmalloc-" + std::to_string(kClassBytes[i]), kClassBytes[i]);
      if (!cache.ok()) ReportCorruption("no room for the kmalloc caches", i);
      kmalloc_[i] = *cache;
    }
  }

  Heap& heap_;
  SlabLayer<Ops, kStats> layer_;

 private:
  Engine& self() { return static_cast<Engine&>(*this); }

  static void Add(Statistics& sum, const Statistics& more) {
    for (uint32_t i = 0; i < kNumStats; ++i) {
      sum.counts[i] += __atomic_load_n(&more.counts[i], __ATOMIC_RELAXED);
    }
  }

  // What an engine keeps around an object counts, too.
  static constexpr size_t SlotFor(size_t bytes) {
    if constexpr (requires { Engine::SlotBytes(bytes); }) {
      return Engine::SlotBytes(bytes);
    } else {
      return bytes;
    }
  }

  [[gnu::noinline]] void FreeOther(SlabDescriptor& block, void* object) {
    if (!heap_.Contains(object) || block.kind != PageKind::kLarge ||
        heap_.AddressOf(heap_.PageOf(block)) != object) {
      ReportCorruption("a pointer is freed that was never handed out",
                       ToWord(object));
    }
    heap_.FreeLarge(block);
  }

  size_t FreeRun(SlabDescriptor& slab, void** objects, size_t count) {
    Cache& cache = heap_.cache(slab.cache);
    size_t length = 1;
    while (length < count && objects[length] != nullptr &&
           &heap_.SlabOf(objects[length]) == &slab) {
      ++length;
    }
    if (length == 1 || !Engine::kDetachedRuns) {
      for (size_t i = 0; i < length; ++i) {
        self().FreeTo(cache, slab, static_cast<char*>(objects[i]));
      }
      return length;
    }
    for (size_t i = 0; i + 1 < length; ++i) {
      layer_.SetNext(cache, slab, objects[i], objects[i + 1]);
    }
    layer_.Free(cache, slab, static_cast<char*>(objects[0]),
                static_cast<char*>(objects[length - 1]),
                static_cast<uint32_t>(length));
    Count<kStats>(cache.node_stats, kFreeSlowpath, length);
    return length;
  }

  absl::Status CheckCache(Cache& cache, SlabAudit& slabs) {
    absl::Status status = absl::OkStatus();
    const auto next = [&](const SlabDescriptor& slab, const char* object) {
      return layer_.Next(cache, slab, object);
    };
    heap_.ForEachBlock([&](SlabDescriptor& slab) {
      if (!status.ok() || slab.kind != PageKind::kSlab ||
          slab.cache != cache.id) {
        return;
      }
      status = slabs.AddSlab(slab, layer_.Load(cache, slab), next,
                             self().IsCpuSlab(cache, slab));
    });
    if (!status.ok()) return status;
    status = self().CheckCpus(cache, slabs, next);
    return status.ok() ? slabs.Finish() : status;
  }

  std::array<Cache*, kNumKmallocClasses> kmalloc_{};
};

}  // namespace hackbench::alloc
