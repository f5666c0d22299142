// SPDX-License-Identifier: MIT
// An array of slots, one per CPU, in memory the caller owns: ordinary, or a
// shared mapping made before the fork.
//
// CPU numbers may have holes and CPUs may be plugged in later, so size it by
// *possible* CPUs; ids beyond the table share one overflow slot, which only
// locked operations may touch. A view, cheap to copy; it frees nothing.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "atomics/word.h"

namespace hackbench::atomics {

// Two lines: the adjacent-line prefetcher pulls lines in pairs.
inline constexpr size_t kPerCpuAlign = 128;

// One more than the highest id in a kernel CPU list such as "0-3,8-11".
inline uint32_t CpusInList(std::string_view list) {
  uint32_t highest = 0;
  uint32_t id = 0;
  for (const char c : list) {
    id = c >= '0' && c <= '9' ? id * 10 + static_cast<uint32_t>(c - '0') : 0;
    highest = std::max(highest, id);
  }
  return highest + 1;
}

// Ids that may ever appear, not CPUs that are there: the two differ by holes
// and by CPUs plugged in later.
inline uint32_t PossibleCpus() {
  std::string list;
  std::ifstream("/sys/devices/system/cpu/possible") >> list;
  if (!list.empty()) return CpusInList(list);
  const long cpus = sysconf(_SC_NPROCESSORS_CONF);
  return cpus < 1 ? 1 : static_cast<uint32_t>(cpus);
}

// What the this_cpu operations work on; double words have their own.
template <class T>
concept PerCpuWord = Word<T> &&(sizeof(T) == 4 || sizeof(T) == 8);

template <class T>
class PerCpu {
 public:
  struct alignas(kPerCpuAlign) Slot {
    T value{};
  };

  static constexpr size_t BytesFor(uint32_t num_cpus) {
    return sizeof(Slot) * (size_t{num_cpus} + 1);
  }

  // A view of slots made before. `memory` is BytesFor(num_cpus) bytes, aligned
  // to kPerCpuAlign.
  PerCpu(void* memory, uint32_t num_cpus)
      : slots_(static_cast<Slot*>(memory)), num_cpus_(num_cpus) {}

  // Makes the slots.
  static PerCpu Make(void* memory, uint32_t num_cpus) {
    PerCpu area(memory, num_cpus);
    std::uninitialized_value_construct_n(area.slots_, size_t{num_cpus} + 1);
    return area;
  }

  [[nodiscard]] bool Holds(uint32_t cpu) const { return cpu < num_cpus_; }
  [[nodiscard]] uint32_t num_cpus() const { return num_cpus_; }

  T& ForCpu(uint32_t cpu) const { return slots_[cpu].value; }
  T& Overflow() const { return slots_[num_cpus_].value; }
  T& ForCpuOrOverflow(uint32_t cpu) const {
    return slots_[Holds(cpu) ? cpu : num_cpus_].value;
  }

  // Every slot, the overflow slot last.
  template <class Visit>
  void ForEach(Visit visit) const {
    for (uint32_t i = 0; i <= num_cpus_; ++i) visit(slots_[i].value);
  }

 private:
  Slot* slots_;
  uint32_t num_cpus_;
};

}  // namespace hackbench::atomics
