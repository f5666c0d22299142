// SPDX-License-Identifier: MIT
// What one allocation and one free cost: the loops of slab_test (2007, 2009),
// a remote free, and larson's server, for every engine of the list and for
// allocators that are given as two functions.
//
// The loop is compiled together with the engine (inline) or calls it through a
// function that is not inlined (call), which is how a peer from a library is
// reached. A loop counts cycles from before its first to after its last call;
// whatever else it does costs the same in all of them.
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "alloc/allocator_list.h"

namespace hackbench::alloc {

enum class Form { kInline, kCall };
std::string_view FormName(Form form);

// Cycles per call; negative where an allocation was refused.
struct KmallocSample {
  double alloc = 0;
  double free = 0;
};
inline constexpr double kRefused = -1;

struct LoopOptions {
  size_t bytes = 8;
  uint32_t count = 10000;  // Calls per loop.
  uint32_t group = 16;     // Objects per bulk call.
  bool touch = false;      // Write one byte of each new object.
  Form form = Form::kInline;
};

// One engine, or peer, to be measured.
class Measured {
 public:
  virtual ~Measured() = default;
  Measured(const Measured&) = delete;
  Measured& operator=(const Measured&) = delete;

  // `objects` has room for `count` of them.
  virtual KmallocSample AllocThenFree(const LoopOptions& options,
                                      void** objects) = 0;
  virtual double Pair(const LoopOptions& options) = 0;
  virtual KmallocSample Bulk(const LoopOptions& options, void** objects) = 0;
  // The two sides of a remote free, on two threads; cycles per object.
  virtual double Produce(const LoopOptions& options, class Ring& ring) = 0;
  virtual double Consume(const LoopOptions& options, class Ring& ring) = 0;
  // Replaces random ones of `objects`, all there or null, by new ones of up to
  // `bytes`; cycles per replacement.
  virtual double Larson(const LoopOptions& options, uint64_t seed,
                        void** objects, uint32_t num_objects) = 0;
  virtual void FreeAll(void** objects, uint32_t count) = 0;
  // Gives memory back between sizes; while nobody else is at work.
  virtual void Flush() = 0;
  virtual absl::Status Check() = 0;

 protected:
  Measured() = default;
};

// A ring of pointers between one producer and one consumer. Either side tells
// the other of a batch at a time, so that the ring itself costs little; the
// engine `none` says how much.
class Ring {
 public:
  static constexpr uint32_t kSlots = 1024;
  static constexpr uint32_t kBatch = 32;

  void Put(void* object) {
    while (put_ - taken_seen_ == kSlots) {
      taken_seen_ = __atomic_load_n(&taken_, __ATOMIC_ACQUIRE);
    }
    slots_[put_ % kSlots] = object;
    if (++put_ % kBatch == 0) Flush();
  }
  // Behind the last Put().
  void Flush() { __atomic_store_n(&put_told_, put_, __ATOMIC_RELEASE); }

  void* Take() {
    while (took_ == put_seen_) {
      put_seen_ = __atomic_load_n(&put_told_, __ATOMIC_ACQUIRE);
    }
    void* const object = slots_[took_ % kSlots];
    if (++took_ % kBatch == 0) {
      __atomic_store_n(&taken_, took_, __ATOMIC_RELEASE);
    }
    return object;
  }

 private:
  void* slots_[kSlots] = {};
  // What each side alone uses, and the two counts that both see.
  alignas(128) uint64_t put_ = 0;
  uint64_t taken_seen_ = 0;
  alignas(128) uint64_t took_ = 0;
  uint64_t put_seen_ = 0;
  alignas(128) uint64_t put_told_ = 0;
  alignas(128) uint64_t taken_ = 0;
};

// An engine of the list; `heap` must outlive it. NotFound for other names.
absl::StatusOr<std::unique_ptr<Measured>> MeasureEngine(std::string_view name,
                                                        Heap& heap);

// An allocator given by its functions, reached through them in either form.
struct PeerFunctions {
  void* (*malloc)(size_t bytes) = nullptr;
  void (*free)(void* object) = nullptr;
};
std::unique_ptr<Measured> MeasurePeer(PeerFunctions functions);

}  // namespace hackbench::alloc
