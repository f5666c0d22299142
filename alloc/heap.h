// SPDX-License-Identifier: MIT
// What every engine stands on: the arena with its page allocator, a descriptor
// per page, and the table of caches. Make it before the first fork; afterwards
// every process and thread of the run uses it at the same address.
//
// One engine per heap. Nothing in it is kept per thread, so a fork in the
// middle of work duplicates nothing.
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "alloc/arena.h"
#include "alloc/cache.h"
#include "alloc/descriptor.h"
#include "alloc/fault.h"
#include "alloc/page_allocator.h"

namespace hackbench::alloc {

struct HeapOptions {
  ArenaOptions arena;
  uint32_t num_cpus = 0;  // 0: those the system may ever have.
  // For tests: CPUs the tables hold; ids beyond share the overflow slot.
  uint64_t secret = 0;  // Of hardened free pointers; 0: drawn.
};

// Of 64 KiB of the arena: which CPU owns the span there, and its size class.
// One word, so that a free reads both at once, and such that it is the number
// of the owner's slot of that class.
class SpanInfo {
 public:
  constexpr SpanInfo() = default;
  constexpr SpanInfo(uint32_t owner, unsigned size_class)
      : bits_(owner << kClassBits | size_class) {}
  static constexpr unsigned kClassBits = 4;
  [[nodiscard]] constexpr uint32_t slot() const { return bits_; }
  [[nodiscard]] constexpr uint32_t owner() const { return bits_ >> kClassBits; }
  [[nodiscard]] constexpr unsigned size_class() const {
    return bits_ & ((1U << kClassBits) - 1);
  }
  [[nodiscard]] constexpr bool is_span() const { return owner() != kNoOwner; }

 private:
  static constexpr uint32_t kNoOwner = ~0U >> kClassBits;
  uint32_t bits_ = ~0U;
};
static_assert(sizeof(SpanInfo) == 4);
inline constexpr unsigned kSpanShift = 16;
inline constexpr unsigned kSpanOrder = kSpanShift - kPageShift;
// Objects of at least this size are linked by numbers of such granules beside
// them, and never touched.
inline constexpr unsigned kGranuleShift = 10;

class Heap {
 public:
  static absl::StatusOr<std::unique_ptr<Heap>> Create(
      const HeapOptions& options = {});
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  const Arena& arena() const { return arena_; }
  char* base() const { return base_; }
  uint32_t num_cpus() const { return num_cpus_; }
  uint64_t secret() const { return header_->secret; }
  Faults& faults() const { return header_->faults; }
  PageAllocator& pages() { return pages_; }
  const PageAllocator& pages() const { return pages_; }
  uint32_t* links() const { return links_; }
  SpanInfo* spans() const { return spans_; }

  bool Contains(const void* pointer) const {
    return static_cast<uint64_t>(static_cast<const char*>(pointer) - base_) <
           arena_.max_bytes();
  }
  uint32_t PageOf(const void* pointer) const {
    return static_cast<uint32_t>(
        static_cast<uint64_t>(static_cast<const char*>(pointer) - base_) >>
        kPageShift);
  }
  char* AddressOf(uint32_t page) const {
    return base_ + (size_t{page} << kPageShift);
  }
  SlabDescriptor& descriptor(uint32_t page) const { return descriptors_[page]; }
  // Of the block that `pointer` lies in.
  SlabDescriptor& SlabOf(const void* pointer) const {
    return descriptors_[descriptors_[PageOf(pointer)].head];
  }
  uint32_t PageOf(const SlabDescriptor& slab) const {
    return static_cast<uint32_t>(&slab - descriptors_);
  }

  // A part of the metadata that stays; nullptr when it is used up. Aligned to
  // two cache lines, zero.
  void* Carve(size_t bytes);

  // ResourceExhausted when the table or the metadata is full.
  absl::StatusOr<Cache*> CreateCache(std::string_view name, size_t bytes);
  Cache& cache(uint32_t id) const { return header_->caches[id]; }
  uint32_t num_caches() const {
    return __atomic_load_n(&header_->num_caches, __ATOMIC_ACQUIRE);
  }

  // Whole pages, of a size no cache has.
  void* AllocLarge(size_t bytes);
  void FreeLarge(SlabDescriptor& block);

  // Refused allocations: at the limit, or the system was full.
  uint64_t failures() const;
  void CountFailure() {
    __atomic_fetch_add(&header_->failures, 1, __ATOMIC_RELAXED);
  }

  // Every descriptor of a used block, in order of pages. Only while no other
  // worker changes the blocks.
  template <class Visit>
  void ForEachBlock(Visit visit) const {
    for (uint32_t page = 1; page < pages_.zone().grown;) {
      const uint8_t block = blocks_[page];
      if ((block & 0x80) != 0) visit(descriptors_[page]);
      page += 1U << (block & 0x0f);
    }
  }

 private:
  struct Header {
    Zone zone;
    Faults faults;
    OwnerLock caches_lock;
    uint32_t num_caches = 0;
    uint64_t carved = 0;
    uint64_t failures = 0;
    uint64_t secret = 0;
    Cache caches[kMaxCaches];
  };

  Heap(Arena arena, const HeapOptions& options, uint32_t num_cpus);
  static size_t MetadataBytes(const HeapOptions& options, uint32_t num_cpus);

  Arena arena_;
  char* base_;
  uint32_t num_cpus_;
  Header* header_;
  char* carve_begin_;
  char* carve_end_;
  SlabDescriptor* descriptors_;
  uint8_t* blocks_;
  SpanInfo* spans_;
  uint32_t* links_;
  PageAllocator pages_;
};

}  // namespace hackbench::alloc
