// SPDX-License-Identifier: MIT
#include "alloc/slab_audit.h"

#include <algorithm>

namespace hackbench::alloc {

absl::StatusOr<Audit> AuditHeap(const Heap& heap) {
  absl::StatusOr<PageUsage> pages = heap.pages().Audit();
  if (!pages.ok()) return pages.status();
  Audit audit;
  audit.pages = *pages;
  heap.ForEachBlock([&](const SlabDescriptor& block) {
    if (block.kind == PageKind::kLarge) ++audit.large_used;
  });
  return audit;
}

absl::Status SlabAudit::Says(const SlabDescriptor& slab,
                             std::string_view what) const {
  return absl::InternalError(absl::StrCat(cache_.name, ": the slab at page ",
                                          heap_.PageOf(slab), " ",
                                          std::string(what)));
}

absl::Status SlabAudit::MarkFree(const SlabDescriptor& slab, const void* object,
                                 Found& found) {
  const auto offset = static_cast<uint64_t>(
      static_cast<const char*>(object) - heap_.AddressOf(heap_.PageOf(slab)));
  const uint64_t number = offset / cache_.size;
  if (offset % cache_.size != 0 || number >= found.free.size()) {
    return Says(slab, absl::StrCat("lists something at offset ", offset,
                                   " that is no object"));
  }
  if (found.free[number]) {
    return Says(slab, absl::StrCat("has object ", number, " free twice"));
  }
  found.free[number] = true;
  ++objects_free_;
  return absl::OkStatus();
}

absl::Status SlabAudit::AddObject(const void* object) {
  const SlabDescriptor& slab = heap_.SlabOf(object);
  const auto found = found_.find(heap_.PageOf(slab));
  if (found == found_.end()) return Says(slab, "keeps an object of no cache");
  return MarkFree(slab, object, found->second);
}

absl::Status SlabAudit::Finish() {
  uint64_t partial = 0;
  for (const auto& [page, found] : found_) {
    objects_ += found.free.size();
    partial += found.partial ? 1 : 0;
  }
  uint64_t listed = 0;
  uint32_t before = kNoPage;
  for (uint32_t page = cache_.partial_head; page != kNoPage;
       page = heap_.descriptor(page).next) {
    const SlabDescriptor& slab = heap_.descriptor(page);
    const auto found = found_.find(page);
    if (found == found_.end() || !found->second.partial) {
      return Says(slab, "is on the partial list and does not belong there");
    }
    if (slab.prev != before) return Says(slab, "is linked to the wrong slab");
    if (++listed > partial) return Says(slab, "closes a circle of slabs");
    before = page;
  }
  if (listed != partial || cache_.partial_count != partial ||
      cache_.partial_tail != before) {
    return absl::InternalError(
        absl::StrCat(cache_.name, ": the partial list holds ", listed,
                     " slabs, its counter says ", cache_.partial_count,
                     ", the slabs say ", partial));
  }
  return absl::OkStatus();
}

}  // namespace hackbench::alloc
