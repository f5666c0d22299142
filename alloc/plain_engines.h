// SPDX-License-Identifier: MIT
// The engines that are not ours: `none`, the zero point, and `malloc`, whatever
// the program is linked to or preloaded with. Both are of one process only.
#pragma once

#include <malloc.h>

#include <cstdlib>

#include "alloc/engine.h"

namespace hackbench::alloc {

// Shared by both: nothing is known of their insides.
class OpaqueEngine {
 public:
  static std::string WhyNot() { return {}; }
  explicit OpaqueEngine(Heap& heap) : heap_(&heap) {}

  absl::StatusOr<Cache*> CreateCache(std::string_view name, size_t bytes) {
    return heap_->CreateCache(name, bytes);
  }
  Statistics Stats() { return {}; }
  absl::StatusOr<Audit> Check() { return Audit{}; }
  void Recover() {}
  void Flush() {}

 protected:
  Heap* heap_;
};

// One place for all: nobody may write there.
class NoneEngine : public OpaqueEngine {
 public:
  static constexpr std::string_view kName = "none";
  static constexpr std::string_view kSummary =
      "hands out one address and frees nothing: the cost of the loop";
  static constexpr EngineTraits kTraits = {
      .between_processes = false, .safe = false, .usable = false};
  using OpaqueEngine::OpaqueEngine;

  void* Alloc(size_t) { return heap_->base(); }
  void Free(void* object) { asm volatile("" : : "r"(object)); }
  size_t AllocBulk(size_t, size_t count, void** objects) {
    std::fill_n(objects, count, heap_->base());
    return count;
  }
  void FreeBulk(size_t, void**) {}
  size_t UsableSize(void*) { return 0; }
  void* AllocFrom(Cache*) { return heap_->base(); }
};

class MallocEngine : public OpaqueEngine {
 public:
  static constexpr std::string_view kName = "malloc";
  static constexpr std::string_view kSummary =
      "malloc() of the C library, or what stands for it";
  static constexpr EngineTraits kTraits = {.between_processes = false};
  using OpaqueEngine::OpaqueEngine;

  void* Alloc(size_t bytes) { return malloc(bytes == 0 ? 1 : bytes); }
  void Free(void* object) { free(object); }
  size_t AllocBulk(size_t bytes, size_t count, void** objects) {
    for (size_t i = 0; i < count; ++i) {
      objects[i] = Alloc(bytes);
      if (objects[i] == nullptr) return i;
    }
    return count;
  }
  void FreeBulk(size_t count, void** objects) {
    for (size_t i = 0; i < count; ++i) free(objects[i]);
  }
  size_t UsableSize(void* object) { return malloc_usable_size(object); }
  void* AllocFrom(Cache* cache) { return malloc(cache->object_bytes); }
};

}  // namespace hackbench::alloc
