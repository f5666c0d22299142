// SPDX-License-Identifier: MIT
// Generic backend: no restartable sequences, on lists neither.
#pragma once

#include <cstdint>
#include <string_view>

#include "atomics/rseq_area.h"

namespace hackbench::atomics::generic {

template <bool kArmed = true, unsigned kWindow = 0>
struct BasicRseqList {
  static std::string_view WhyNoUnlocked() {
    return "the generic backend has no restartable sequences";
  }
  static RseqResult Pop(RseqArea*, uint32_t, uint64_t*, uint64_t&) {
    return RseqResult::kAborted;
  }
  static RseqResult Push(RseqArea*, uint32_t, uint64_t*, uint64_t) {
    return RseqResult::kAborted;
  }
  static RseqResult PushIf(RseqArea*, uint32_t, const uint64_t*, uint64_t,
                           uint64_t*, uint64_t) {
    return RseqResult::kAborted;
  }
  static RseqResult PopUnlocked(RseqArea*, uint32_t, uint64_t*, uint64_t&) {
    return RseqResult::kAborted;
  }
  static RseqResult PushIfUnlocked(RseqArea*, uint32_t, const uint64_t*,
                                   uint64_t, uint64_t*, uint64_t) {
    return RseqResult::kAborted;
  }
  static RseqResult PopIndexed(RseqArea*, uint32_t, uint64_t*, const uint32_t*,
                               uint64_t&) {
    return RseqResult::kAborted;
  }
  static RseqResult PushIndexed(RseqArea*, uint32_t, uint64_t*, uint32_t*,
                                uint64_t) {
    return RseqResult::kAborted;
  }
  static RseqResult PopTop(RseqArea*, uint32_t, uint64_t*, uint64_t&) {
    return RseqResult::kAborted;
  }
  template <uint32_t kBytes>
  static RseqResult PushTop(RseqArea*, uint32_t, uint64_t*, uint64_t) {
    return RseqResult::kAborted;
  }
};

}  // namespace hackbench::atomics::generic
