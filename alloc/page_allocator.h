// SPDX-License-Identifier: MIT
// A binary buddy over the arena's pages, orders 0 to 10, with lists of single
// blocks per CPU in front for orders 0 to 3, as the kernel's zone and its
// per-CPU pages.
//
// The truth is one byte per page: what block begins there and whether it is
// free. Every split and merge is committed by a single store of such a byte;
// the free lists are only an index of the bytes and are rebuilt from them when
// the lock is stolen from a dead worker. A worker killed between taking a block
// and naming its use loses that block; Recover() finds it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "alloc/arena.h"
#include "alloc/descriptor.h"
#include "alloc/fault.h"
#include "atomics/per_cpu.h"

namespace hackbench::alloc {

inline constexpr unsigned kCpuListOrders = 4;
// Blocks per order a CPU keeps; half of them go back when there are more.
inline constexpr std::array<uint32_t, kCpuListOrders> kCpuListHigh = {64, 32,
                                                                      16, 8};

struct Zone {
  OwnerLock lock;
  uint32_t limit = 0;  // Pages that may ever be used.
  uint32_t grown = 0;  // Pages the buddy has, in use or free.
  std::array<uint32_t, kNumOrders> head{};
  std::array<uint32_t, kNumOrders> free_blocks{};
  uint32_t peak_used = 0;    // Pages out of the zone, at most.
  uint64_t exhausted = 0;    // Requests that found no block.
  uint64_t unpopulated = 0;  // Growths the system refused.
};

struct CpuPages {
  OwnerLock lock;
  std::array<uint32_t, kCpuListOrders> count{};
  std::array<std::array<uint32_t, kCpuListHigh[0]>, kCpuListOrders> pages{};
};

struct PageUsage {
  uint64_t used = 0;  // Pages handed out, those on per-CPU lists excluded.
  uint64_t on_cpu_lists = 0;
  uint64_t free = 0;
  uint64_t lost = 0;  // Taken by a worker that died before it used them.
};

// A view of structures in the arena's metadata; cheap to copy.
class PageAllocator {
 public:
  PageAllocator(const Arena& arena, Zone* zone, SlabDescriptor* descriptors,
                uint8_t* blocks, atomics::PerCpu<CpuPages> cpu_pages,
                Faults* faults)
      : arena_(&arena),
        zone_(zone),
        descriptors_(descriptors),
        blocks_(blocks),
        cpu_pages_(cpu_pages),
        faults_(faults) {}

  // The first page of 2^order pages, or kNoPage at the limit or when the system
  // has no memory. The caller names its use in the descriptor's `kind`.
  uint32_t Alloc(unsigned order);
  void Free(uint32_t page, unsigned order);

  // Back to the zone what this and other CPUs keep.
  void DrainCpuLists();
  // Gives free blocks of at least `order` back to the system; pages released.
  uint64_t ReleaseFree(unsigned order);

  [[nodiscard]] const Zone& zone() const { return *zone_; }

  // Only while no other worker runs: a count of every page, or what is wrong.
  absl::StatusOr<PageUsage> Audit() const;
  // Only while no other worker runs: frees what the dead had taken and not yet
  // used. Pages freed.
  uint64_t Recover();

 private:
  uint32_t FromCpuList(unsigned order);
  bool ToCpuList(uint32_t page, unsigned order);
  bool Refill(CpuPages& cpu, unsigned order);
  uint32_t FromZone(unsigned order);
  void ToZone(uint32_t page, unsigned order);

  void LockZone();
  uint32_t TakeLocked(unsigned order);
  void GiveLocked(uint32_t page, unsigned order);
  bool GrowLocked();
  void Link(uint32_t page, unsigned order);
  void Unlink(uint32_t page, unsigned order);
  void RebuildLists();
  [[nodiscard]] uint32_t FreePages() const;
  [[nodiscard]] std::vector<bool> OnCpuLists() const;

  const Arena* arena_;
  Zone* zone_;
  SlabDescriptor* descriptors_;
  uint8_t* blocks_;
  atomics::PerCpu<CpuPages> cpu_pages_;
  Faults* faults_;
};

}  // namespace hackbench::alloc
