// SPDX-License-Identifier: MIT
// How a CPU's sheaf is kept to its CPU: by restartable sequences, or by a lock
// per CPU that is only tried, as local_trylock() would be.
#pragma once

#include <string>

#include "alloc/cpu_fast.h"
#include "alloc/sheaf.h"

namespace hackbench::alloc {

using CpuSheaves = atomics::PerCpu<CpuSheaf>;

struct RseqSheafGuard {
  static std::string WhyNot() { return WhyNoRseq(); }

  // nullptr: empty, or closed.
  static char* Pop(CpuSheaves slots) {
    atomics::RseqArea* area = atomics::ThreadRseqArea();
    for (;;) {
      const uint32_t cpu = atomics::CpuOf(area);
      if (!slots.Holds(cpu)) [[unlikely]]
        return nullptr;
      uint64_t object = 0;
      const RseqResult result =
          atomics::RseqList::PopTop(area, cpu, &slots.ForCpu(cpu).top, object);
      if (result == RseqResult::kCommitted) [[likely]]
        return ToPointer(object);
      if (result == RseqResult::kMismatch) return nullptr;
      atomics::EnsureRseqRegistered(area);
    }
  }
  // False: full, or closed.
  static bool Push(CpuSheaves slots, const void* object) {
    atomics::RseqArea* area = atomics::ThreadRseqArea();
    for (;;) {
      const uint32_t cpu = atomics::CpuOf(area);
      if (!slots.Holds(cpu)) [[unlikely]]
        return false;
      RefuseTopAgain(slots.ForCpu(cpu).top, object);
      const RseqResult result = atomics::RseqList::PushTop<kSheafBytes>(
          area, cpu, &slots.ForCpu(cpu).top, ToWord(object));
      if (result == RseqResult::kCommitted) [[likely]]
        return true;
      if (result == RseqResult::kMismatch) return false;
      atomics::EnsureRseqRegistered(area);
    }
  }
  // With the slot's lock held. False: the caller has left the CPU.
  static bool Detach(CpuSheaf& slot, uint32_t cpu, SheafTop closed,
                     SheafTop& top) {
    return OnCpu(cpu, [&](atomics::RseqArea* area) {
      return atomics::Rseq::Xchg(area, cpu, &slot.top, closed, top);
    });
  }
};

struct TryLockSheafGuard {
  static std::string WhyNot() { return {}; }

  static char* Pop(CpuSheaves slots) {
    CpuSheaf& slot = slots.ForCpuOrOverflow(atomics::CurrentCpuId());
    if (slot.lock.TryLock() != Taken::kYes) return nullptr;
    char* object = nullptr;
    if (!IsEmptySheaf(slot.top)) {
      object = ToPointer(*SlotBelow(slot.top));
      __atomic_store_n(&slot.top, slot.top - sizeof(uint64_t),
                       __ATOMIC_RELEASE);
    }
    slot.lock.Unlock();
    return object;
  }
  static bool Push(CpuSheaves slots, const void* object) {
    CpuSheaf& slot = slots.ForCpuOrOverflow(atomics::CurrentCpuId());
    if (slot.lock.TryLock() != Taken::kYes) return false;
    RefuseTopAgain(slot.top, object);
    const bool fits = !IsFullSheaf(slot.top);
    if (fits) {
      *SlotBelow(slot.top + sizeof(uint64_t)) = ToWord(object);
      __atomic_store_n(&slot.top, slot.top + sizeof(uint64_t),
                       __ATOMIC_RELEASE);
    }
    slot.lock.Unlock();
    return fits;
  }
  static bool Detach(CpuSheaf& slot, uint32_t, SheafTop closed, SheafTop& top) {
    top = slot.top;
    slot.top = closed;
    return true;
  }
};

}  // namespace hackbench::alloc
