// SPDX-License-Identifier: MIT
// x86-64: restartable sequences, each ending in its one committing store.
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

#include "atomics/arch/x86_64/cmpxchg_double.h"
#include "atomics/arch/x86_64/rseq_begin.h"
#include "atomics/rseq_area.h"
#include "atomics/word.h"

namespace hackbench::atomics::x86_64 {

template <bool kArmed = true, unsigned kWindow = 0>
struct BasicRseq {
  static constexpr bool kCompiled = true;
  static constexpr uint32_t kSignature = 0x53053053;

  static std::string_view WhyNot() { return {}; }
  static std::string_view WhyNoDouble() { return DoubleOps::WhyNot(); }

  static char* ThreadPointer() {
    char* pointer;
    asm("mov %%fs:0, %[pointer]" : [pointer] "=r"(pointer));
    return pointer;
  }

  template <Word T>
  [[gnu::always_inline]] static RseqResult Read(RseqArea* area, uint32_t cpu,
                                                const T* word, T& value) {
    asm volatile goto(HACKBENCH_RSEQ_BEGIN HACKBENCH_RSEQ_WINDOW
                      "mov %[word], %[value]\n"
                      "2:"
                      : [value] "=&q"(value)
                      : [word] "m"(*word), HACKBENCH_RSEQ_INPUTS
                      : "rax", "cc", "memory"
                      : aborted);
    return RseqResult::kCommitted;
  aborted:
    return RseqResult::kAborted;
  }

  template <Word T>
  [[gnu::always_inline]] static RseqResult Write(RseqArea* area, uint32_t cpu,
                                                 T* word, T value) {
    asm volatile goto(HACKBENCH_RSEQ_BEGIN HACKBENCH_RSEQ_WINDOW
                      "mov %[value], %[word]\n"
                      "2:"
                      :
                      : [word] "m"(*word), [value] "q"(value),
                        HACKBENCH_RSEQ_INPUTS
                      : "rax", "cc", "memory"
                      : aborted);
    return RseqResult::kCommitted;
  aborted:
    return RseqResult::kAborted;
  }

  template <Word T>
  [[gnu::always_inline]] static RseqResult Add(RseqArea* area, uint32_t cpu,
                                               T* word, T delta) {
    asm volatile goto(HACKBENCH_RSEQ_BEGIN HACKBENCH_RSEQ_WINDOW
                      "add %[delta], %[word]\n"
                      "2:"
                      :
                      : [word] "m"(*word), [delta] "q"(delta),
                        HACKBENCH_RSEQ_INPUTS
                      : "rax", "cc", "memory"
                      : aborted);
    return RseqResult::kCommitted;
  aborted:
    return RseqResult::kAborted;
  }

  template <Word T>
  [[gnu::always_inline]] static RseqResult Xchg(RseqArea* area, uint32_t cpu,
                                                T* word, T value, T& old) {
    T seen;
    asm volatile goto(
        HACKBENCH_RSEQ_BEGIN "mov %[word], %[seen]\n" HACKBENCH_RSEQ_WINDOW
                             "mov %[value], %[word]\n"
                             "2:"
        : [seen] "=&q"(seen)
        : [word] "m"(*word), [value] "q"(value), HACKBENCH_RSEQ_INPUTS
        : "rax", "cc", "memory"
        : aborted);
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
    asm volatile goto(
        HACKBENCH_RSEQ_BEGIN
        "mov %[word], %[seen]\n"
        "cmp %[expected], %[seen]\n"
        "jne 2f\n" HACKBENCH_RSEQ_WINDOW
        "mov %[desired], %[word]\n"
        "2:"
        : [seen] "=&q"(seen)
        : [word] "m"(*word), [expected] "q"(expected), [desired] "q"(desired),
          HACKBENCH_RSEQ_INPUTS
        : "rax", "cc", "memory"
        : aborted);
    if (seen == expected) return RseqResult::kCommitted;
    expected = seen;
    return RseqResult::kMismatch;
  aborted:
    return RseqResult::kAborted;
  }

  // The kernel's this_cpu_cmpxchg_double: one instruction compares, stores and
  // commits. Its verdict is read behind the sequence.
  [[gnu::always_inline]] static RseqResult CmpxchgDouble(RseqArea* area,
                                                         uint32_t cpu,
                                                         DoubleWord* word,
                                                         DoubleWord expected,
                                                         DoubleWord desired) {
    // A scalar of its own: g++ 12 crashes on a struct member as an output here.
    uint64_t second = expected.second;
    bool equal;
    asm volatile goto(
        HACKBENCH_RSEQ_BEGIN "mov %[expected], %%rax\n" HACKBENCH_RSEQ_WINDOW
                             "cmpxchg16b %[word]\n"
                             "2: sete %[equal]"
        : [equal] "=&r"(equal), "+d"(second)
        : [word] "m"(*word), [expected] "r"(expected.first), "b"(desired.first),
          "c"(desired.second), HACKBENCH_RSEQ_INPUTS
        : "rax", "cc", "memory"
        : aborted);
    return equal ? RseqResult::kCommitted : RseqResult::kMismatch;
  aborted:
    return RseqResult::kAborted;
  }
};

}  // namespace hackbench::atomics::x86_64
