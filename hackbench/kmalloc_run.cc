// SPDX-License-Identifier: MIT
#include "hackbench/kmalloc_run.h"

#include <absl/status/status.h>
#include <fmt/format.h>

#include <algorithm>
#include <barrier>
#include <thread>

#include "alloc/allocator_list.h"
#include "alloc/debug_engine.h"
#include "alloc/heap.h"
#include "atomics/pin.h"

namespace hackbench {
namespace {

using alloc::KmallocSample;
using alloc::LoopOptions;
using alloc::Measured;

constexpr int kRepetitions = 3;  // Of one loop in one round; the least counts.
constexpr uint32_t kLarsonObjects = 1000;
// Loops that leave more than this behind give it back before the next size.
constexpr size_t kKeepBytes = size_t{64} << 20;

// Whoever is measured, with what it lives in.
struct Participant {
  std::string name;
  bool is_peer = false;
  std::string_view irq_model = "none";
  std::unique_ptr<alloc::Heap> heap;
  std::unique_ptr<Measured> measured;
};

absl::StatusOr<Participant> MakeEngine(const std::string& name,
                                       const KmallocOptions& options) {
  Participant made;
  made.name = name;
  made.irq_model = alloc::FindAllocator(name)->traits.irq_model;
  alloc::HeapOptions heap_options;
  heap_options.arena = options.arena;
  auto heap = alloc::Heap::Create(heap_options);
  if (!heap.ok()) return heap.status();
  made.heap = *std::move(heap);
  ReportBusErrors(made.heap->arena());
  auto measured = alloc::MeasureEngine(name, *made.heap);
  if (!measured.ok()) return measured.status();
  made.measured = *std::move(measured);
  return made;
}

Participant MakePeer(const LoadedPeer& peer) {
  Participant made;
  made.name = peer.name;
  made.is_peer = true;
  made.measured = alloc::MeasurePeer(peer.functions);
  return made;
}

// What one loop says: both parts, or their sum alone.
struct Sample {
  KmallocSample parts;
  double total = 0;
  bool has_parts = false;

  [[nodiscard]] bool refused() const {
    return parts.alloc < 0 || parts.free < 0 || total < 0;
  }
};

Sample OfParts(KmallocSample parts) {
  return {parts, parts.alloc + parts.free, true};
}
Sample OfTotal(double total) { return {{}, total, false}; }

// `work` on both CPUs at once, with the number of the side.
template <class Work>
void OnTwoCpus(const std::vector<int>& cpus, Work work) {
  std::barrier start(2);
  std::thread other([&] {
    atomics::PinToCpu(cpus[1]);
    start.arrive_and_wait();
    work(1);
  });
  start.arrive_and_wait();
  work(0);
  other.join();
}

class Sampler {
 public:
  Sampler(const KmallocOptions& options, const std::vector<int>& cpus)
      : cpus_(cpus),
        objects_{std::vector<void*>(options.count),
                 std::vector<void*>(options.count)} {
    for (auto& objects : larson_) objects.assign(kLarsonObjects, nullptr);
  }

  // The least of some repetitions, after one to warm up.
  Sample Best(Measured& measured, KmallocTest test,
              const LoopOptions& options) {
    Sample best = Once(measured, test, options);
    if (best.refused()) return best;
    for (int i = 0; i < kRepetitions; ++i) {
      const Sample sample = Once(measured, test, options);
      if (sample.refused()) return sample;
      if (i == 0 || sample.total < best.total) best = sample;
    }
    return best;
  }

 private:
  Sample Once(Measured& measured, KmallocTest test,
              const LoopOptions& options) {
    switch (test) {
      case KmallocTest::kAllocThenFree:
        return OfParts(measured.AllocThenFree(options, objects_[0].data()));
      case KmallocTest::kPair:
        return OfTotal(measured.Pair(options));
      case KmallocTest::kBulk:
        return OfParts(measured.Bulk(options, objects_[0].data()));
      case KmallocTest::kConcurrent:
        return Concurrent(measured, options);
      case KmallocTest::kRemote:
        return Remote(measured, options);
      case KmallocTest::kLarson:
        return Larson(measured, options);
    }
    return {};
  }

  Sample Concurrent(Measured& measured, const LoopOptions& options) {
    KmallocSample sides[2];
    OnTwoCpus(cpus_, [&](int side) {
      sides[side] = measured.AllocThenFree(options, objects_[side].data());
    });
    if (OfParts(sides[0]).refused()) return OfParts(sides[0]);
    if (OfParts(sides[1]).refused()) return OfParts(sides[1]);
    return OfParts({std::max(sides[0].alloc, sides[1].alloc),
                    std::max(sides[0].free, sides[1].free)});
  }

  Sample Remote(Measured& measured, const LoopOptions& options) {
    auto ring = std::make_unique<alloc::Ring>();
    double sides[2] = {};
    OnTwoCpus(cpus_, [&](int side) {
      sides[side] = side == 0 ? measured.Produce(options, *ring)
                              : measured.Consume(options, *ring);
    });
    if (sides[0] < 0) return OfTotal(sides[0]);
    return OfTotal(std::max(sides[0], sides[1]));
  }

  // In the second half each side frees what the other allocated.
  Sample Larson(Measured& measured, const LoopOptions& options) {
    double sides[2] = {};
    for (int half = 0; half < 2; ++half) {
      OnTwoCpus(cpus_, [&](int side) {
        sides[side] =
            measured.Larson(options, seed_ + side,
                            larson_[(side + half) % 2].data(), kLarsonObjects);
      });
    }
    seed_ += 2;
    for (auto& objects : larson_) {
      measured.FreeAll(objects.data(), kLarsonObjects);
    }
    if (sides[0] < 0 || sides[1] < 0) return OfTotal(alloc::kRefused);
    return OfTotal(std::max(sides[0], sides[1]));
  }

  const std::vector<int>& cpus_;
  std::vector<void*> objects_[2];
  std::vector<void*> larson_[2];
  uint64_t seed_ = 1;
};

void Record(const Sample& sample, KmallocRow& row) {
  if (sample.refused()) {
    row.refused = true;
    return;
  }
  if (sample.has_parts) {
    row.alloc.Add(sample.parts.alloc);
    row.free.Add(sample.parts.free);
  }
  row.total.Add(sample.total);
}

// The zero point has nothing to touch.
bool Applies(const Participant& who, bool touch) {
  return !(touch && who.heap != nullptr &&
           !alloc::FindAllocator(who.name)->traits.usable);
}

// Rows of one size: for each test, form and touch every participant, in turn.
void MeasureSize(KmallocTable& table, std::vector<Participant>& participants,
                 Sampler& sampler, size_t bytes) {
  const KmallocOptions& options = table.options;
  for (const KmallocTestEntry& test : options.tests) {
    for (const alloc::Form form : options.forms) {
      for (const bool touch : options.touch) {
        const size_t first = table.rows.size();
        std::vector<Participant*> who;
        for (Participant& participant : participants) {
          if (!Applies(participant, touch)) continue;
          KmallocRow row;
          row.name = participant.name;
          row.is_peer = participant.is_peer;
          row.irq_model = participant.irq_model;
          row.test = test;
          row.form = form;
          row.touch = touch;
          row.bytes = bytes;
          table.rows.push_back(std::move(row));
          who.push_back(&participant);
        }
        const LoopOptions loop = {bytes, options.count, options.group, touch,
                                  form};
        for (int round = 0; round < options.rounds; ++round) {
          for (size_t i = 0; i < who.size(); ++i) {
            KmallocRow& row = table.rows[first + i];
            if (row.refused) continue;
            Record(sampler.Best(*who[i]->measured, test.test, loop), row);
          }
        }
      }
    }
  }
}

void GiveBack(Participant& participant, size_t bytes) {
  participant.measured->Flush();
  if (participant.heap != nullptr && bytes > kKeepBytes) {
    participant.heap->pages().ReleaseFree(alloc::kMaxOrder);
  }
}

// Tests that need more CPUs than there are go, with a note.
void DropTests(KmallocTable& table) {
  std::erase_if(table.options.tests, [&](const KmallocTestEntry& test) {
    if (test.cpus <= static_cast<int>(table.cpus.size())) return false;
    table.notes.push_back(fmt::format(
        "{}: not measured, it needs {} CPUs and this process may use {}",
        test.name, test.cpus, table.cpus.size()));
    return true;
  });
}

}  // namespace

double KmallocSeries::Quantile(double share) const {
  if (rounds_.empty()) return 0;
  std::vector<double> sorted = rounds_;
  std::sort(sorted.begin(), sorted.end());
  const double rank = share * static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<size_t>(rank + 0.5)];
}

absl::StatusOr<KmallocTable> MeasureKmalloc(const KmallocOptions& options,
                                            std::span<const LoadedPeer> peers) {
  KmallocTable table;
  table.options = options;
  alloc::debug_flags = options.debug_flags;
  table.cpus = atomics::AllowedCpus();
  DropTests(table);
  std::vector<Participant> participants;
  for (const std::string& name : options.engines) {
    absl::StatusOr<Participant> made = MakeEngine(name, options);
    if (!made.ok()) return made.status();
    table.arena = made->heap->arena().Describe();
    participants.push_back(*std::move(made));
  }
  for (const LoadedPeer& peer : peers) participants.push_back(MakePeer(peer));

  const atomics::PinnedScope pinned(table.cpus.front());
  Sampler sampler(options, table.cpus);
  for (const size_t bytes : options.sizes) {
    MeasureSize(table, participants, sampler, bytes);
    for (Participant& participant : participants) {
      GiveBack(participant, bytes * options.count);
    }
  }
  for (Participant& participant : participants) {
    const absl::Status status = participant.measured->Check();
    if (status.ok()) continue;
    return absl::InternalError(fmt::format(
        "{}: the books do not balance, no figure is to be trusted: {}",
        participant.name, std::string(status.message())));
  }
  return table;
}

}  // namespace hackbench
