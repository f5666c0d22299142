// SPDX-License-Identifier: MIT
// slub_debug=FZPUTA: one object at a time under the list lock, with red zones,
// poison, and who allocated and who freed. The reference that the other engines
// are compared with; many times slower, and not a row of any table.
//
// A finding is reported, counted, mended and survived. An object whose free
// cannot be trusted is not taken back.
#pragma once

#include <unistd.h>

#include "alloc/debug_object.h"
#include "alloc/debug_report.h"
#include "alloc/slab_base.h"
#include "atomics/current_cpu.h"

namespace hackbench::alloc {

// Of engines made from here on. F, Z, P and U unless told.
inline uint32_t debug_flags =
    kDebugConsistency | kDebugRedZone | kDebugPoison | kDebugTrack;

// The flags of letters as slub_debug= takes them; InvalidArgument for others.
inline absl::StatusOr<uint32_t> ParseDebugFlags(std::string_view letters) {
  uint32_t flags = 0;
  for (const char letter : letters) {
    const size_t at = kDebugLetters.find(letter);
    if (at == std::string_view::npos) {
      return absl::InvalidArgumentError(
          std::string("--slub-debug knows F, Z, P, U, T and A, not '") +
          letter + "'");
    }
    flags |= 1U << at;
  }
  return flags;
}

// Pages come from other caches, whose remains say nothing of an object.
struct DebugSlab : PlainSlab {
  static void InitSlot(const Cache& cache, char* slot) {
    DebugObject(cache, slot).tail() = DebugTail{};
  }
};

template <StatsMode kStats>
class DebugEngine : public SlabBase<DebugEngine<kStats>, DebugSlab, kStats> {
 public:
  using Base = SlabBase<DebugEngine, DebugSlab, kStats>;
  friend Base;
  static constexpr std::string_view kName = "debug";
  static constexpr std::string_view kSummary =
      "slub_debug: red zones, poison and tracks under one lock per cache";
  static constexpr EngineTraits kTraits = {.for_tables = false};
  static constexpr bool kDetachedRuns = false;

  static std::string WhyNot() { return {}; }
  static constexpr size_t SlotBytes(size_t bytes) {
    return DebugSlotBytes(bytes);
  }

  explicit DebugEngine(Heap& heap) : Base(heap), flags_(debug_flags) {
    errors_ = static_cast<uint64_t*>(heap.Carve(sizeof(uint64_t)));
    Base::CreateKmallocCaches();
  }

  [[gnu::noinline]] void* AllocFrom(Cache* cache) {
    return AllocTracked(cache, ToWord(__builtin_return_address(0)));
  }

  size_t UsableSize(void* object) const {
    if (object == nullptr) return 0;
    const SlabDescriptor& slab = heap_.SlabOf(object);
    return slab.kind == PageKind::kSlab ? heap_.cache(slab.cache).object_bytes
                                        : Base::UsableSize(object);
  }

  // Every object of every slab is looked at, too.
  absl::StatusOr<Audit> Check() {
    const uint64_t before = errors();
    ValidateAll();
    if (errors() != before) {
      return absl::InternalError(std::to_string(errors() - before) +
                                 " damaged objects; see the reports");
    }
    return Base::Check();
  }

  // Findings so far, of all processes.
  [[nodiscard]] uint64_t errors() const {
    return __atomic_load_n(errors_, __ATOMIC_RELAXED);
  }

  void ValidateAll() {
    heap_.ForEachBlock([&](SlabDescriptor& slab) {
      if (slab.kind != PageKind::kSlab) return;
      Cache& cache = heap_.cache(slab.cache);
      char* const start = heap_.AddressOf(heap_.PageOf(slab));
      for (uint32_t i = 0; i < slab.objects; ++i) {
        Validate(cache, DebugObject(cache, start + size_t{cache.size} * i));
      }
    });
  }

 private:
  using Base::heap_;
  using Base::layer_;

  [[nodiscard]] bool Has(DebugFlag flag) const { return (flags_ & flag) != 0; }

  void* AllocTracked(Cache* cache, uint64_t caller) {
    char* const slot = layer_.AllocOne(*cache);
    if (slot == nullptr) {
      heap_.CountFailure();
      return nullptr;
    }
    Count<kStats>(cache->node_stats, kAllocSlowpath);
    const DebugObject object(*cache, slot);
    Validate(*cache, object);
    if (Has(kDebugRedZone)) object.FillRedZones(kRedActive);
    if (Has(kDebugPoison)) {
      std::memset(object.object(), kPoisonInUse, object.bytes());
    }
    if (Has(kDebugTrack)) Note(object.tail().allocated, caller);
    object.tail().state = kStateUsed;
    if (Has(kDebugTrace)) Trace("alloc", *cache, object);
    return object.object();
  }

  void FreeTo(Cache& cache, SlabDescriptor& slab, char* pointer) {
    Count<kStats>(cache.node_stats, kFreeSlowpath);
    char* const slot = DebugObject::SlotOf(pointer);
    const DebugObject object(cache, slot);
    if (Has(kDebugConsistency) && !IsSlot(cache, slab, slot)) {
      return Report(cache, DebugObject(cache, NearestSlot(cache, slab, slot)),
                    {.what = "Invalid object pointer", .where = nullptr});
    }
    if (Has(kDebugConsistency) && object.tail().state != kStateUsed) {
      return Report(cache, object,
                    {.what = object.tail().state == kStateFree
                                 ? "Object already free"
                                 : "Object state overwritten",
                     .where = nullptr});
    }
    Validate(cache, object);
    if (Has(kDebugRedZone)) object.FillRedZones(kRedInactive);
    if (Has(kDebugPoison)) object.PoisonFree();
    if (Has(kDebugTrack)) {
      Note(object.tail().freed, ToWord(__builtin_return_address(0)));
    }
    object.tail().state = kStateFree;
    if (Has(kDebugTrace)) Trace("free", cache, object);
    layer_.FreeUnderListLock(cache, slab, slot);
  }

  // Reports what is wrong with an object, at most once, and mends it.
  void Validate(Cache& cache, const DebugObject& object) {
    const uint64_t state = object.tail().state;
    if (state == kStateFresh) return;
    const bool used = state == kStateUsed;
    if (!used && state != kStateFree) {
      Report(cache, object, {.what = "Object state overwritten"});
      object.tail().state = kStateFree;
      return;
    }
    if (Has(kDebugRedZone)) {
      const uint8_t red = used ? kRedActive : kRedInactive;
      const char* const left = object.LeftRedZoneDamage(red);
      const char* const right = object.RightRedZoneDamage(red);
      if (left != nullptr || right != nullptr) {
        Report(cache, object,
               {.what = left != nullptr ? "Left Redzone overwritten"
                                        : "Right Redzone overwritten",
                .where = left != nullptr ? left : right,
                .expected = red});
        object.FillRedZones(red);
        return;
      }
    }
    if (Has(kDebugPoison) && !used) {
      const char* const damage = object.PoisonDamage();
      if (damage != nullptr) {
        Report(cache, object,
               {.what = "Poison overwritten",
                .where = damage,
                .expected = damage == object.object() + object.bytes() - 1
                                ? kPoisonEnd
                                : kPoisonFree});
        object.PoisonFree();
      }
    }
  }

  bool IsSlot(const Cache& cache, const SlabDescriptor& slab,
              const char* slot) const {
    const char* const start = heap_.AddressOf(heap_.PageOf(slab));
    return slot >= start && static_cast<size_t>(slot - start) % cache.size == 0;
  }
  char* NearestSlot(const Cache& cache, const SlabDescriptor& slab,
                    const char* slot) const {
    char* const start = heap_.AddressOf(heap_.PageOf(slab));
    if (slot < start) return start;
    return start + static_cast<size_t>(slot - start) / cache.size * cache.size;
  }

  void Report(const Cache& cache, const DebugObject& object,
              const DebugFinding& finding) {
    __atomic_fetch_add(errors_, 1, __ATOMIC_RELAXED);  // A counter.
    EmitDebugReport(DebugReport(cache, object, finding));
  }

  static void Note(Track& track, uint64_t caller) {
    track = {caller, atomics::Cpu::ReadCycles(), atomics::CurrentCpuId(),
             static_cast<uint32_t>(getpid())};
  }
  static void Trace(const char* what, const Cache& cache,
                    const DebugObject& object) {
    EmitDebugReport(std::string("TRACE ") + cache.name + " " + what + " " +
                    std::to_string(ToWord(object.object())) + "\n");
  }

  bool SetUpCache(Cache&) { return errors_ != nullptr; }
  template <class Visit>
  void ForEachStatistics(const Cache&, Visit) const {}
  bool IsCpuSlab(const Cache&, const SlabDescriptor&) const { return false; }
  template <class Next>
  absl::Status CheckCpus(const Cache&, SlabAudit&, Next) {
    return absl::OkStatus();
  }
  void FlushCache(Cache&) {}
  void RecoverCache(Cache&) {}

  uint32_t flags_;
  uint64_t* errors_;
};

}  // namespace hackbench::alloc
