// SPDX-License-Identifier: MIT
// arm64: how every restartable sequence of rseq.h and rseq_list.h begins. A
// sequence is BEGIN, its loads and scratch stores, WINDOW, the committing store
// and label 2.
#pragma once

// The descriptor (version, flags, start, length, abort), the abort handler
// behind its signature, the arming store and the CPU check. x17 is scratch.
#define HACKBENCH_RSEQ_BEGIN                          \
  ".pushsection __rseq_cs, \"aw?\", @progbits\n"      \
  ".balign 32\n"                                      \
  "3: .long 0, 0\n"                                   \
  ".quad 1f, 2f - 1f, 4f\n"                           \
  ".popsection\n"                                     \
  ".pushsection __rseq_failure, \"ax?\", @progbits\n" \
  ".long 0xd428bc00\n"                                \
  "4: b %l[aborted]\n"                                \
  ".popsection\n"                                     \
  ".if %c[armed]\n"                                   \
  "adrp x17, 3b\n"                                    \
  "add x17, x17, :lo12:3b\n"                          \
  "str x17, %[rseq_cs]\n"                             \
  ".endif\n"                                          \
  "1: ldr w17, %[cpu_id]\n"                           \
  "cmp w17, %w[cpu]\n"                                \
  "b.ne %l[aborted]\n"
#define HACKBENCH_RSEQ_WINDOW ".rept %c[window]\n nop\n .endr\n"
#define HACKBENCH_RSEQ_INPUTS                                 \
  [armed] "i"(kArmed), [window] "i"(kWindow), [cpu] "r"(cpu), \
      [cpu_id] "m"(area->cpu_id), [rseq_cs] "m"(area->rseq_cs)
