// SPDX-License-Identifier: MIT
// How long one operation takes: loops, samples and their median.
//
// A sample is one run of a loop of kOpsPerSample operations. Four loops per
// variant: a dependent chain (latency) and independent targets (throughput),
// each alone and with a store before every operation that misses the caches,
// for a LOCK must wait for such stores. A fifth runs on two CPUs at once.
// Samples of all variants are taken in turn, so that drift of the machine meets
// them alike.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

#include "atomics/pin.h"
#include "atomics/variants.h"

namespace hackbench::atomics {

inline constexpr int kOpsPerSample = 4096;
inline constexpr int kNumTargets = 8;
// Beyond a core's own caches; larger only measures the memory of a busy host.
inline constexpr size_t kMissBytes = size_t{8} << 20;

// What the loops run on. About 8 MB, touched once; in huge pages where they can
// be had, for a missing store should not wait for a page walk too.
class Bench {
 public:
  Bench()
      : cpus_(PossibleCpus()),
        areas_(new (
            std::align_val_t{kPerCpuAlign}) char[kNumTargets * AreaBytes()]),
        lines_(new PerCpu<BenchLine>::Slot[kNumTargets]),
        far_(static_cast<uint64_t*>(operator new[](
            kMissBytes, std::align_val_t{kHugePageBytes}))) {
    madvise(far_, kMissBytes, MADV_HUGEPAGE);
    std::fill_n(far_, kMissBytes / sizeof(uint64_t), 1);
    for (int i = 0; i < kNumTargets; ++i) {
      PerCpu<BenchLine>::Make(Area(i), cpus_);
    }
  }
  ~Bench() {
    operator delete[](far_, std::align_val_t{kHugePageBytes});
    operator delete[](areas_, std::align_val_t{kPerCpuAlign});
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  [[nodiscard]] Target At(int i) const {
    return {&lines_[static_cast<size_t>(i)].value, {Area(i), cpus_}};
  }
  uint64_t* far() { return far_; }
  // Where the random walk over far() is; it goes on from loop to loop, or the
  // second loop would find the lines of the first.
  uint64_t& walk() { return walk_; }

 private:
  static constexpr size_t kHugePageBytes = size_t{2} << 20;

  [[nodiscard]] size_t AreaBytes() const {
    return PerCpu<BenchLine>::BytesFor(cpus_);
  }
  [[nodiscard]] char* Area(int i) const {
    return areas_ + static_cast<size_t>(i) * AreaBytes();
  }

  uint32_t cpus_;
  char* areas_;
  std::unique_ptr<PerCpu<BenchLine>::Slot[]> lines_;
  uint64_t* far_;
  uint64_t walk_ = 1;
};

// A store to a line that is in no near cache: a random one of 8 MB.
class MissingStore {
 public:
  explicit MissingStore(Bench& bench)
      : bench_(bench), far_(bench.far()), state_(bench.walk()) {}
  ~MissingStore() { bench_.walk() = state_; }
  MissingStore(const MissingStore&) = delete;
  MissingStore& operator=(const MissingStore&) = delete;

  void Store() {
    // Knuth's MMIX generator; its high bits are the random ones.
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    constexpr uint64_t kMask = kMissBytes / sizeof(uint64_t) - 1;
    *const_cast<volatile uint64_t*>(&far_[state_ >> 32 & kMask]) = state_;
  }

 private:
  Bench& bench_;
  uint64_t* far_;
  uint64_t state_;
};

struct NoStore {
  explicit NoStore(Bench&) {}
  void Store() {}
};

enum class Chain { kDependent, kIndependent };
enum class Before { kNothing, kMissingStore };

// The operand of a dependent operation is the result of the one before it.
template <class Variant, Chain kChain, Before kBefore>
[[gnu::noinline]] void RunLoop(Bench& bench, int ops) {
  std::conditional_t<kBefore == Before::kMissingStore, MissingStore, NoStore>
      before(bench);
  const Target own = bench.At(0);
  uint64_t value = 1;
  for (int i = 0; i < ops; i += kNumTargets) {
#pragma GCC unroll 8
    for (int j = 0; j < kNumTargets; ++j) {
      before.Store();
      if constexpr (kChain == Chain::kDependent) {
        value = Variant::Do(own, value);
      } else {
        const uint64_t result =
            Variant::Do(bench.At(j), static_cast<uint64_t>(i));
        asm volatile("" : : "r"(result));
      }
    }
  }
  asm volatile("" : : "r"(value));
}

using Loop = void (*)(Bench& bench, int ops);

struct VariantEntry {
  std::string_view op;
  std::string_view name;
  std::string_view summary;
  VariantTraits traits;
  std::string (*why_not)();
  Loop latency;
  Loop throughput;
  Loop latency_behind_store;
  Loop throughput_behind_store;
};

template <class V>
constexpr VariantEntry MakeEntry() {
  using enum Chain;
  using enum Before;
  return {V::kOp,
          V::kName,
          V::kSummary,
          V::kTraits,
          &V::WhyNot,
          &RunLoop<V, kDependent, kNothing>,
          &RunLoop<V, kIndependent, kNothing>,
          &RunLoop<V, kDependent, kMissingStore>,
          &RunLoop<V, kIndependent, kMissingStore>};
}

// One operation, in counter cycles and in ns.
struct Sample {
  double cycles = 0;
  double ns = 0;
};

template <class Run>
Sample TakeSample(int ops, Run run) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const uint64_t first = Cpu::ReadCycles();
  run();
  const uint64_t last = Cpu::ReadCycles();
  const std::chrono::duration<double, std::nano> elapsed = Clock::now() - start;
  return {static_cast<double>(last - first) / ops, elapsed.count() / ops};
}

inline Sample SampleLoop(Loop loop, Bench& bench) {
  return TakeSample(kOpsPerSample, [&] { loop(bench, kOpsPerSample); });
}

// The same loop on a second CPU meanwhile; what the first one saw.
inline Sample SampleOnTwoCpus(Loop loop, Bench& bench, int other_cpu) {
  bool running = false;
  bool stop = false;
  std::thread other([&] {
    PinToCpu(other_cpu);
    // relaxed throughout: flags, nothing is published with them.
    __atomic_store_n(&running, true, __ATOMIC_RELAXED);
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) loop(bench, 64);
  });
  while (!__atomic_load_n(&running, __ATOMIC_RELAXED)) Cpu::Relax();
  const Sample sample = SampleLoop(loop, bench);
  __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
  other.join();
  return sample;
}

// There and back of one line between two CPUs: the yardstick for the above.
inline Sample SampleRoundTrip(int other_cpu) {
  constexpr int kTrips = 1024;
  struct alignas(kPerCpuAlign) {
    uint64_t word = 0;
  } ball;
  const auto wait_for = [&](uint64_t value) {
    while (__atomic_load_n(&ball.word, __ATOMIC_ACQUIRE) != value) Cpu::Relax();
  };
  std::thread other([&] {
    PinToCpu(other_cpu);
    for (uint64_t i = 0; i < kTrips + 1; ++i) {
      wait_for(2 * i + 1);
      __atomic_store_n(&ball.word, 2 * i + 2, __ATOMIC_RELEASE);
    }
  });
  const auto trip = [&](uint64_t i) {
    __atomic_store_n(&ball.word, 2 * i + 1, __ATOMIC_RELEASE);
    wait_for(2 * i + 2);
  };
  trip(0);  // The other side is up and pinned from here on.
  const Sample sample = TakeSample(kTrips, [&] {
    for (uint64_t i = 1; i < kTrips + 1; ++i) trip(i);
  });
  other.join();
  return sample;
}

// Counter cycles per core cycle, by a chain of additions of one core cycle
// each. 0 where the backend has no such chain.
inline Sample SampleCoreCycle() {
  constexpr int kChains = 512;
  if constexpr (Cpu::kChainAdds == 0) return {};
  return TakeSample(kChains * Cpu::kChainAdds, [] {
    uint64_t value = 1;
    for (int i = 0; i < kChains; ++i) value = Cpu::AddChain(value);
    asm volatile("" : : "r"(value));
  });
}

// A column of one variant: its samples, and what they say.
class Cell {
 public:
  // Beyond this share of the figure the quartiles are too far apart to print
  // it; differences below the floor, in cycles, are forgiven.
  // Memory is less steady than a core: what waits for it gets more.
  static constexpr double kMemorySpreadBound = 0.4;
  static constexpr double kSpreadBound = 0.15;
  static constexpr double kSpreadFloor = 0.3;

  void Add(Sample sample) {
    cycles_.push_back(sample.cycles);
    ns_.push_back(sample.ns);
  }
  [[nodiscard]] bool empty() const { return cycles_.empty(); }
  [[nodiscard]] size_t size() const { return cycles_.size(); }
  [[nodiscard]] double Cycles() const { return Quantile(cycles_, 0.5); }
  [[nodiscard]] double Ns() const { return Quantile(ns_, 0.5); }
  // Between the quartiles, in cycles.
  [[nodiscard]] double Spread() const {
    return Quantile(cycles_, 0.75) - Quantile(cycles_, 0.25);
  }
  // `figure` is the median less what was subtracted from it.
  [[nodiscard]] bool IsNoise(double figure, double bound) const {
    return Spread() > std::max(bound * figure, kSpreadFloor);
  }

 private:
  static double Quantile(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    const auto rank = static_cast<ptrdiff_t>(
        share * static_cast<double>(values.size() - 1) + 0.5);
    std::nth_element(values.begin(), values.begin() + rank, values.end());
    return values[static_cast<size_t>(rank)];
  }

  std::vector<double> cycles_;
  std::vector<double> ns_;
};

}  // namespace hackbench::atomics
