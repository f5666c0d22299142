// SPDX-License-Identifier: MIT
// x86-64: how every restartable sequence of rseq.h and rseq_list.h begins. A
// sequence is BEGIN, its loads and scratch stores, WINDOW, the committing store
// and label 2.
#pragma once

// The descriptor (version, flags, start, length, abort), the abort handler
// behind its signature (an undefined instruction, so that it is never code),
// the arming store and the CPU check.
#define HACKBENCH_RSEQ_BEGIN                          \
  ".pushsection __rseq_cs, \"aw?\", @progbits\n"      \
  ".balign 32\n"                                      \
  "3: .long 0, 0\n"                                   \
  ".quad 1f, 2f - 1f, 4f\n"                           \
  ".popsection\n"                                     \
  ".pushsection __rseq_failure, \"ax?\", @progbits\n" \
  ".byte 0x0f, 0xb9, 0x3d\n"                          \
  ".long 0x53053053\n"                                \
  "4: jmp %l[aborted]\n"                              \
  ".popsection\n"                                     \
  ".if %c[armed]\n"                                   \
  "lea 3b(%%rip), %%rax\n"                            \
  "mov %%rax, %[rseq_cs]\n"                           \
  ".endif\n"                                          \
  "1: cmp %[cpu], %[cpu_id]\n"                        \
  "jne %l[aborted]\n"
#define HACKBENCH_RSEQ_WINDOW ".rept %c[window]\n nop\n .endr\n"
#define HACKBENCH_RSEQ_INPUTS                                 \
  [armed] "i"(kArmed), [window] "i"(kWindow), [cpu] "r"(cpu), \
      [cpu_id] "m"(area->cpu_id), [rseq_cs] "m"(area->rseq_cs)
