// SPDX-License-Identifier: MIT
#include "alloc/page_allocator.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <bit>

#include "alloc/corruption.h"
#include "atomics/current_cpu.h"

namespace hackbench::alloc {
namespace {

constexpr uint8_t kFreeBlock = 0x40;
constexpr uint8_t kUsedBlock = 0x80;
constexpr uint8_t kOrderMask = 0x0f;

uint8_t FreeByte(unsigned order) {
  return static_cast<uint8_t>(kFreeBlock | order);
}
uint8_t UsedByte(unsigned order) {
  return static_cast<uint8_t>(kUsedBlock | order);
}

// release: the commit of a split or a merge, behind the bytes it uncovers.
void Commit(uint8_t& block, uint8_t value) {
  __atomic_store_n(&block, value, __ATOMIC_RELEASE);
}

}  // namespace

uint32_t PageAllocator::Alloc(unsigned order) {
  if (order > kMaxOrder || faults_->ShouldFail(FaultSite::kPage)) {
    return kNoPage;
  }
  uint32_t page = order < kCpuListOrders ? FromCpuList(order) : kNoPage;
  if (page == kNoPage) page = FromZone(order);
  if (page == kNoPage) {
    DrainCpuLists();
    page = FromZone(order);
  }
  if (page == kNoPage) {
    __atomic_fetch_add(&zone_->exhausted, 1, __ATOMIC_RELAXED);  // A counter.
    return kNoPage;
  }
  descriptors_[page].order = static_cast<uint8_t>(order);
  descriptors_[page].head = page;
  return page;
}

void PageAllocator::Free(uint32_t page, unsigned order) {
  if (blocks_[page] != UsedByte(order) ||
      descriptors_[page].kind == PageKind::kOnCpuList) {
    ReportCorruption("a block of pages is freed that is not in use", page);
  }
  if (order < kCpuListOrders && ToCpuList(page, order)) return;
  ToZone(page, order);
}

uint32_t PageAllocator::FromCpuList(unsigned order) {
  CpuPages& cpu = cpu_pages_.ForCpuOrOverflow(atomics::CurrentCpuId());
  // A stolen lock needs no repair: each change of a list is one store.
  if (cpu.lock.TryLock() == Taken::kNo) return kNoPage;
  uint32_t page = kNoPage;
  if (cpu.count[order] != 0 || Refill(cpu, order)) {
    page = cpu.pages[order][cpu.count[order] - 1];
    __atomic_store_n(&cpu.count[order], cpu.count[order] - 1, __ATOMIC_RELEASE);
    descriptors_[page].kind = PageKind::kNone;
  }
  cpu.lock.Unlock();
  return page;
}

bool PageAllocator::Refill(CpuPages& cpu, unsigned order) {
  const uint32_t batch = kCpuListHigh[order] / 4;
  LockZone();
  while (cpu.count[order] < batch) {
    const uint32_t page = TakeLocked(order);
    if (page == kNoPage) break;
    descriptors_[page].kind = PageKind::kOnCpuList;
    cpu.pages[order][cpu.count[order]] = page;
    __atomic_store_n(&cpu.count[order], cpu.count[order] + 1, __ATOMIC_RELEASE);
  }
  zone_->lock.Unlock();
  return cpu.count[order] != 0;
}

bool PageAllocator::ToCpuList(uint32_t page, unsigned order) {
  CpuPages& cpu = cpu_pages_.ForCpuOrOverflow(atomics::CurrentCpuId());
  if (cpu.lock.TryLock() == Taken::kNo) return false;
  if (cpu.count[order] == kCpuListHigh[order]) {
    LockZone();
    while (cpu.count[order] > kCpuListHigh[order] / 2) {
      const uint32_t oldest = cpu.pages[order][cpu.count[order] - 1];
      __atomic_store_n(&cpu.count[order], cpu.count[order] - 1,
                       __ATOMIC_RELEASE);
      GiveLocked(oldest, order);
    }
    zone_->lock.Unlock();
  }
  descriptors_[page].kind = PageKind::kOnCpuList;
  cpu.pages[order][cpu.count[order]] = page;
  __atomic_store_n(&cpu.count[order], cpu.count[order] + 1, __ATOMIC_RELEASE);
  cpu.lock.Unlock();
  return true;
}

void PageAllocator::DrainCpuLists() {
  cpu_pages_.ForEach([&](CpuPages& cpu) {
    if (cpu.lock.TryLock() == Taken::kNo) return;
    LockZone();
    for (unsigned order = 0; order < kCpuListOrders; ++order) {
      while (cpu.count[order] != 0) {
        const uint32_t page = cpu.pages[order][cpu.count[order] - 1];
        __atomic_store_n(&cpu.count[order], cpu.count[order] - 1,
                         __ATOMIC_RELEASE);
        GiveLocked(page, order);
      }
    }
    zone_->lock.Unlock();
    cpu.lock.Unlock();
  });
}

void PageAllocator::LockZone() {
  if (zone_->lock.Lock()) RebuildLists();
}

uint32_t PageAllocator::FromZone(unsigned order) {
  LockZone();
  const uint32_t page = TakeLocked(order);
  zone_->lock.Unlock();
  return page;
}

void PageAllocator::ToZone(uint32_t page, unsigned order) {
  LockZone();
  GiveLocked(page, order);
  zone_->lock.Unlock();
}

uint32_t PageAllocator::TakeLocked(unsigned order) {
  unsigned found = order;
  while (found <= kMaxOrder && zone_->head[found] == kNoPage) ++found;
  if (found > kMaxOrder) return GrowLocked() ? TakeLocked(order) : kNoPage;
  const uint32_t page = zone_->head[found];
  Unlink(page, found);
  while (found > order) {
    --found;
    const uint32_t half = page + (1U << found);
    blocks_[half] = FreeByte(found);
    Link(half, found);
  }
  Commit(blocks_[page], UsedByte(order));
  descriptors_[page].kind = PageKind::kNone;
  zone_->peak_used = std::max(zone_->peak_used, zone_->grown - FreePages());
  return page;
}

void PageAllocator::GiveLocked(uint32_t page, unsigned order) {
  const uint32_t given = page;
  descriptors_[page].kind = PageKind::kNone;
  while (order < kMaxOrder) {
    const uint32_t buddy = page ^ (1U << order);
    if (buddy >= zone_->grown || blocks_[buddy] != FreeByte(order)) break;
    Unlink(buddy, order);
    page = std::min(page, buddy);
    ++order;
  }
  Commit(blocks_[page], FreeByte(order));
  // Hidden inside the larger block by now; a second free finds it.
  if (given != page) blocks_[given] = 0;
  Link(page, order);
}

// One block of the highest order, or what is left, cut along its alignment.
bool PageAllocator::GrowLocked() {
  const uint32_t start = zone_->grown;
  const uint32_t end = std::min(zone_->limit, start + (1U << kMaxOrder));
  if (start == end) return false;
  if (!arena_->Populate(size_t{start} << kPageShift,
                        size_t{end - start} << kPageShift)) {
    ++zone_->unpopulated;
    return false;
  }
  for (uint32_t page = start; page < end;) {
    if (page == kNoPage) {
      blocks_[page++] = UsedByte(0);  // Page 0 stays out of circulation.
      continue;
    }
    const auto aligned = static_cast<unsigned>(std::countr_zero(page));
    const auto fits = static_cast<unsigned>(std::bit_width(end - page) - 1);
    const unsigned order = std::min({aligned, fits, kMaxOrder});
    blocks_[page] = FreeByte(order);
    page += 1U << order;
  }
  __atomic_store_n(&zone_->grown, end, __ATOMIC_RELEASE);
  for (uint32_t page = start == kNoPage ? 1 : start; page < end;) {
    const unsigned order = blocks_[page] & kOrderMask;
    Link(page, order);
    page += 1U << order;
  }
  return true;
}

void PageAllocator::Link(uint32_t page, unsigned order) {
  const uint32_t next = zone_->head[order];
  descriptors_[page].next = next;
  descriptors_[page].prev = kNoPage;
  if (next != kNoPage) descriptors_[next].prev = page;
  zone_->head[order] = page;
  ++zone_->free_blocks[order];
}

void PageAllocator::Unlink(uint32_t page, unsigned order) {
  const SlabDescriptor& block = descriptors_[page];
  if (block.prev == kNoPage) {
    zone_->head[order] = block.next;
  } else {
    descriptors_[block.prev].next = block.next;
  }
  if (block.next != kNoPage) descriptors_[block.next].prev = block.prev;
  --zone_->free_blocks[order];
}

void PageAllocator::RebuildLists() {
  zone_->head.fill(kNoPage);
  zone_->free_blocks.fill(0);
  for (uint32_t page = 0; page < zone_->grown;) {
    const unsigned order = blocks_[page] & kOrderMask;
    if (blocks_[page] == FreeByte(order)) Link(page, order);
    page += 1U << order;
  }
}

uint32_t PageAllocator::FreePages() const {
  uint32_t pages = 0;
  for (unsigned order = 0; order < kNumOrders; ++order) {
    pages += zone_->free_blocks[order] << order;
  }
  return pages;
}

uint64_t PageAllocator::ReleaseFree(unsigned order) {
  uint64_t released = 0;
  LockZone();
  for (unsigned at = order; at <= kMaxOrder; ++at) {
    for (uint32_t page = zone_->head[at]; page != kNoPage;
         page = descriptors_[page].next) {
      if (arena_->Release(size_t{page} << kPageShift, kPageBytes << at)) {
        released += uint64_t{1} << at;
      }
    }
  }
  zone_->lock.Unlock();
  return released;
}

std::vector<bool> PageAllocator::OnCpuLists() const {
  std::vector<bool> listed(zone_->grown);
  cpu_pages_.ForEach([&](const CpuPages& cpu) {
    for (unsigned order = 0; order < kCpuListOrders; ++order) {
      for (uint32_t i = 0; i < cpu.count[order]; ++i) {
        listed[cpu.pages[order][i]] = true;
      }
    }
  });
  return listed;
}

absl::StatusOr<PageUsage> PageAllocator::Audit() const {
  PageUsage usage;
  uint32_t free_found = 0;
  const std::vector<bool> listed = OnCpuLists();
  for (uint32_t page = 0; page < zone_->grown;) {
    const uint8_t block = blocks_[page];
    const unsigned order = block & kOrderMask;
    const uint32_t pages = 1U << order;
    if (order > kMaxOrder || page % pages != 0 ||
        (block != FreeByte(order) && block != UsedByte(order))) {
      return absl::InternalError(
          absl::StrCat("page ", page, ": no block begins here"));
    }
    const PageKind kind = descriptors_[page].kind;
    if (block == FreeByte(order)) {
      usage.free += pages;
      free_found += pages;
    } else if (listed[page]) {
      usage.on_cpu_lists += pages;
    } else if (page != 0 &&
               (kind == PageKind::kNone || kind == PageKind::kOnCpuList ||
                kind == PageKind::kDiscarded)) {
      usage.lost += pages;
    } else {
      usage.used += pages;
    }
    page += pages;
  }
  // A dead worker's lists are rebuilt by whoever takes the lock next.
  if (!zone_->lock.IsHeld() && free_found != FreePages()) {
    return absl::InternalError(absl::StrCat("the free lists hold ", FreePages(),
                                            " pages, the blocks say ",
                                            free_found));
  }
  return usage;
}

uint64_t PageAllocator::Recover() {
  uint64_t recovered = 0;
  const std::vector<bool> listed = OnCpuLists();
  LockZone();
  RebuildLists();
  for (uint32_t page = 1; page < zone_->grown;) {
    const unsigned order = blocks_[page] & kOrderMask;
    const PageKind kind = descriptors_[page].kind;
    const bool used = blocks_[page] == UsedByte(order);
    const uint32_t next = page + (1U << order);
    if (used && !listed[page] &&
        (kind == PageKind::kNone || kind == PageKind::kOnCpuList ||
         kind == PageKind::kDiscarded)) {
      GiveLocked(page, order);
      recovered += uint64_t{1} << order;
    }
    page = next;
  }
  zone_->lock.Unlock();
  return recovered;
}

}  // namespace hackbench::alloc
