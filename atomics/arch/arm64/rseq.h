// SPDX-License-Identifier: MIT
// arm64: restartable sequences, each ending in its one committing store.
//
// The kernel sends the thread to the abort handler when it was preempted,
// migrated or signalled between labels 1 and 2. `area` is the thread's own, and
// `cpu` what its cpu_id_start said when `word` was chosen; a mismatch aborts.
// The sections carry the `?` flag: they join the group of the inline function
// they stand in, or two files that instantiate it do not link.
//
// `volatile` is spelled: g++ 12 deletes or merges an `asm goto` with outputs
// without it (GCC PR 113921), and an abort then reads as a commit.
//
// kArmed = false leaves the descriptor away and so the abort; kWindow puts that
// many nops before the commit. Both exist for tests.
#pragma once

#include <cstdint>
#include <string_view>

#include "atomics/arch/arm64/cmpxchg_double.h"
#include "atomics/arch/arm64/rseq_begin.h"
#include "atomics/rseq_area.h"
#include "atomics/word.h"

// Sequences exist for words of 4 and 8 bytes: W is the register width.
#define HACKBENCH_BY_WIDTH(T, OP) \
  if constexpr (sizeof(T) == 8) { \
    OP("x");                      \
  } else {                        \
    OP("w");                      \
  }

namespace hackbench::atomics::arm64 {

template <bool kArmed = true, unsigned kWindow = 0>
struct BasicRseq {
  static constexpr bool kCompiled = true;
  static constexpr uint32_t kSignature = 0xd428bc00;

  static std::string_view WhyNot() { return {}; }
  static std::string_view WhyNoDouble() { return {}; }

  static char* ThreadPointer() {
    return static_cast<char*>(__builtin_thread_pointer());
  }

  template <Word T>
  [[gnu::always_inline]] static RseqResult Read(RseqArea* area, uint32_t cpu,
                                                const T* word, T& value) {
#define HACKBENCH_READ(W)                                      \
  asm volatile goto(HACKBENCH_RSEQ_BEGIN HACKBENCH_RSEQ_WINDOW \
                    "ldr %" W                                  \
                    "[value], %[word]\n"                       \
                    "2:"                                       \
                    : [value] "=&r"(value)                     \
                    : [word] "Q"(*word), HACKBENCH_RSEQ_INPUTS \
                    : "x17", "cc", "memory"                    \
                    : aborted)
    HACKBENCH_BY_WIDTH(T, HACKBENCH_READ)
#undef HACKBENCH_READ
    return RseqResult::kCommitted;
  aborted:
    return RseqResult::kAborted;
  }

  template <Word T>
  [[gnu::always_inline]] static RseqResult Write(RseqArea* area, uint32_t cpu,
                                                 T* word, T value) {
#define HACKBENCH_WRITE(W)                                            \
  asm volatile goto(                                                  \
      HACKBENCH_RSEQ_BEGIN HACKBENCH_RSEQ_WINDOW "str %" W            \
                                                 "[value], %[word]\n" \
                                                 "2:"                 \
      :                                                               \
      : [word] "Q"(*word), [value] "r"(value), HACKBENCH_RSEQ_INPUTS  \
      : "x17", "cc", "memory"                                         \
      : aborted)
    HACKBENCH_BY_WIDTH(T, HACKBENCH_WRITE)
#undef HACKBENCH_WRITE
    return RseqResult::kCommitted;
  aborted:
    return RseqResult::kAborted;
  }

  template <Word T>
  [[gnu::always_inline]] static RseqResult Add(RseqArea* area, uint32_t cpu,
                                               T* word, T delta) {
#define HACKBENCH_ADD(W)                                              \
  asm volatile goto(                                                  \
      HACKBENCH_RSEQ_BEGIN "ldr " W                                   \
                           "17, %[word]\n"                            \
                           "add " W "17, " W "17, %" W                \
                           "[delta]\n" HACKBENCH_RSEQ_WINDOW "str " W \
                           "17, %[word]\n"                            \
                           "2:"                                       \
      :                                                               \
      : [word] "Q"(*word), [delta] "r"(delta), HACKBENCH_RSEQ_INPUTS  \
      : "x17", "cc", "memory"                                         \
      : aborted)
    HACKBENCH_BY_WIDTH(T, HACKBENCH_ADD)
#undef HACKBENCH_ADD
    return RseqResult::kCommitted;
  aborted:
    return RseqResult::kAborted;
  }

  template <Word T>
  [[gnu::always_inline]] static RseqResult Xchg(RseqArea* area, uint32_t cpu,
                                                T* word, T value, T& old) {
    T seen;
#define HACKBENCH_XCHG(W)                                                      \
  asm volatile goto(                                                           \
      HACKBENCH_RSEQ_BEGIN "ldr %" W "[seen], %[word]\n" HACKBENCH_RSEQ_WINDOW \
                           "str %" W                                           \
                           "[value], %[word]\n"                                \
                           "2:"                                                \
      : [seen] "=&r"(seen)                                                     \
      : [word] "Q"(*word), [value] "r"(value), HACKBENCH_RSEQ_INPUTS           \
      : "x17", "cc", "memory"                                                  \
      : aborted)
    HACKBENCH_BY_WIDTH(T, HACKBENCH_XCHG)
#undef HACKBENCH_XCHG
    old = seen;
    return RseqResult::kCommitted;
  aborted:
    return RseqResult::kAborted;
  }

  template <Word T>
  [[gnu::always_inline]] static RseqResult Cmpxchg(RseqArea* area, uint32_t cpu,
                                                   T* word, T& expected,
                                                   T desired) {
    T seen;
#define HACKBENCH_CMPXCHG(W)                                                 \
  asm volatile goto(                                                         \
      HACKBENCH_RSEQ_BEGIN "ldr %" W                                         \
                           "[seen], %[word]\n"                               \
                           "cmp %" W "[seen], %" W                           \
                           "[expected]\n"                                    \
                           "b.ne 2f\n" HACKBENCH_RSEQ_WINDOW "str %" W       \
                           "[desired], %[word]\n"                            \
                           "2:"                                              \
      : [seen] "=&r"(seen)                                                   \
      : [word] "Q"(*word), [expected] "r"(expected), [desired] "r"(desired), \
        HACKBENCH_RSEQ_INPUTS                                                \
      : "x17", "cc", "memory"                                                \
      : aborted)
    HACKBENCH_BY_WIDTH(T, HACKBENCH_CMPXCHG)
#undef HACKBENCH_CMPXCHG
    if (seen == expected) return RseqResult::kCommitted;
    expected = seen;
    return RseqResult::kMismatch;
  aborted:
    return RseqResult::kAborted;
  }

  // A plain stp is not one store to an interrupt, stxp is. When stxp fails
  // nothing was stored and the whole sequence is taken again.
  [[gnu::always_inline]] static RseqResult CmpxchgDouble(RseqArea* area,
                                                         uint32_t cpu,
                                                         DoubleWord* word,
                                                         DoubleWord expected,
                                                         DoubleWord desired) {
    uint64_t first;
    uint64_t second;
    uint32_t failed;
    asm volatile goto(
        HACKBENCH_RSEQ_BEGIN
        "mov %w[failed], #0\n"
        "ldxp %[first], %[second], %[word]\n"
        "cmp %[first], %[expected_first]\n"
        "ccmp %[second], %[expected_second], #0, eq\n"
        "b.ne 2f\n" HACKBENCH_RSEQ_WINDOW
        "stxp %w[failed], %[desired_first], %[desired_second], %[word]\n"
        "2:"
        : [first] "=&r"(first), [second] "=&r"(second), [failed] "=&r"(failed)
        : [word] "Q"(*word), [expected_first] "r"(expected.first),
          [expected_second] "r"(expected.second),
          [desired_first] "r"(desired.first),
          [desired_second] "r"(desired.second), HACKBENCH_RSEQ_INPUTS
        : "x17", "cc", "memory"
        : aborted);
    if (failed != 0) return RseqResult::kAborted;
    return DoubleWord{first, second} == expected ? RseqResult::kCommitted
                                                 : RseqResult::kMismatch;
  aborted:
    return RseqResult::kAborted;
  }
};

}  // namespace hackbench::atomics::arm64

#undef HACKBENCH_BY_WIDTH
