// SPDX-License-Identifier: MIT
// The fast paths of cmpxchg-local: how a CPU's free list is popped and pushed,
// and how a slow path takes it away and gives it back.
//
//   Pop      the first object, or nullptr: take the slow path
//   Push     true when `slab` was the CPU's slab and took the object
//   Detach   with the lock of `cpu` held: the slab and its list are nobody's
//            then. False when the caller has left the CPU; nothing changed.
//   Attach   gives a detached CPU a slab and a list; from any CPU.
//
// While both are detached no fast path writes them, which is why attaching may
// use plain stores: free list first, slab last.
#pragma once

#include <bit>
#include <string>

#include "alloc/corruption.h"
#include "alloc/cpu_slab.h"
#include "alloc/slab_word.h"
#include "atomics/cmpxchg.h"
#include "atomics/current_cpu.h"
#include "atomics/rseq_registration.h"
#include "atomics/tid.h"

namespace hackbench::alloc {

using atomics::RseqResult;

inline std::string WhyNoRseq() {
  if (atomics::kRseqRegistration.path != atomics::RseqPath::kNone) return {};
  return atomics::kRseqRegistration.reason;
}

// What a fast path is told of its cache.
struct FastContext {
  const Heap& heap;
  const Cache& cache;
  CpuSlabs slots;
};

inline uint64_t PeekWord(const uint64_t* word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

// The cheap check: freed twice in a row. A list holds free objects only, so
// this never accuses one in use.
inline void RefuseHeadAgain(uint64_t head, const void* object) {
  if (head == ToWord(object)) [[unlikely]]
    ReportCorruption("double free", head);
}

inline void AttachPlainly(CpuSlab& cpu, char* list, uint64_t slab) {
  __atomic_store_n(&cpu.fast.first, ToWord(list), __ATOMIC_RELEASE);
  __atomic_store_n(&cpu.slab, slab, __ATOMIC_RELEASE);
}

// this_cpu_cmpxchg_double as a LOCKed exchange of {freelist, tid}: right with
// any CPU id, also a stale one. The portable form.
template <class Link = PlainLink, class Double = atomics::DoubleOps>
struct LockedDoubleFast {
  static std::string WhyNot() { return std::string(Double::WhyNot()); }

  static uint64_t NextTid(const FastContext& context, uint64_t tid) {
    return atomics::TidSequence(context.slots.num_cpus()).Next(tid);
  }

  [[gnu::always_inline]] static char* Pop(const FastContext& context) {
    for (;;) {
      CpuSlab& cpu = context.slots.ForCpuOrOverflow(atomics::CurrentCpuId());
      // tid before freelist: the exchange judges both.
      const atomics::DoubleWord seen = Double::Load(&cpu.fast);
      char* const object = ToPointer(seen.first);
      if (object == nullptr) return nullptr;
      const atomics::DoubleWord next = {ToWord(Link::Get(context.heap, object)),
                                        NextTid(context, seen.second)};
      if (Exchange(cpu, seen, next)) return object;
    }
  }

  [[gnu::always_inline]] static bool Push(const FastContext& context,
                                          uint64_t slab, char* object) {
    for (;;) {
      CpuSlab& cpu = context.slots.ForCpuOrOverflow(atomics::CurrentCpuId());
      const atomics::DoubleWord seen = Double::Load(&cpu.fast);
      if (PeekWord(&cpu.slab) != slab) return false;
      RefuseHeadAgain(seen.first, object);
      Link::Set(context.heap, object, ToPointer(seen.first));
      if (Exchange(cpu, seen,
                   {ToWord(object), NextTid(context, seen.second)})) {
        return true;
      }
    }
  }

  // The slab goes first: whoever still has the old one fails on the tid.
  static bool Detach(const FastContext& context, CpuSlab& cpu, uint32_t,
                     char*& list) {
    __atomic_store_n(&cpu.slab, 0, __ATOMIC_RELEASE);
    Replace(context, cpu, 0, list);
    return true;
  }

  static void Attach(const FastContext& context, CpuSlab& cpu, char* list,
                     uint64_t slab) {
    char* before;
    Replace(context, cpu, ToWord(list), before);
    __atomic_store_n(&cpu.slab, slab, __ATOMIC_RELEASE);
  }

 private:
  static bool Exchange(CpuSlab& cpu, atomics::DoubleWord from,
                       atomics::DoubleWord to) {
    return atomics::CmpxchgDouble<atomics::Order::kFull, Double>(&cpu.fast,
                                                                 from, to);
  }
  static void Replace(const FastContext& context, CpuSlab& cpu, uint64_t word,
                      char*& before) {
    atomics::DoubleWord seen;
    do {
      seen = Double::Load(&cpu.fast);
    } while (!Exchange(cpu, seen, {word, NextTid(context, seen.second)}));
    before = ToPointer(seen.first);
  }
};

// The frame of the forms that run restartable sequences: a CPU, and again after
// an abort. `sequence` gets the area, the CPU's number and its slot.
template <class Sequence>
[[gnu::always_inline]] inline RseqResult OnThisCpu(CpuSlabs slots,
                                                   Sequence sequence) {
  atomics::RseqArea* area = atomics::ThreadRseqArea();
  for (;;) {
    // volatile: the kernel writes it.
    const uint32_t cpu = *const_cast<volatile uint32_t*>(&area->cpu_id_start);
    // The overflow slot is shared; sequences do not protect it.
    if (!slots.Holds(cpu)) [[unlikely]]
      return RseqResult::kMismatch;
    const RseqResult result = sequence(area, cpu, slots.ForCpu(cpu));
    if (result != RseqResult::kAborted) [[likely]]
      return result;
    atomics::EnsureRseqRegistered(area);
  }
}

// For the holder of the lock of `cpu`: one attempt. False when the caller is
// not there, or was interrupted too often to tell.
template <class Sequence>
bool OnCpu(uint32_t cpu, Sequence sequence) {
  atomics::RseqArea* area = atomics::ThreadRseqArea();
  for (;;) {
    if (*const_cast<volatile uint32_t*>(&area->cpu_id_start) != cpu) {
      return false;
    }
    if (sequence(area) != RseqResult::kAborted) return true;
    atomics::EnsureRseqRegistered(area);
  }
}

// Detaching for sequences that commit the list's head: the slab first, which
// stops pushes, then the list, which stops pops.
inline bool DetachBySequence(CpuSlab& slot, uint32_t cpu, char*& list) {
  const uint64_t slab = slot.slab;
  const bool stopped = OnCpu(cpu, [&](atomics::RseqArea* area) {
    return atomics::Rseq::Write(area, cpu, &slot.slab, uint64_t{0});
  });
  if (!stopped) return false;
  uint64_t head = 0;
  const bool taken = OnCpu(cpu, [&](atomics::RseqArea* area) {
    return atomics::Rseq::Xchg(area, cpu, &slot.fast.first, uint64_t{0}, head);
  });
  if (!taken) {
    // Nobody but the holder of the lock writes it while it is 0.
    __atomic_store_n(&slot.slab, slab, __ATOMIC_RELEASE);
    return false;
  }
  list = ToPointer(head);
  return true;
}

// The kernel's this_cpu_cmpxchg_double: cmpxchg16b without LOCK inside a
// sequence.
struct RseqDoubleFast {
  static std::string WhyNot() {
    if (!WhyNoRseq().empty()) return WhyNoRseq();
    return std::string(atomics::Rseq::WhyNoDouble());
  }
  static uint64_t NextTid(const FastContext& context, uint64_t tid) {
    return atomics::TidSequence(context.slots.num_cpus()).Next(tid);
  }

  [[gnu::always_inline]] static char* Pop(const FastContext& context) {
    char* object = nullptr;
    RseqResult result;
    do {
      result = OnThisCpu(context.slots, [&](atomics::RseqArea* area,
                                            uint32_t cpu, CpuSlab& slot) {
        const atomics::DoubleWord seen = atomics::LoadTorn(&slot.fast);
        object = ToPointer(seen.first);
        if (object == nullptr) return RseqResult::kCommitted;
        return atomics::Rseq::CmpxchgDouble(
            area, cpu, &slot.fast, seen,
            {LoadLink(object), NextTid(context, seen.second)});
      });
      if (result == RseqResult::kMismatch && IsBeyondTable(context)) {
        return nullptr;
      }
    } while (result == RseqResult::kMismatch);
    return object;
  }

  [[gnu::always_inline]] static bool Push(const FastContext& context,
                                          uint64_t slab, char* object) {
    bool mine = false;
    RseqResult result;
    do {
      result = OnThisCpu(context.slots, [&](atomics::RseqArea* area,
                                            uint32_t cpu, CpuSlab& slot) {
        const atomics::DoubleWord seen = atomics::LoadTorn(&slot.fast);
        mine = PeekWord(&slot.slab) == slab;
        if (!mine) return RseqResult::kCommitted;
        RefuseHeadAgain(seen.first, object);
        StoreLink(object, seen.first);
        return atomics::Rseq::CmpxchgDouble(
            area, cpu, &slot.fast, seen,
            {ToWord(object), NextTid(context, seen.second)});
      });
      if (result == RseqResult::kMismatch && IsBeyondTable(context)) {
        return false;
      }
    } while (result == RseqResult::kMismatch);
    return mine;
  }

  static bool Detach(const FastContext& context, CpuSlab& slot, uint32_t cpu,
                     char*& list) {
    const uint64_t slab = slot.slab;
    const bool stopped = OnCpu(cpu, [&](atomics::RseqArea* area) {
      return atomics::Rseq::Write(area, cpu, &slot.slab, uint64_t{0});
    });
    if (!stopped) return false;
    const bool taken = OnCpu(cpu, [&](atomics::RseqArea* area) {
      const atomics::DoubleWord seen = atomics::LoadTorn(&slot.fast);
      list = ToPointer(seen.first);
      const RseqResult result = atomics::Rseq::CmpxchgDouble(
          area, cpu, &slot.fast, seen, {0, NextTid(context, seen.second)});
      // A fast path came between: as good as interrupted.
      return result == RseqResult::kMismatch ? RseqResult::kAborted : result;
    });
    if (!taken) __atomic_store_n(&slot.slab, slab, __ATOMIC_RELEASE);
    return taken;
  }

  static void Attach(const FastContext& context, CpuSlab& slot, char* list,
                     uint64_t slab) {
    const uint64_t tid = __atomic_load_n(&slot.fast.second, __ATOMIC_RELAXED);
    __atomic_store_n(&slot.fast.second, NextTid(context, tid),
                     __ATOMIC_RELEASE);
    AttachPlainly(slot, list, slab);
  }

 private:
  static bool IsBeyondTable(const FastContext& context) {
    return !context.slots.Holds(atomics::CurrentCpuId());
  }
};

// A sequence around the whole pop or push: no tid, the commit is a plain store
// of the head. kUnlocked commits by cmpxchg without LOCK, as the patch of 2007
// did, which had only interrupts to fear and lost to one (the `aba` engine).
template <bool kUnlocked = false>
struct RseqFast {
  using List = atomics::RseqList;

  static std::string WhyNot() {
    if (!WhyNoRseq().empty()) return WhyNoRseq();
    return kUnlocked ? std::string(List::WhyNoUnlocked()) : std::string();
  }

  [[gnu::always_inline]] static char* Pop(const FastContext& context) {
    uint64_t object = 0;
    const RseqResult result = OnThisCpu(
        context.slots,
        [&](atomics::RseqArea* area, uint32_t cpu, CpuSlab& slot) {
          if constexpr (kUnlocked) {
            return List::PopUnlocked(area, cpu, &slot.fast.first, object);
          } else {
            return List::Pop(area, cpu, &slot.fast.first, object);
          }
        });
    return result == RseqResult::kCommitted ? ToPointer(object) : nullptr;
  }

  [[gnu::always_inline]] static bool Push(const FastContext& context,
                                          uint64_t slab, char* object) {
    const RseqResult result = OnThisCpu(
        context.slots,
        [&](atomics::RseqArea* area, uint32_t cpu, CpuSlab& slot) {
          RefuseHeadAgain(PeekWord(&slot.fast.first), object);
          if constexpr (kUnlocked) {
            return List::PushIfUnlocked(area, cpu, &slot.slab, slab,
                                        &slot.fast.first, ToWord(object));
          } else {
            return List::PushIf(area, cpu, &slot.slab, slab, &slot.fast.first,
                                ToWord(object));
          }
        });
    return result == RseqResult::kCommitted;
  }

  static bool Detach(const FastContext&, CpuSlab& slot, uint32_t cpu,
                     char*& list) {
    return DetachBySequence(slot, cpu, list);
  }
  static void Attach(const FastContext&, CpuSlab& slot, char* list,
                     uint64_t slab) {
    AttachPlainly(slot, list, slab);
  }
};

// The per-CPU structure under its own lock, taken for each call: SLUB without
// any cmpxchg.
struct CpuLockFast {
  static std::string WhyNot() { return {}; }

  [[gnu::always_inline]] static char* Pop(const FastContext& context) {
    CpuSlab& cpu = context.slots.ForCpuOrOverflow(atomics::CurrentCpuId());
    // The slow path repairs what a dead holder left.
    if (cpu.lock.TryLock() != Taken::kYes) return nullptr;
    char* const object = ToPointer(cpu.fast.first);
    if (object != nullptr) {
      __atomic_store_n(&cpu.fast.first, LoadLink(object), __ATOMIC_RELEASE);
    }
    cpu.lock.Unlock();
    return object;
  }
  [[gnu::always_inline]] static bool Push(const FastContext& context,
                                          uint64_t slab, char* object) {
    CpuSlab& cpu = context.slots.ForCpuOrOverflow(atomics::CurrentCpuId());
    if (cpu.lock.TryLock() != Taken::kYes) return false;
    const bool mine = cpu.slab == slab;
    if (mine) {
      RefuseHeadAgain(cpu.fast.first, object);
      StoreLink(object, cpu.fast.first);
      __atomic_store_n(&cpu.fast.first, ToWord(object), __ATOMIC_RELEASE);
    }
    cpu.lock.Unlock();
    return mine;
  }
  static bool Detach(const FastContext&, CpuSlab& cpu, uint32_t, char*& list) {
    cpu.slab = 0;
    list = ToPointer(cpu.fast.first);
    cpu.fast.first = 0;
    return true;
  }
  static void Attach(const FastContext&, CpuSlab& cpu, char* list,
                     uint64_t slab) {
    AttachPlainly(cpu, list, slab);
  }
};

// The bug of 2008, kept so that the testers have something to convict: a
// compare-exchange of the head alone, with nothing that tells a head that was
// used and came back. `kPause` widens the window; see aba_engine.h.
template <class Pause>
struct AbaFast {
  static std::string WhyNot() { return {}; }

  [[gnu::always_inline]] static char* Pop(const FastContext& context) {
    for (;;) {
      CpuSlab& cpu = context.slots.ForCpuOrOverflow(atomics::CurrentCpuId());
      uint64_t head = PeekWord(&cpu.fast.first);
      if (head == 0) return nullptr;
      const uint64_t next = LoadLink(ToPointer(head));
      Pause::BetweenLookAndExchange();
      if (atomics::Cmpxchg64(&cpu.fast.first, head, next)) {
        return ToPointer(head);
      }
    }
  }
  [[gnu::always_inline]] static bool Push(const FastContext& context,
                                          uint64_t slab, char* object) {
    for (;;) {
      CpuSlab& cpu = context.slots.ForCpuOrOverflow(atomics::CurrentCpuId());
      uint64_t head = PeekWord(&cpu.fast.first);
      if (PeekWord(&cpu.slab) != slab) return false;
      RefuseHeadAgain(head, object);
      StoreLink(object, head);
      if (atomics::Cmpxchg64(&cpu.fast.first, head, ToWord(object))) {
        return true;
      }
    }
  }
  static bool Detach(const FastContext&, CpuSlab& cpu, uint32_t, char*& list) {
    __atomic_store_n(&cpu.slab, 0, __ATOMIC_RELEASE);
    list = ToPointer(atomics::Xchg(&cpu.fast.first, 0));
    return true;
  }
  static void Attach(const FastContext&, CpuSlab& cpu, char* list,
                     uint64_t slab) {
    AttachPlainly(cpu, list, slab);
  }
};

// Eight bytes hold {object number:16, tid:48}. For CPUs without a double-word
// exchange, and a faster one where there is.
struct PackedFast {
  static constexpr unsigned kNumberBits = 16;
  static constexpr uint64_t kNumberMask = (1U << kNumberBits) - 1;

  static std::string WhyNot() { return {}; }

  [[gnu::always_inline]] static char* Pop(const FastContext& context) {
    for (;;) {
      CpuSlab& cpu = context.slots.ForCpuOrOverflow(atomics::CurrentCpuId());
      const uint64_t seen = PeekWord(&cpu.fast.first);
      const uint64_t slab = PeekWord(&cpu.slab);
      const uint64_t number = seen & kNumberMask;
      if (number == 0) return nullptr;
      // Being attached or detached; a number without its slab says nothing.
      if (slab == 0) return nullptr;
      const SlabDescriptor& at =
          context.heap.descriptor(static_cast<uint32_t>(slab));
      char* const object =
          PackedSlab::ObjectOf(context.heap, context.cache, at, number);
      // The link may be anything by now; the exchange fails then.
      const uint64_t next = LoadLink(object) & kNumberMask;
      if (Exchange(context, cpu, seen, next)) return object;
    }
  }

  [[gnu::always_inline]] static bool Push(const FastContext& context,
                                          uint64_t slab, char* object) {
    for (;;) {
      CpuSlab& cpu = context.slots.ForCpuOrOverflow(atomics::CurrentCpuId());
      const uint64_t seen = PeekWord(&cpu.fast.first);
      if (PeekWord(&cpu.slab) != slab) return false;
      const SlabDescriptor& at =
          context.heap.descriptor(static_cast<uint32_t>(slab));
      const uint64_t number =
          PackedSlab::NumberOf(context.heap, context.cache, at, object);
      if (number == (seen & kNumberMask)) [[unlikely]]
        ReportCorruption("double free", ToWord(object));
      StoreLink(object, seen & kNumberMask);
      if (Exchange(context, cpu, seen, number)) {
        return true;
      }
    }
  }

  static bool Detach(const FastContext& context, CpuSlab& cpu, uint32_t,
                     char*& list) {
    // A dead holder of the lock may have left a number whose slab is only
    // known as the one it worked on.
    const uint64_t slab = cpu.slab != 0 ? cpu.slab : cpu.working;
    __atomic_store_n(&cpu.slab, 0, __ATOMIC_RELEASE);
    list = PackedSlab::ObjectOf(
        context.heap, context.cache,
        context.heap.descriptor(static_cast<uint32_t>(slab)),
        Replace(context, cpu, 0));
    return true;
  }

  static void Attach(const FastContext& context, CpuSlab& cpu, char* list,
                     uint64_t slab) {
    const SlabDescriptor& at =
        context.heap.descriptor(static_cast<uint32_t>(slab));
    Replace(context, cpu,
            PackedSlab::NumberOf(context.heap, context.cache, at, list));
    __atomic_store_n(&cpu.slab, slab, __ATOMIC_RELEASE);
  }

 private:
  static uint64_t NextWord(const FastContext& context, uint64_t seen,
                           uint64_t number) {
    const uint64_t step = std::bit_ceil(uint64_t{context.slots.num_cpus()})
                          << kNumberBits;
    return ((seen & ~kNumberMask) + step) | number;
  }
  static bool Exchange(const FastContext& context, CpuSlab& cpu, uint64_t seen,
                       uint64_t number) {
    return atomics::Cmpxchg64(&cpu.fast.first, seen,
                              NextWord(context, seen, number));
  }
  static uint64_t Replace(const FastContext& context, CpuSlab& cpu,
                          uint64_t number) {
    uint64_t seen;
    do {
      seen = PeekWord(&cpu.fast.first);
    } while (!Exchange(context, cpu, seen, number));
    return seen & kNumberMask;
  }
};

}  // namespace hackbench::alloc
