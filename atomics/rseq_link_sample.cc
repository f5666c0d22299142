// SPDX-License-Identifier: MIT
// Compiled twice and linked: both halves instantiate the same sequences, and
// the linker keeps one copy of each. Descriptors of the dropped copy must go
// with it, or they point at code that is not there. See rseq_link_test.sh.
#include "atomics/this_cpu.h"

namespace hackbench::atomics {

uint64_t CountElsewhere(char* area, uint32_t cpus);

}  // namespace hackbench::atomics

// Of external linkage and inline, so that both halves hold it as COMDAT.
struct SharedSlot {
  uint64_t word = 0;
};
inline uint64_t Count(hackbench::atomics::PerCpu<SharedSlot> area) {
  using hackbench::atomics::ThisCpuRseq;
  ThisCpuRseq::Add(area, &SharedSlot::word, 1);
  uint64_t seen = ThisCpuRseq::Read(area, &SharedSlot::word);
  while (!ThisCpuRseq::Cmpxchg(area, &SharedSlot::word, seen, seen + 1)) {
  }
  const uint64_t held = ThisCpuRseq::Xchg(area, &SharedSlot::word, 0);
  ThisCpuRseq::Add(area, &SharedSlot::word, held);
  return held;
}

#ifdef HACKBENCH_LINK_MAIN

// Single-threaded and moved by nobody but the scheduler: the aborts are tested
// elsewhere, here it is the descriptors that the kernel must find.
int main() {
  using namespace hackbench::atomics;
  if (!ThisCpuRseq::WhyNot().empty()) return 0;
  constexpr uint32_t kCpus = 256;
  alignas(kPerCpuAlign) static char memory[PerCpu<SharedSlot>::BytesFor(kCpus)];
  const auto area = PerCpu<SharedSlot>::Make(memory, kCpus);
  constexpr int kRounds = 100000;
  for (int i = 0; i < kRounds; ++i) {
    Count(area);
    CountElsewhere(memory, kCpus);
  }
  uint64_t sum = 0;
  area.ForEach([&](const SharedSlot& slot) { sum += slot.word; });
  return sum == 4 * kRounds ? 0 : 1;
}

#else

uint64_t hackbench::atomics::CountElsewhere(char* area, uint32_t cpus) {
  return Count(PerCpu<SharedSlot>(area, cpus));
}

#endif
