// SPDX-License-Identifier: MIT
// What every allocator engine offers, and the parts of it that all share.
//
// An engine is a name, a summary, traits, WhyNot() and the functions below. It
// is made over a fresh heap before the first fork; the object itself may be
// copied by fork, for all it has lives in the heap. None of its functions may
// be called from a signal handler.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

#include "alloc/heap.h"
#include "alloc/size_class.h"
#include "alloc/statistics.h"

namespace hackbench::alloc {

struct EngineTraits {
  // Memory of one process may be used and freed by another.
  bool between_processes = true;
  // Hands each object to one owner at a time. False for the controls.
  bool safe = true;
  // Its memory can be written to. False for the zero point.
  bool usable = true;
  std::string_view irq_model = "none";
  // Worth measuring. False for the debug engine.
  bool for_tables = true;
};

// What a walk over everything found, while nobody else was at work.
struct Audit {
  uint64_t objects_free = 0;
  uint64_t objects_used = 0;  // In the hands of users, or lost by the dead.
  uint64_t large_used = 0;    // Blocks handed out whole.
  uint64_t slabs = 0;
  PageUsage pages;
};

template <class E>
concept AllocatorEngine = requires(E engine, Heap& heap, Cache* cache, size_t n,
                                   void* object, void** objects,
                                   std::string_view name) {
  // clang-format off
  { E::kName } -> std::convertible_to<std::string_view>;
  { E::kSummary } -> std::convertible_to<std::string_view>;
  { E::kTraits } -> std::convertible_to<EngineTraits>;
  { E::WhyNot() } -> std::same_as<std::string>;
  { E(heap) };
  // nullptr at the limit; never aborts for want of memory.
  { engine.Alloc(n) } -> std::same_as<void*>;
  // nullptr is allowed and does nothing.
  { engine.Free(object) } -> std::same_as<void>;
  // How many were had; all or fewer.
  { engine.AllocBulk(n, n, objects) } -> std::same_as<size_t>;
  { engine.FreeBulk(n, objects) } -> std::same_as<void>;
  { engine.UsableSize(object) } -> std::same_as<size_t>;
  { engine.CreateCache(name, n) } -> std::same_as<absl::StatusOr<Cache*>>;
  { engine.AllocFrom(cache) } -> std::same_as<void*>;
  { engine.Stats() } -> std::same_as<Statistics>;
  // These three only while nobody else is at work.
  { engine.Check() } -> std::same_as<absl::StatusOr<Audit>>;
  { engine.Recover() } -> std::same_as<void>;  // After workers were killed.
  { engine.Flush() } -> std::same_as<void>;    // CPUs give back what they keep.
  // clang-format on
};

}  // namespace hackbench::alloc
