// SPDX-License-Identifier: MIT
// The loops behind measure.h, for one type of engine in one form.
#pragma once

#include <algorithm>

#include "alloc/measure.h"
#include "atomics/arch.h"

namespace hackbench::alloc {

// A size known before the loop chooses its class there, as kmalloc() of a
// constant size does when it is compiled.
template <class E>
concept HasClasses = requires(E engine) {
  engine.AllocOfClass(0U);
};

template <class E>
struct InlineCalls {
  static constexpr size_t kLargestClass = [] {
    if constexpr (requires { E::kLargestClass; }) {
      return E::kLargestClass;
    } else {
      return kMaxKmallocBytes;
    }
  }();

  explicit InlineCalls(size_t bytes)
      : bytes_(bytes), class_(bytes <= kLargestClass ? ClassFor(bytes) : 0) {}
  // Whether the class can be chosen before the loop.
  static bool HasClass(size_t bytes) {
    return HasClasses<E> && bytes <= kLargestClass;
  }

  [[gnu::always_inline]] void* Alloc(E& engine) const {
    return engine.Alloc(bytes_);
  }
  [[gnu::always_inline]] void* AllocOfClass(E& engine) const {
    if constexpr (HasClasses<E>) return engine.AllocOfClass(class_);
    return nullptr;
  }
  [[gnu::always_inline]] static void Free(E& engine, void* object) {
    engine.Free(object);
  }

 private:
  size_t bytes_;
  unsigned class_;
};

template <class E>
struct OutOfLineCalls {
  explicit OutOfLineCalls(size_t bytes) : bytes_(bytes) {}
  static bool HasClass(size_t) { return false; }

  void* Alloc(E& engine) const { return Call(engine, bytes_); }
  void* AllocOfClass(E& engine) const { return Alloc(engine); }
  [[gnu::noinline]] static void Free(E& engine, void* object) {
    engine.Free(object);
  }

 private:
  [[gnu::noinline]] static void* Call(E& engine, size_t bytes) {
    return engine.Alloc(bytes);
  }
  size_t bytes_;
};

inline void Touch(void* object) { *static_cast<volatile char*>(object) = 1; }

inline double PerCall(uint64_t begin, uint32_t count) {
  return static_cast<double>(atomics::Cpu::ReadCycles() - begin) / count;
}

inline uint64_t NextRandom(uint64_t& state) {
  state = state * 6364136223846793005 + 1442695040888963407;
  return state >> 33;
}

// `Call` is what stands for a call: OutOfLineCalls, or InlineCalls for a peer,
// which is behind a pointer already.
template <class E, class Call>
class Loops : public Measured {
 public:
  template <class Argument>
  explicit Loops(Argument& argument) : engine_(argument) {}

  KmallocSample AllocThenFree(const LoopOptions& options,
                              void** objects) override {
    return options.form == Form::kInline
               ? AllocThenFreeBy<InlineCalls<E>>(options, objects)
               : AllocThenFreeBy<Call>(options, objects);
  }

  double Pair(const LoopOptions& options) override {
    return options.form == Form::kInline ? PairBy<InlineCalls<E>>(options)
                                         : PairBy<Call>(options);
  }

  KmallocSample Bulk(const LoopOptions& options, void** objects) override {
    KmallocSample sample;
    uint32_t had = 0;
    uint64_t begin = atomics::Cpu::ReadCycles();
    for (uint32_t at = 0; at < options.count; at += options.group) {
      const uint32_t group = std::min(options.group, options.count - at);
      had += static_cast<uint32_t>(
          engine_.AllocBulk(options.bytes, group, objects + at));
    }
    sample.alloc =
        had == options.count ? PerCall(begin, options.count) : kRefused;
    begin = atomics::Cpu::ReadCycles();
    if (had == options.count) {
      for (uint32_t at = 0; at < had; at += options.group) {
        engine_.FreeBulk(std::min(options.group, had - at), objects + at);
      }
    }
    sample.free = PerCall(begin, std::max(had, 1U));
    return sample;
  }

  double Produce(const LoopOptions& options, Ring& ring) override {
    bool refused = false;
    const InlineCalls<E> calls(options.bytes);
    const uint64_t begin = atomics::Cpu::ReadCycles();
    for (uint32_t i = 0; i < options.count; ++i) {
      void* const object = calls.Alloc(engine_);
      refused |= object == nullptr;
      ring.Put(object);
    }
    ring.Flush();
    return refused ? kRefused : PerCall(begin, options.count);
  }
  double Consume(const LoopOptions& options, Ring& ring) override {
    const uint64_t begin = atomics::Cpu::ReadCycles();
    for (uint32_t i = 0; i < options.count; ++i) {
      InlineCalls<E>::Free(engine_, ring.Take());
    }
    return PerCall(begin, options.count);
  }

  double Larson(const LoopOptions& options, uint64_t seed, void** objects,
                uint32_t num_objects) override {
    const uint64_t begin = atomics::Cpu::ReadCycles();
    for (uint32_t i = 0; i < options.count; ++i) {
      void*& object = objects[NextRandom(seed) % num_objects];
      Call::Free(engine_, object);
      object = engine_.Alloc(1 + NextRandom(seed) % options.bytes);
      if (object == nullptr) return kRefused;
    }
    return PerCall(begin, options.count);
  }

  void FreeAll(void** objects, uint32_t count) override {
    for (uint32_t i = 0; i < count; ++i) {
      Call::Free(engine_, objects[i]);
      objects[i] = nullptr;
    }
  }
  void Flush() override { engine_.Flush(); }
  absl::Status Check() override { return engine_.Check().status(); }

 private:
  template <class Calls>
  KmallocSample AllocThenFreeBy(const LoopOptions& options, void** objects) {
    KmallocSample sample;
    const bool of_class = Calls::HasClass(options.bytes);
    if (options.touch) {
      sample.alloc = of_class ? AllocLoop<Calls, true, true>(options, objects)
                              : AllocLoop<Calls, true, false>(options, objects);
    } else {
      sample.alloc = of_class
                         ? AllocLoop<Calls, false, true>(options, objects)
                         : AllocLoop<Calls, false, false>(options, objects);
    }
    sample.free = FreeLoop<Calls>(objects, options.count);
    return sample;
  }
  template <class Calls>
  double PairBy(const LoopOptions& options) {
    const bool of_class = Calls::HasClass(options.bytes);
    if (options.touch) {
      return of_class ? PairLoop<Calls, true, true>(options)
                      : PairLoop<Calls, true, false>(options);
    }
    return of_class ? PairLoop<Calls, false, true>(options)
                    : PairLoop<Calls, false, false>(options);
  }

  template <class Calls, bool kTouch, bool kOfClass>
  [[gnu::noinline]] double AllocLoop(const LoopOptions& options,
                                     void** objects) {
    const Calls calls(options.bytes);
    const uint32_t count = options.count;
    const uint64_t begin = atomics::Cpu::ReadCycles();
    for (uint32_t i = 0; i < count; ++i) {
      void* const object =
          kOfClass ? calls.AllocOfClass(engine_) : calls.Alloc(engine_);
      objects[i] = object;
      if constexpr (kTouch) {
        if (object != nullptr) Touch(object);
      }
    }
    const double cycles = PerCall(begin, count);
    return std::find(objects, objects + count, nullptr) == objects + count
               ? cycles
               : kRefused;
  }

  template <class Calls>
  [[gnu::noinline]] double FreeLoop(void** objects, uint32_t count) {
    const uint64_t begin = atomics::Cpu::ReadCycles();
    for (uint32_t i = 0; i < count; ++i) Calls::Free(engine_, objects[i]);
    return PerCall(begin, count);
  }

  template <class Calls, bool kTouch, bool kOfClass>
  [[gnu::noinline]] double PairLoop(const LoopOptions& options) {
    const Calls calls(options.bytes);
    const uint32_t count = options.count;
    bool refused = false;
    const uint64_t begin = atomics::Cpu::ReadCycles();
    for (uint32_t i = 0; i < count; ++i) {
      void* const object =
          kOfClass ? calls.AllocOfClass(engine_) : calls.Alloc(engine_);
      if constexpr (kTouch) {
        if (object != nullptr) Touch(object);
      }
      refused |= object == nullptr;
      Calls::Free(engine_, object);
    }
    return refused ? kRefused : PerCall(begin, count);
  }

  E engine_;
};

}  // namespace hackbench::alloc
