// SPDX-License-Identifier: MIT
// this_cpu_read, write, add, xchg, cmpxchg and cmpxchg_double on the slot of
// the CPU the caller runs on, as types to choose from before the first task
// starts: ThisCpuRseq, ThisCpuLocked where that is missing, ThisCpuUnsafe for
// callers that cannot migrate.
//
//   WithThisCpu([&](auto ops) { return ops.Xchg(area, &Slot::head, object); });
//
// Never mix two of them on one area: a locked operation from another CPU does
// not exclude a sequence. Words are 4 or 8 bytes; the member pointer names the
// word within the slot.
#pragma once

#include <string>

#include "atomics/this_cpu_locked.h"
#include "atomics/this_cpu_rseq.h"
#include "atomics/this_cpu_unsafe.h"

namespace hackbench::atomics {

// The best form that works here, and why in words for the report.
inline std::string DescribeThisCpu() {
  if (ThisCpuRseq::WhyNot().empty()) {
    return "rseq (" + kRseqRegistration.reason + ")";
  }
  return "locked (" + kRseqRegistration.reason + ")";
}

// Calls `use` with a value of the best type that works here.
template <class Use>
decltype(auto) WithThisCpu(Use use) {
  return ThisCpuRseq::WhyNot().empty() ? use(ThisCpuRseq{})
                                       : use(ThisCpuLocked{});
}

}  // namespace hackbench::atomics
