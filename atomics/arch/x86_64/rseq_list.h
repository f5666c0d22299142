// SPDX-License-Identifier: MIT
// x86-64: restartable sequences on the per-CPU lists of an allocator: free
// lists linked through the objects or beside them, and arrays of pointers.
//
// kMismatch means that the list was empty or full, or that the checked word was
// another; nothing was stored then but into memory that is the caller's. See
// rseq.h for what holds of every sequence.
#pragma once

#include <cstdint>
#include <string_view>

#include "atomics/arch/x86_64/rseq_begin.h"
#include "atomics/rseq_area.h"

namespace hackbench::atomics::x86_64 {

template <bool kArmed = true, unsigned kWindow = 0>
struct BasicRseqList {
  // The compare-exchange without LOCK as the committing instruction.
  static std::string_view WhyNoUnlocked() { return {}; }

  // head -> object -> next; the link is the first word of an object.
  [[gnu::always_inline]] static RseqResult Pop(RseqArea* area, uint32_t cpu,
                                               uint64_t* head,
                                               uint64_t& object) {
    uint64_t seen;
    asm volatile goto(HACKBENCH_RSEQ_BEGIN
                      "mov %[head], %[seen]\n"
                      "test %[seen], %[seen]\n"
                      "jz 2f\n"
                      "mov (%[seen]), %%rax\n" HACKBENCH_RSEQ_WINDOW
                      "mov %%rax, %[head]\n"
                      "2:"
                      : [seen] "=&r"(seen)
                      : [head] "m"(*head), HACKBENCH_RSEQ_INPUTS
                      : "rax", "cc", "memory"
                      : aborted);
    object = seen;
    return seen != 0 ? RseqResult::kCommitted : RseqResult::kMismatch;
  aborted:
    return RseqResult::kAborted;
  }

  [[gnu::always_inline]] static RseqResult Push(RseqArea* area, uint32_t cpu,
                                                uint64_t* head,
                                                uint64_t object) {
    asm volatile goto(HACKBENCH_RSEQ_BEGIN
                      "mov %[head], %%rax\n"
                      "mov %%rax, (%[object])\n" HACKBENCH_RSEQ_WINDOW
                      "mov %[object], %[head]\n"
                      "2:"
                      :
                      : [head] "m"(*head), [object] "r"(object),
                        HACKBENCH_RSEQ_INPUTS
                      : "rax", "cc", "memory"
                      : aborted);
    return RseqResult::kCommitted;
  aborted:
    return RseqResult::kAborted;
  }

  // Pushes while `*check` is `expected`.
  [[gnu::always_inline]] static RseqResult PushIf(RseqArea* area, uint32_t cpu,
                                                  const uint64_t* check,
                                                  uint64_t expected,
                                                  uint64_t* head,
                                                  uint64_t object) {
    asm volatile goto(HACKBENCH_RSEQ_BEGIN
                      "cmp %[expected], %[check]\n"
                      "jne %l[mismatch]\n"
                      "mov %[head], %%rax\n"
                      "mov %%rax, (%[object])\n" HACKBENCH_RSEQ_WINDOW
                      "mov %[object], %[head]\n"
                      "2:"
                      :
                      : [head] "m"(*head), [object] "r"(object),
                        [check] "m"(*check), [expected] "r"(expected),
                        HACKBENCH_RSEQ_INPUTS
                      : "rax", "cc", "memory"
                      : aborted, mismatch);
    return RseqResult::kCommitted;
  aborted:
    return RseqResult::kAborted;
  mismatch:
    return RseqResult::kMismatch;
  }

  // Pop and PushIf as cmpxchg_local did them. The list's loads stand inside the
  // sequence, so that the head cannot be used and come back between.
  [[gnu::always_inline]] static RseqResult PopUnlocked(RseqArea* area,
                                                       uint32_t cpu,
                                                       uint64_t* head,
                                                       uint64_t& object) {
    uint64_t seen;
    uint64_t next;
    bool equal;
    asm volatile goto(
        HACKBENCH_RSEQ_BEGIN
        "mov %[head], %%rax\n"
        "test %%rax, %%rax\n"
        "jz 2f\n"
        "mov (%%rax), %[next]\n" HACKBENCH_RSEQ_WINDOW
        "cmpxchg %[next], %[head]\n"
        "2: sete %[equal]\n"
        "mov %%rax, %[seen]"
        : [seen] "=&r"(seen), [next] "=&r"(next), [equal] "=&q"(equal)
        : [head] "m"(*head), HACKBENCH_RSEQ_INPUTS
        : "rax", "cc", "memory"
        : aborted);
    if (!equal) return RseqResult::kAborted;
    object = seen;
    return seen != 0 ? RseqResult::kCommitted : RseqResult::kMismatch;
  aborted:
    return RseqResult::kAborted;
  }

  [[gnu::always_inline]] static RseqResult PushIfUnlocked(
      RseqArea* area, uint32_t cpu, const uint64_t* check, uint64_t expected,
      uint64_t* head, uint64_t object) {
    bool equal;
    asm volatile goto(HACKBENCH_RSEQ_BEGIN
                      "cmp %[expected], %[check]\n"
                      "jne %l[mismatch]\n"
                      "mov %[head], %%rax\n"
                      "mov %%rax, (%[object])\n" HACKBENCH_RSEQ_WINDOW
                      "cmpxchg %[object], %[head]\n"
                      "2: sete %[equal]"
                      : [equal] "=&q"(equal)
                      : [head] "m"(*head), [object] "r"(object),
                        [check] "m"(*check), [expected] "r"(expected),
                        HACKBENCH_RSEQ_INPUTS
                      : "rax", "cc", "memory"
                      : aborted, mismatch);
    return equal ? RseqResult::kCommitted : RseqResult::kAborted;
  aborted:
    return RseqResult::kAborted;
  mismatch:
    return RseqResult::kMismatch;
  }

  // Lists of numbers linked beside the objects: links[i] follows i, 0 ends.
  [[gnu::always_inline]] static RseqResult PopIndexed(RseqArea* area,
                                                      uint32_t cpu,
                                                      uint64_t* head,
                                                      const uint32_t* links,
                                                      uint64_t& index) {
    uint64_t seen;
    asm volatile goto(HACKBENCH_RSEQ_BEGIN
                      "mov %[head], %[seen]\n"
                      "test %[seen], %[seen]\n"
                      "jz 2f\n"
                      "mov (%[links],%[seen],4), %%eax\n" HACKBENCH_RSEQ_WINDOW
                      "mov %%rax, %[head]\n"
                      "2:"
                      : [seen] "=&r"(seen)
                      : [head] "m"(*head), [links] "r"(links),
                        HACKBENCH_RSEQ_INPUTS
                      : "rax", "cc", "memory"
                      : aborted);
    index = seen;
    return seen != 0 ? RseqResult::kCommitted : RseqResult::kMismatch;
  aborted:
    return RseqResult::kAborted;
  }

  [[gnu::always_inline]] static RseqResult PushIndexed(RseqArea* area,
                                                       uint32_t cpu,
                                                       uint64_t* head,
                                                       uint32_t* links,
                                                       uint64_t index) {
    asm volatile goto(
        HACKBENCH_RSEQ_BEGIN
        "mov %[head], %%rax\n"
        "mov %%eax, (%[links],%[index],4)\n" HACKBENCH_RSEQ_WINDOW
        "mov %[index], %[head]\n"
        "2:"
        :
        : [head] "m"(*head), [links] "r"(links), [index] "r"(index),
          HACKBENCH_RSEQ_INPUTS
        : "rax", "cc", "memory"
        : aborted);
    return RseqResult::kCommitted;
  aborted:
    return RseqResult::kAborted;
  }

  // An array of pointers below `*top`, ended by a null pointer.
  [[gnu::always_inline]] static RseqResult PopTop(RseqArea* area, uint32_t cpu,
                                                  uint64_t* top,
                                                  uint64_t& object) {
    uint64_t seen;
    asm volatile goto(HACKBENCH_RSEQ_BEGIN
                      "mov %[top], %%rax\n"
                      "mov -8(%%rax), %[seen]\n"
                      "test %[seen], %[seen]\n"
                      "jz 2f\n"
                      "sub $8, %%rax\n" HACKBENCH_RSEQ_WINDOW
                      "mov %%rax, %[top]\n"
                      "2:"
                      : [seen] "=&r"(seen)
                      : [top] "m"(*top), HACKBENCH_RSEQ_INPUTS
                      : "rax", "cc", "memory"
                      : aborted);
    object = seen;
    return seen != 0 ? RseqResult::kCommitted : RseqResult::kMismatch;
  aborted:
    return RseqResult::kAborted;
  }

  // Full where the address of the top is a multiple of kBytes. What stands
  // above the top is scratch.
  template <uint32_t kBytes>
  [[gnu::always_inline]] static RseqResult PushTop(RseqArea* area, uint32_t cpu,
                                                   uint64_t* top,
                                                   uint64_t object) {
    asm volatile goto(
        HACKBENCH_RSEQ_BEGIN
        "mov %[top], %%rax\n"
        "test %[mask], %%eax\n"
        "jz %l[mismatch]\n"
        "mov %[object], (%%rax)\n"
        "add $8, %%rax\n" HACKBENCH_RSEQ_WINDOW
        "mov %%rax, %[top]\n"
        "2:"
        :
        : [top] "m"(*top), [object] "r"(object), [mask] "i"(kBytes - 1),
          HACKBENCH_RSEQ_INPUTS
        : "rax", "cc", "memory"
        : aborted, mismatch);
    return RseqResult::kCommitted;
  aborted:
    return RseqResult::kAborted;
  mismatch:
    return RseqResult::kMismatch;
  }
};

}  // namespace hackbench::atomics::x86_64
