// SPDX-License-Identifier: MIT
// The CPU the caller was on a moment ago, from the cheapest source there is.
#pragma once

#include <string>

#include "atomics/rseq_registration.h"

namespace hackbench::atomics {

inline uint32_t CurrentCpuId() {
  if (kRseqRegistration.path == RseqPath::kNone) {
    return Cpu::CurrentCpu();
  }
  // volatile: the kernel writes it.
  return *const_cast<volatile uint32_t*>(&ThreadRseqArea()->cpu_id_start);
}

// The same for code that runs only where there is an area.
inline uint32_t CpuOf(const RseqArea* area) {
  return *const_cast<const volatile uint32_t*>(&area->cpu_id_start);
}

inline std::string CpuIdSource() {
  return kRseqRegistration.path == RseqPath::kNone ? "getcpu" : "rseq";
}

}  // namespace hackbench::atomics
