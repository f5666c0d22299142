// SPDX-License-Identifier: MIT
// The audit of one cache: every object is free in exactly one place or in use,
// the counters of each slab say the same, and the partial list holds the slabs
// that belong on it. While nobody else is at work.
#pragma once

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "alloc/engine.h"
#include "alloc/heap.h"
#include "alloc/slab_word.h"

namespace hackbench::alloc {

// Pages and what they are used for; everything but slabs.
absl::StatusOr<Audit> AuditHeap(const Heap& heap);

class SlabAudit {
 public:
  SlabAudit(const Heap& heap, const Cache& cache)
      : heap_(heap), cache_(cache) {}

  // The slab itself: its own free list against its counters.
  template <class Next>
  absl::Status AddSlab(const SlabDescriptor& slab, const SlabView& view,
                       Next next, bool is_cpu_slab) {
    Found& found = found_[heap_.PageOf(slab)];
    found.free.resize(slab.objects);
    if (view.cache != cache_.id) return Says(slab, "is of another cache");
    if (view.inuse > slab.objects) return Says(slab, "uses too many objects");
    if (view.frozen != is_cpu_slab) {
      return Says(slab, view.frozen ? "is frozen and no CPU has it"
                                    : "is a CPU's and not frozen");
    }
    uint32_t listed = 0;
    const absl::Status status =
        WalkList(slab, view.freelist, next, found, listed);
    if (!status.ok()) return status;
    if (listed != slab.objects - view.inuse) {
      return Says(slab, absl::StrCat("lists ", listed, " free objects of ",
                                     slab.objects, ", its counter says ",
                                     view.inuse, " are in use"));
    }
    found.partial = !view.frozen && view.freelist != nullptr;
    if (slab.on_partial != found.partial) {
      return Says(slab, found.partial ? "is missing on the partial list"
                                      : "should not be on the partial list");
    }
    return absl::OkStatus();
  }

  // Free objects kept elsewhere: a CPU's list, whose counter says "in use".
  template <class Next>
  absl::Status AddList(const SlabDescriptor& slab, const char* list,
                       Next next) {
    const auto found = found_.find(heap_.PageOf(slab));
    if (found == found_.end()) return Says(slab, "of a CPU is of no cache");
    uint32_t listed = 0;
    return WalkList(slab, list, next, found->second, listed);
  }

  // One free object kept elsewhere.
  absl::Status AddObject(const void* object);

  // The partial list, and the sums.
  absl::Status Finish();

  [[nodiscard]] uint64_t slabs() const { return found_.size(); }
  [[nodiscard]] uint64_t objects_free() const { return objects_free_; }
  [[nodiscard]] uint64_t objects_used() const {
    return objects_ - objects_free_;
  }

 private:
  struct Found {
    std::vector<bool> free;
    bool partial = false;
  };

  absl::Status Says(const SlabDescriptor& slab, std::string_view what) const;
  absl::Status MarkFree(const SlabDescriptor& slab, const void* object,
                        Found& found);

  template <class Next>
  absl::Status WalkList(const SlabDescriptor& slab, const char* list, Next next,
                        Found& found, uint32_t& listed) {
    for (const char* at = list; at != nullptr; at = next(slab, at)) {
      const absl::Status status = MarkFree(slab, at, found);
      if (!status.ok()) return status;
      ++listed;
    }
    return absl::OkStatus();
  }

  const Heap& heap_;
  const Cache& cache_;
  std::unordered_map<uint32_t, Found> found_;
  uint64_t objects_ = 0;
  uint64_t objects_free_ = 0;
};

}  // namespace hackbench::alloc
