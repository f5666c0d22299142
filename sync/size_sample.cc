// SPDX-License-Identifier: MIT
// A thousand places that take and release a lock, for `hackbench size`: built
// once per lock and preemption model, by SAMPLE_LOCK and SAMPLE_PREEMPT. Never
// linked; only its sections are measured.
#include <cstdint>

#include "sync/preempt.h"
#include "sync/queued_lock.h"
#include "sync/ticket_lock.h"

namespace hackbench::sync {

#if SAMPLE_LOCK == 0
using SampleBase = TicketLock;
constexpr Call kSampleCall = Call::kOutOfLine;
#elif SAMPLE_LOCK == 1
using SampleBase = QueuedInlineLock;  // Called by the wrapper, not by itself.
constexpr Call kSampleCall = Call::kOutOfLine;
#else
using SampleBase = QueuedInlineLock;
constexpr Call kSampleCall = Call::kInline;
#endif

#if SAMPLE_PREEMPT == 0
using SamplePreempt = PreemptNone;
#elif SAMPLE_PREEMPT == 1
using SamplePreempt = PreemptVoluntary;
#else
using SamplePreempt = PreemptFull;
#endif

using SampleLock = PreemptLock<SampleBase, SamplePreempt, kSampleCall>;

struct Sample {
  SampleLock lock;
  uint64_t value;
};

Sample sample;  // NOLINT: the bytes of data are part of the figure.

// Each site differs, so that none is folded into another.
#define SITE(n)                                        \
  uint64_t Site##n(Sample& at, Waiter& waiter) {       \
    SamplePreempt::MightSleep();                       \
    if (!Holds(at.lock.Lock(waiter))) return 0;        \
    const uint64_t value = at.value += uint64_t{1##n}; \
    at.lock.Unlock(waiter);                            \
    return value;                                      \
  }
#define SITES10(n) \
  SITE(n##0)       \
  SITE(n##1)       \
  SITE(n##2)       \
  SITE(n##3) SITE(n##4) SITE(n##5) SITE(n##6) SITE(n##7) SITE(n##8) SITE(n##9)
#define SITES100(n) \
  SITES10(n##0)     \
  SITES10(n##1)     \
  SITES10(n##2)     \
  SITES10(n##3)     \
  SITES10(n##4)     \
  SITES10(n##5) SITES10(n##6) SITES10(n##7) SITES10(n##8) SITES10(n##9)

SITES100(0)
SITES100(1)
SITES100(2)
SITES100(3)
SITES100(4)
SITES100(5)
SITES100(6)
SITES100(7)
SITES100(8)
SITES100(9)

}  // namespace hackbench::sync
