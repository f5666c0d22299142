// SPDX-License-Identifier: MIT
#include "alloc/heap.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <random>
#include <utility>

#include "alloc/geometry.h"

namespace hackbench::alloc {
namespace {

constexpr size_t kLines = 128;
// Address space for what engines carve: sheaves and per-CPU slots. Costs
// nothing until touched.
constexpr size_t kCarveBytes = size_t{64} << 20;
constexpr size_t kCarvePerCpu = size_t{256} << 10;

size_t RoundUp(size_t value) { return (value + kLines - 1) / kLines * kLines; }

uint64_t DrawSecret() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

// Where each table of the metadata begins; the last field is their sum.
struct Layout {
  size_t descriptors, blocks, spans, links, cpu_pages, carve, end;
};

Layout LayOut(size_t header, size_t max_bytes, uint32_t num_cpus) {
  const size_t pages = (max_bytes >> kPageShift) + 1;
  Layout at{};
  at.descriptors = RoundUp(header);
  at.blocks = at.descriptors + pages * sizeof(SlabDescriptor);
  at.spans = RoundUp(at.blocks + pages);
  at.links =
      RoundUp(at.spans + ((max_bytes >> kSpanShift) + 1) * sizeof(SpanInfo));
  at.cpu_pages =
      RoundUp(at.links + ((max_bytes >> kGranuleShift) + 1) * sizeof(uint32_t));
  at.carve =
      at.cpu_pages + RoundUp(atomics::PerCpu<CpuPages>::BytesFor(num_cpus));
  at.end = at.carve + kCarveBytes + num_cpus * kCarvePerCpu;
  return at;
}

}  // namespace

bool MapWorkerTable() {
  if (worker_deaths != nullptr) return true;
  void* table = mmap(nullptr, kMaxWorkers * sizeof(uint32_t),
                     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (table == MAP_FAILED) return false;
  worker_deaths = static_cast<uint32_t*>(table);
  return true;
}

absl::StatusOr<std::unique_ptr<Heap>> Heap::Create(const HeapOptions& options) {
  if (!MapWorkerTable()) {
    return absl::ResourceExhaustedError(
        "cannot map the table of workers; there is no memory left");
  }
  const uint32_t num_cpus =
      options.num_cpus == 0 ? atomics::PossibleCpus() : options.num_cpus;
  absl::StatusOr<Arena> arena =
      Arena::Map(MetadataBytes(options, num_cpus), options.arena);
  if (!arena.ok()) return arena.status();
  return std::unique_ptr<Heap>(new Heap(*std::move(arena), options, num_cpus));
}

size_t Heap::MetadataBytes(const HeapOptions& options, uint32_t num_cpus) {
  return LayOut(sizeof(Header), options.arena.max_bytes, num_cpus).end;
}

Heap::Heap(Arena arena, const HeapOptions& options, uint32_t num_cpus)
    : arena_(std::move(arena)),
      base_(arena_.base()),
      num_cpus_(num_cpus),
      header_(new (arena_.metadata()) Header{}),
      pages_(arena_, &header_->zone, nullptr, nullptr, {nullptr, 0}, nullptr) {
  char* const start = arena_.metadata();
  const Layout at = LayOut(sizeof(Header), options.arena.max_bytes, num_cpus);
  descriptors_ = reinterpret_cast<SlabDescriptor*>(start + at.descriptors);
  blocks_ = reinterpret_cast<uint8_t*>(start + at.blocks);
  spans_ = reinterpret_cast<SpanInfo*>(start + at.spans);
  links_ = reinterpret_cast<uint32_t*>(start + at.links);
  carve_begin_ = start + at.carve;
  carve_end_ = start + at.end;
  header_->zone.limit = static_cast<uint32_t>(arena_.max_bytes() >> kPageShift);
  header_->secret = options.secret == 0 ? DrawSecret() : options.secret;
  pages_ = PageAllocator(
      arena_, &header_->zone, descriptors_, blocks_,
      atomics::PerCpu<CpuPages>::Make(start + at.cpu_pages, num_cpus),
      &header_->faults);
}

void* Heap::Carve(size_t bytes) {
  const size_t size = RoundUp(bytes);
  const uint64_t at =
      __atomic_fetch_add(&header_->carved, size, __ATOMIC_RELAXED);
  if (at + size > static_cast<size_t>(carve_end_ - carve_begin_)) {
    __atomic_fetch_sub(&header_->carved, size, __ATOMIC_RELAXED);
    return nullptr;
  }
  return carve_begin_ + at;
}

absl::StatusOr<Cache*> Heap::CreateCache(std::string_view name, size_t bytes) {
  if (bytes == 0 || bytes > kPageBytes << kCostlyOrder) {
    return absl::InvalidArgumentError(
        absl::StrCat("cache '", std::string(name), "': objects of ", bytes,
                     " bytes; give 1 to ", kPageBytes << kCostlyOrder));
  }
  if (faults().ShouldFail(FaultSite::kCache)) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "cache '", std::string(name), "': refused by fault injection"));
  }
  // A thief finds a table that is as good as before: the count is the commit.
  static_cast<void>(header_->caches_lock.Lock());
  const uint32_t id = header_->num_caches;
  if (id == kMaxCaches) {
    header_->caches_lock.Unlock();
    return absl::ResourceExhaustedError(
        absl::StrCat("cache '", std::string(name), "': there are ", kMaxCaches,
                     " caches already"));
  }
  Cache& cache = header_->caches[id];
  const size_t length = std::min(name.size(), size_t{kCacheNameBytes - 1});
  std::copy_n(name.data(), length, cache.name);
  cache.name[length] = '\0';
  cache.id = id;
  cache.object_bytes = static_cast<uint32_t>(bytes);
  cache.size = static_cast<uint32_t>((bytes + 7) / 8 * 8);
  const Geometry geometry = GeometryFor(cache.size, num_cpus_);
  cache.order = geometry.order;
  cache.min_order = geometry.min_order;
  cache.objects = geometry.objects;
  cache.min_partial = MinPartialFor(cache.size);
  cache.reciprocal = ((uint64_t{1} << 32) + cache.size - 1) / cache.size;
  __atomic_store_n(&header_->num_caches, id + 1, __ATOMIC_RELEASE);
  header_->caches_lock.Unlock();
  return &cache;
}

void* Heap::AllocLarge(size_t bytes) {
  if (bytes > kPageBytes << kMaxOrder) {
    CountFailure();
    return nullptr;
  }
  const uint32_t page = pages_.Alloc(OrderFor(bytes));
  if (page == kNoPage) {
    CountFailure();
    return nullptr;
  }
  descriptors_[page].kind = PageKind::kLarge;
  return AddressOf(page);
}

void Heap::FreeLarge(SlabDescriptor& block) {
  const unsigned order = block.order;
  block.kind = PageKind::kNone;
  pages_.Free(PageOf(block), order);
}

uint64_t Heap::failures() const {
  return __atomic_load_n(&header_->failures, __ATOMIC_RELAXED);
}

}  // namespace hackbench::alloc
