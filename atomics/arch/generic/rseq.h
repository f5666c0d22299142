// SPDX-License-Identifier: MIT
// Generic backend: no restartable sequences. They need assembly, because the
// last instruction of a sequence must be its only store.
#pragma once

#include <cstdint>
#include <string_view>

#include "atomics/rseq_area.h"
#include "atomics/word.h"

namespace hackbench::atomics::generic {

template <bool kArmed = true, unsigned kWindow = 0>
struct BasicRseq {
  static constexpr bool kCompiled = false;
  static constexpr uint32_t kSignature = 0;

  static std::string_view WhyNot() {
    return "the generic backend has no restartable sequences";
  }
  static std::string_view WhyNoDouble() { return WhyNot(); }
  static char* ThreadPointer() { return nullptr; }

  template <Word T>
  static RseqResult Read(RseqArea*, uint32_t, const T*, T&) {
    return RseqResult::kAborted;
  }
  template <Word T>
  static RseqResult Write(RseqArea*, uint32_t, T*, T) {
    return RseqResult::kAborted;
  }
  template <Word T>
  static RseqResult Add(RseqArea*, uint32_t, T*, T) {
    return RseqResult::kAborted;
  }
  template <Word T>
  static RseqResult Xchg(RseqArea*, uint32_t, T*, T, T&) {
    return RseqResult::kAborted;
  }
  template <Word T>
  static RseqResult Cmpxchg(RseqArea*, uint32_t, T*, T&, T) {
    return RseqResult::kAborted;
  }
  static RseqResult CmpxchgDouble(RseqArea*, uint32_t, DoubleWord*, DoubleWord,
                                  DoubleWord) {
    return RseqResult::kAborted;
  }
};

}  // namespace hackbench::atomics::generic
