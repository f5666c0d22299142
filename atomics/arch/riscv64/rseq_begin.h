// SPDX-License-Identifier: MIT
// riscv64: how every restartable sequence of rseq.h and rseq_list.h begins. A
// sequence is BEGIN, its loads and scratch stores, WINDOW, the committing store
// and label 2.
#pragma once

#include "atomics/arch/riscv64/cmpxchg.h"

// The descriptor (version, flags, start, length, abort), the abort handler
// behind its signature, the arming store and the CPU check. t1 is scratch.
#define HACKBENCH_RSEQ_BEGIN                          \
  ".pushsection __rseq_cs, \"aw?\", @progbits\n"      \
  ".balign 32\n"                                      \
  "3: .long 0, 0\n"                                   \
  ".quad 1f, 2f - 1f, 4f\n"                           \
  ".popsection\n"                                     \
  ".pushsection __rseq_failure, \"ax?\", @progbits\n" \
  ".balign 4\n"                                       \
  ".long 0xf1401073\n"                                \
  "4: jump %l[aborted], t1\n"                         \
  ".popsection\n"                                     \
  ".if %[armed]\n"                                    \
  "lla t1, 3b\n"                                      \
  "sd t1, %[rseq_cs]\n"                               \
  ".endif\n"                                          \
  "1: lw t1, %[cpu_id]\n"                             \
  "bne t1, %[cpu], %l[aborted]\n"
#define HACKBENCH_RSEQ_WINDOW ".rept %[window]\n nop\n .endr\n"
// lw sign-extends, so the CPU it is compared with is sign-extended too.
#define HACKBENCH_RSEQ_INPUTS                                   \
  [armed] "i"(int{kArmed}), [window] "i"(kWindow),              \
      [cpu] "r"(SignExtended(cpu)), [cpu_id] "m"(area->cpu_id), \
      [rseq_cs] "m"(area->rseq_cs)
