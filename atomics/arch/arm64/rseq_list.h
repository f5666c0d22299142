// SPDX-License-Identifier: MIT
// arm64: restartable sequences on the per-CPU lists of an allocator: free lists
// linked through the objects or beside them, and arrays of pointers.
//
// kMismatch means that the list was empty or full, or that the checked word was
// another; nothing was stored then but into memory that is the caller's. See
// rseq.h for what holds of every sequence.
#pragma once

#include <cstdint>
#include <string_view>

#include "atomics/arch/arm64/rseq_begin.h"
#include "atomics/rseq_area.h"

namespace hackbench::atomics::arm64 {

template <bool kArmed = true, unsigned kWindow = 0>
struct BasicRseqList {
  // arm64 has no compare-exchange that excludes this CPU only.
  static std::string_view WhyNoUnlocked() {
    return "arm64 has no compare-exchange without its shared form";
  }
  static RseqResult PopUnlocked(RseqArea*, uint32_t, uint64_t*, uint64_t&) {
    return RseqResult::kAborted;
  }
  static RseqResult PushIfUnlocked(RseqArea*, uint32_t, const uint64_t*,
                                   uint64_t, uint64_t*, uint64_t) {
    return RseqResult::kAborted;
  }

  // head -> object -> next; the link is the first word of an object.
  [[gnu::always_inline]] static RseqResult Pop(RseqArea* area, uint32_t cpu,
                                               uint64_t* head,
                                               uint64_t& object) {
    uint64_t seen;
    asm volatile goto(HACKBENCH_RSEQ_BEGIN
                      "ldr %[seen], %[head]\n"
                      "cbz %[seen], 2f\n"
                      "ldr x17, [%[seen]]\n" HACKBENCH_RSEQ_WINDOW
                      "str x17, %[head]\n"
                      "2:"
                      : [seen] "=&r"(seen)
                      : [head] "Q"(*head), HACKBENCH_RSEQ_INPUTS
                      : "x17", "cc", "memory"
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
                      "ldr x17, %[head]\n"
                      "str x17, [%[object]]\n" HACKBENCH_RSEQ_WINDOW
                      "str %[object], %[head]\n"
                      "2:"
                      :
                      : [head] "Q"(*head), [object] "r"(object),
                        HACKBENCH_RSEQ_INPUTS
                      : "x17", "cc", "memory"
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
                      "ldr x17, %[check]\n"
                      "cmp x17, %[expected]\n"
                      "b.ne %l[mismatch]\n"
                      "ldr x17, %[head]\n"
                      "str x17, [%[object]]\n" HACKBENCH_RSEQ_WINDOW
                      "str %[object], %[head]\n"
                      "2:"
                      :
                      : [head] "Q"(*head), [object] "r"(object),
                        [check] "Q"(*check), [expected] "r"(expected),
                        HACKBENCH_RSEQ_INPUTS
                      : "x17", "cc", "memory"
                      : aborted, mismatch);
    return RseqResult::kCommitted;
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
    asm volatile goto(
        HACKBENCH_RSEQ_BEGIN
        "ldr %[seen], %[head]\n"
        "cbz %[seen], 2f\n"
        "ldr w17, [%[links], %[seen], lsl #2]\n" HACKBENCH_RSEQ_WINDOW
        "str x17, %[head]\n"
        "2:"
        : [seen] "=&r"(seen)
        : [head] "Q"(*head), [links] "r"(links), HACKBENCH_RSEQ_INPUTS
        : "x17", "cc", "memory"
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
        "ldr x17, %[head]\n"
        "str w17, %[link]\n" HACKBENCH_RSEQ_WINDOW
        "str %[index], %[head]\n"
        "2:"
        :
        : [head] "Q"(*head), [link] "Q"(links[index]), [index] "r"(index),
          HACKBENCH_RSEQ_INPUTS
        : "x17", "cc", "memory"
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
                      "ldr x17, %[top]\n"
                      "ldr %[seen], [x17, #-8]!\n"
                      "cbz %[seen], 2f\n" HACKBENCH_RSEQ_WINDOW
                      "str x17, %[top]\n"
                      "2:"
                      : [seen] "=&r"(seen)
                      : [top] "Q"(*top), HACKBENCH_RSEQ_INPUTS
                      : "x17", "cc", "memory"
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
    asm volatile goto(HACKBENCH_RSEQ_BEGIN
                      "ldr x17, %[top]\n"
                      "tst x17, %[mask]\n"
                      "b.eq %l[mismatch]\n"
                      "str %[object], [x17], #8\n" HACKBENCH_RSEQ_WINDOW
                      "str x17, %[top]\n"
                      "2:"
                      :
                      : [top] "Q"(*top), [object] "r"(object),
                        [mask] "i"(uint64_t{kBytes - 1}), HACKBENCH_RSEQ_INPUTS
                      : "x17", "cc", "memory"
                      : aborted, mismatch);
    return RseqResult::kCommitted;
  aborted:
    return RseqResult::kAborted;
  mismatch:
    return RseqResult::kMismatch;
  }
};

}  // namespace hackbench::atomics::arm64
