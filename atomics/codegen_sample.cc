// SPDX-License-Identifier: MIT
// The fast forms as a caller would compile them; codegen_test.sh reads the
// disassembly. Never run.
#include "atomics/this_cpu.h"

using namespace hackbench::atomics;  // NOLINT: a listing, not a library.

struct Slot {
  uint64_t word;
  DoubleWord pair;
};

extern "C" {
bool local_cmpxchg(uint64_t* word, uint64_t* expected, uint64_t desired) {
  return CmpxchgLocal(word, *expected, desired);
}
bool local_cmpxchg_byte(uint8_t* word, uint8_t* expected, uint8_t desired) {
  return CmpxchgLocal(word, *expected, desired);
}
uint64_t local_xchg(uint64_t* word, uint64_t value) {
  return XchgLocal(word, value);
}
uint64_t local_fetch_add(uint64_t* word, uint64_t delta) {
  return FetchAddLocal(word, delta);
}
bool local_cmpxchg_double(DoubleWord* word, DoubleWord expected,
                          DoubleWord desired) {
  return CmpxchgDoubleLocal(word, expected, desired);
}
bool shared_cmpxchg(uint64_t* word, uint64_t* expected, uint64_t desired) {
  return Cmpxchg(word, *expected, desired);
}
bool shared_cmpxchg_double(DoubleWord* word, DoubleWord expected,
                           DoubleWord desired) {
  return CmpxchgDouble(word, expected, desired);
}
// Sequences with their slow path cut off: what is left is the fast form.
RseqResult rseq_xchg(RseqArea* area, uint32_t cpu, uint64_t* word,
                     uint64_t value, uint64_t* old) {
  return Rseq::Xchg(area, cpu, word, value, *old);
}
RseqResult rseq_add(RseqArea* area, uint32_t cpu, uint64_t* word,
                    uint64_t delta) {
  return Rseq::Add(area, cpu, word, delta);
}
RseqResult rseq_cmpxchg_double(RseqArea* area, uint32_t cpu, DoubleWord* word,
                               DoubleWord expected, DoubleWord desired) {
  return Rseq::CmpxchgDouble(area, cpu, word, expected, desired);
}
}
