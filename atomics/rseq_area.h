// SPDX-License-Identifier: MIT
// The words a thread shares with the kernel for restartable sequences, and what
// one sequence can answer.
//
// Everything here is the kernel's to write except `rseq_cs`. A program that
// writes `cpu_id_start` breaks other users of the area, and newer kernels kill
// it for that; we only read.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hackbench::atomics {

// Field names and offsets are the kernel's ABI (linux/rseq.h).
struct alignas(32) RseqArea {
  uint32_t cpu_id_start;
  uint32_t cpu_id;  // Negative as int32_t while the thread is not registered.
  uint64_t rseq_cs;
  uint32_t flags;
  uint32_t node_id;
  uint32_t mm_cid;
  uint32_t padding;
};
static_assert(sizeof(RseqArea) == 32);
static_assert(offsetof(RseqArea, rseq_cs) == 8);

inline constexpr uint32_t kRseqUnregistered = static_cast<uint32_t>(-1);

enum class RseqResult {
  kCommitted,
  kMismatch,  // The word was not what the caller expected; nothing stored.
  kAborted,   // Another CPU, a signal or a preemption came between; try again.
};

}  // namespace hackbench::atomics
