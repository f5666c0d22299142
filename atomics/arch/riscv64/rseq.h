// SPDX-License-Identifier: MIT
// riscv64: restartable sequences, each ending in its one committing store.
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

#include "atomics/arch/riscv64/cmpxchg.h"
#include "atomics/arch/riscv64/cmpxchg_double.h"
#include "atomics/arch/riscv64/rseq_begin.h"
#include "atomics/rseq_area.h"
#include "atomics/word.h"

// Sequences exist for words of 4 and 8 bytes: W is the suffix of load and
// store.
#define HACKBENCH_BY_WIDTH(T, OP) \
  if constexpr (sizeof(T) == 8) { \
    OP("d");                      \
  } else {                        \
    OP("w");                      \
  }

namespace hackbench::atomics::riscv64 {

template <bool kArmed = true, unsigned kWindow = 0>
struct BasicRseq {
  static constexpr bool kCompiled = true;
  static constexpr uint32_t kSignature = 0xf1401073;

  static std::string_view WhyNot() { return {}; }
  static std::string_view WhyNoDouble() { return WhyNoZacas(); }

  static char* ThreadPointer() {
    return static_cast<char*>(__builtin_thread_pointer());
  }

  template <Word T>
  [[gnu::always_inline]] static RseqResult Read(RseqArea* area, uint32_t cpu,
                                                const T* word, T& value) {
    int64_t seen;
#define HACKBENCH_READ(W)                                      \
  asm volatile goto(HACKBENCH_RSEQ_BEGIN HACKBENCH_RSEQ_WINDOW \
                    "l" W                                      \
                    " %[seen], %[word]\n"                      \
                    "2:"                                       \
                    : [seen] "=&r"(seen)                       \
                    : [word] "A"(*word), HACKBENCH_RSEQ_INPUTS \
                    : "t1", "memory"                           \
                    : aborted)
    HACKBENCH_BY_WIDTH(T, HACKBENCH_READ)
#undef HACKBENCH_READ
    value = FromBits<T>(static_cast<Bits<T>>(seen));
    return RseqResult::kCommitted;
  aborted:
    return RseqResult::kAborted;
  }

  template <Word T>
  [[gnu::always_inline]] static RseqResult Write(RseqArea* area, uint32_t cpu,
                                                 T* word, T value) {
#define HACKBENCH_WRITE(W)                                              \
  asm volatile goto(                                                    \
      HACKBENCH_RSEQ_BEGIN HACKBENCH_RSEQ_WINDOW "s" W                  \
                                                 " %[value], %[word]\n" \
                                                 "2:"                   \
      :                                                                 \
      : [word] "A"(*word), [value] "r"(value), HACKBENCH_RSEQ_INPUTS    \
      : "t1", "memory"                                                  \
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
#define HACKBENCH_ADD(W)                                                 \
  asm volatile goto(HACKBENCH_RSEQ_BEGIN                                 \
                    "l" W                                                \
                    " t1, %[word]\n"                                     \
                    "add t1, t1, %[delta]\n" HACKBENCH_RSEQ_WINDOW "s" W \
                    " t1, %[word]\n"                                     \
                    "2:"                                                 \
                    :                                                    \
                    : [word] "A"(*word), [delta] "r"(delta),             \
                      HACKBENCH_RSEQ_INPUTS                              \
                    : "t1", "memory"                                     \
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
    int64_t seen;
#define HACKBENCH_XCHG(W)                                                   \
  asm volatile goto(HACKBENCH_RSEQ_BEGIN                                    \
                    "l" W " %[seen], %[word]\n" HACKBENCH_RSEQ_WINDOW "s" W \
                    " %[value], %[word]\n"                                  \
                    "2:"                                                    \
                    : [seen] "=&r"(seen)                                    \
                    : [word] "A"(*word), [value] "r"(value),                \
                      HACKBENCH_RSEQ_INPUTS                                 \
                    : "t1", "memory"                                        \
                    : aborted)
    HACKBENCH_BY_WIDTH(T, HACKBENCH_XCHG)
#undef HACKBENCH_XCHG
    old = FromBits<T>(static_cast<Bits<T>>(seen));
    return RseqResult::kCommitted;
  aborted:
    return RseqResult::kAborted;
  }

  template <Word T>
  [[gnu::always_inline]] static RseqResult Cmpxchg(RseqArea* area, uint32_t cpu,
                                                   T* word, T& expected,
                                                   T desired) {
    const int64_t wanted = SignExtended(ToBits(expected));
    int64_t seen;
#define HACKBENCH_CMPXCHG(W)                                             \
  asm volatile goto(                                                     \
      HACKBENCH_RSEQ_BEGIN                                               \
      "l" W                                                              \
      " %[seen], %[word]\n"                                              \
      "bne %[seen], %[wanted], 2f\n" HACKBENCH_RSEQ_WINDOW "s" W         \
      " %[desired], %[word]\n"                                           \
      "2:"                                                               \
      : [seen] "=&r"(seen)                                               \
      : [word] "A"(*word), [wanted] "r"(wanted), [desired] "r"(desired), \
        HACKBENCH_RSEQ_INPUTS                                            \
      : "t1", "memory"                                                   \
      : aborted)
    HACKBENCH_BY_WIDTH(T, HACKBENCH_CMPXCHG)
#undef HACKBENCH_CMPXCHG
    if (seen == wanted) return RseqResult::kCommitted;
    expected = FromBits<T>(static_cast<Bits<T>>(seen));
    return RseqResult::kMismatch;
  aborted:
    return RseqResult::kAborted;
  }

  // amocas.q is the one store of the sequence; see cmpxchg_double.h.
  [[gnu::always_inline]] static RseqResult CmpxchgDouble(RseqArea* area,
                                                         uint32_t cpu,
                                                         DoubleWord* word,
                                                         DoubleWord expected,
                                                         DoubleWord desired) {
    uint64_t seen_first;
    uint64_t seen_second;
    asm volatile goto(
        HACKBENCH_RSEQ_BEGIN
        "mv a2, %[expected_first]\n"
        "mv a3, %[expected_second]\n"
        "mv a4, %[desired_first]\n"
        "mv a5, %[desired_second]\n" HACKBENCH_RSEQ_WINDOW
        ".insn r 0x2f, 4, 0x14, a2, %[word], a4\n"
        "2: mv %[seen_first], a2\n"
        "mv %[seen_second], a3"
        : [seen_first] "=&r"(seen_first), [seen_second] "=&r"(seen_second)
        : [word] "r"(word), [expected_first] "r"(expected.first),
          [expected_second] "r"(expected.second),
          [desired_first] "r"(desired.first),
          [desired_second] "r"(desired.second), HACKBENCH_RSEQ_INPUTS
        : "t1", "a2", "a3", "a4", "a5", "memory"
        : aborted);
    return DoubleWord{seen_first, seen_second} == expected
               ? RseqResult::kCommitted
               : RseqResult::kMismatch;
  aborted:
    return RseqResult::kAborted;
  }
};

}  // namespace hackbench::atomics::riscv64

#undef HACKBENCH_BY_WIDTH
