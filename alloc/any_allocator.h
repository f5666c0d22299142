// SPDX-License-Identifier: MIT
// An engine chosen at run time: function pointers for the tasks' loops, and
// virtual calls for the rest.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "alloc/engine.h"

namespace hackbench::alloc {

class AnyAllocator {
 public:
  virtual ~AnyAllocator() = default;
  AnyAllocator(const AnyAllocator&) = delete;
  AnyAllocator& operator=(const AnyAllocator&) = delete;

  void* Alloc(size_t bytes) { return alloc_(engine_, bytes); }
  void Free(void* object) { free_(engine_, object); }
  void* AllocFrom(Cache* cache) { return alloc_from_(engine_, cache); }

  virtual size_t AllocBulk(size_t bytes, size_t count, void** objects) = 0;
  virtual void FreeBulk(size_t count, void** objects) = 0;
  virtual size_t UsableSize(void* object) = 0;
  virtual absl::StatusOr<Cache*> CreateCache(std::string_view name,
                                             size_t bytes) = 0;
  virtual Statistics Stats() = 0;
  virtual absl::StatusOr<Audit> Check() = 0;
  virtual void Recover() = 0;
  virtual void Flush() = 0;

 protected:
  AnyAllocator() = default;

  void* engine_ = nullptr;
  void* (*alloc_)(void* engine, size_t bytes) = nullptr;
  void (*free_)(void* engine, void* object) = nullptr;
  void* (*alloc_from_)(void* engine, Cache* cache) = nullptr;
};

template <AllocatorEngine E>
class TypedAllocator : public AnyAllocator {
 public:
  explicit TypedAllocator(Heap& heap) : typed_(heap) {
    engine_ = &typed_;
    alloc_ = [](void* engine, size_t bytes) {
      return static_cast<E*>(engine)->Alloc(bytes);
    };
    free_ = [](void* engine, void* object) {
      static_cast<E*>(engine)->Free(object);
    };
    alloc_from_ = [](void* engine, Cache* cache) {
      return static_cast<E*>(engine)->AllocFrom(cache);
    };
  }

  size_t AllocBulk(size_t bytes, size_t count, void** objects) override {
    return typed_.AllocBulk(bytes, count, objects);
  }
  void FreeBulk(size_t count, void** objects) override {
    typed_.FreeBulk(count, objects);
  }
  size_t UsableSize(void* object) override { return typed_.UsableSize(object); }
  absl::StatusOr<Cache*> CreateCache(std::string_view name,
                                     size_t bytes) override {
    return typed_.CreateCache(name, bytes);
  }
  Statistics Stats() override { return typed_.Stats(); }
  absl::StatusOr<Audit> Check() override { return typed_.Check(); }
  void Recover() override { typed_.Recover(); }
  void Flush() override { typed_.Flush(); }

 private:
  E typed_;
};

}  // namespace hackbench::alloc
