// SPDX-License-Identifier: MIT
// Whose restartable-sequence area the threads of this process use, and where it
// is: the C library's where it registered one, ours otherwise, or none.
//
// Decided before main() and inherited by fork. glibc 2.35 and later register
// every thread; a second registration is refused, so we never try one beside
// it. An area of ours is registered by each thread at its first abort. Where
// the kernel refuses (no such call, seccomp, an emulator) `path` is kNone and
// `reason` says why: choose a locked form then, before the first task starts.
#pragma once

#include <linux/rseq.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "atomics/arch.h"
#include "atomics/rseq_area.h"

#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#define HACKBENCH_LIBRARY_RSEQ 1
#endif

namespace hackbench::atomics {

enum class RseqPath { kNone, kLibrary, kOwn };

// Zero but for the ids: a stale descriptor in a fresh area kills the thread at
// its next preemption.
constexpr RseqArea FreshRseqArea() {
  RseqArea area{};
  area.cpu_id = kRseqUnregistered;
  return area;
}

// initial-exec: its distance from the thread pointer is then the same in every
// thread, as that of the library's area is.
[[gnu::tls_model(
    "initial-exec")]] inline thread_local constinit RseqArea own_rseq_area =
    FreshRseqArea();

// Registers `area` for the calling thread; 0 or the errno of the kernel.
inline int RegisterRseq(RseqArea* area) {
  *area = FreshRseqArea();
  const long result =
      syscall(SYS_rseq, area, sizeof(*area), 0, Rseq::kSignature);
  return result == 0 ? 0 : errno;
}

inline int UnregisterRseq(RseqArea* area) {
  const long result = syscall(SYS_rseq, area, sizeof(*area),
                              RSEQ_FLAG_UNREGISTER, Rseq::kSignature);
  return result == 0 ? 0 : errno;
}

struct RseqRegistration {
  RseqPath path = RseqPath::kNone;
  ptrdiff_t offset = 0;  // From the thread pointer to the area.
  std::string reason;    // What was found, for people.
};

inline bool LibraryRegistersRseq() {
#ifdef HACKBENCH_LIBRARY_RSEQ
  return __rseq_size != 0;
#else
  return false;
#endif
}

inline RseqRegistration FindRseq() {
  if (!Rseq::kCompiled) {
    return {RseqPath::kNone, 0, std::string(Rseq::WhyNot())};
  }
#ifdef HACKBENCH_LIBRARY_RSEQ
  if (LibraryRegistersRseq()) {
    return {RseqPath::kLibrary, __rseq_offset, "registered by the C library"};
  }
#endif
  const int error = RegisterRseq(&own_rseq_area);
  if (error != 0) {
    return {RseqPath::kNone, 0,
            std::string("the kernel refuses rseq: ") + strerror(error)};
  }
  const auto* area = reinterpret_cast<const char*>(&own_rseq_area);
  return {RseqPath::kOwn, area - Rseq::ThreadPointer(),
          "registered by hackbench; the C library did not"};
}

inline const RseqRegistration kRseqRegistration = FindRseq();

// The calling thread's area. Only where path is not kNone.
inline RseqArea* ThreadRseqArea() {
  void* area = Rseq::ThreadPointer() + kRseqRegistration.offset;
  return static_cast<RseqArea*>(area);
}

// After an abort: makes sure that trying again can succeed. A thread that
// cannot be registered after others were has no correct way to go on, because a
// locked operation does not exclude the others' sequences.
[[gnu::noinline]] inline void EnsureRseqRegistered(RseqArea* area) {
  // volatile: the kernel writes it behind the compiler's back.
  const uint32_t cpu_id = *const_cast<volatile uint32_t*>(&area->cpu_id);
  if (static_cast<int32_t>(cpu_id) >= 0) return;
  const int error =
      kRseqRegistration.path == RseqPath::kOwn ? RegisterRseq(area) : ENOSYS;
  if (error == 0) return;
  fprintf(stderr,
          "hackbench: rseq: this thread cannot be registered (%s) although "
          "others of this process are; run with a locked variant\n",
          strerror(error));
  std::abort();
}

}  // namespace hackbench::atomics
