// SPDX-License-Identifier: MIT
#include "hackbench/option_table.h"

#include <array>

namespace hackbench {
namespace {

using enum OptionId;
using enum Section;

constexpr std::string_view kRepeatHelp =
    "complete runs to do; stdout is what N calls would print, their mean and "
    "spread go to stderr";

constexpr auto kTable = std::to_array<OptionRow>({
    {kGroups, 'g', "groups", "N", "10", "groups of senders and receivers",
     kWorkload, kRtTestsSpelling},
    {kFds, 'f', "fds", "N", "20",
     "receivers in each group, and as many senders", kWorkload,
     kRtTestsSpelling},
    {kLoops, 'l', "loops", "N", "100",
     "messages from each sender to each receiver of its group", kWorkload,
     kRtTestsSpelling},
    {kDatasize, 's', "datasize", "BYTES", "100", "size of a message", kWorkload,
     kRtTestsSpelling},
    {kThreads, 'T', "threads", "", "", "each task is a POSIX thread", kWorkload,
     kRtTestsSpelling},
    {kProcesses, 'P', "processes", "", "",
     "each task is a process (the default)", kWorkload, kRtTestsSpelling},
    {kPipe, 'p', "pipe", "", "", "messages go through pipes", kWorkload,
     kEverySpelling},
    {kInet, 'i', "inet", "", "", "messages go through TCP over loopback",
     kWorkload, kRtTestsSpelling},
    {kGroups, 'g', "group", "N", "10", "groups of senders and receivers",
     kWorkload, kPerfSpelling},
    {kLoops, 'l', "nr_loops", "N", "100",
     "messages from each sender to each receiver of its group", kWorkload,
     kPerfSpelling},
    {kThreads, 't', "thread", "", "", "each task is a POSIX thread", kWorkload,
     kPerfSpelling},
    {kTransport, 0, "transport", "NAME", "socketpair",
     "what carries a message; --list transports shows the choices", kWorkload,
     kEverySpelling},
    {kNodelay, 0, "nodelay", "", "", "set TCP_NODELAY on the sending side",
     kWorkload, kEverySpelling},

    {kPlane, 0, "plane", "NAME", "kernel",
     "whose code carries a message: kernel, or user, which naming any part "
     "below implies",
     kParts, kEverySpelling},
    {kAlloc, 0, "alloc", "NAME", "the best that runs here",
     "allocator of messages; --list allocators", kParts, kEverySpelling},
    {kLock, 0, "lock", "NAME", "hybrid", "lock of a queue; --list locks",
     kParts, kEverySpelling},
    {kRwlock, 0, "rwlock", "NAME", "qrw-adaptive",
     "lock of a group's endpoint table; --list rwlocks", kParts,
     kEverySpelling},
    {kRefcount, 0, "refcount", "NAME", "hybrid-cmpxchg",
     "how a receiver is held while a message is on its way; --list refcounts",
     kParts, kEverySpelling},
    {kChurn, 0, "churn", "N", "1000",
     "a receiver enters the endpoint table anew every N messages; 0 is never",
     kParts, kEverySpelling},
    {kMessageAlloc, 0, "msg-alloc", "HOW", "skb",
     "memory of a message: skb (head and data), fixed:BYTES (one object), or "
     "none",
     kParts, kEverySpelling},
    {kPreempt, 0, "preempt", "NAME", "none",
     "cooperative preemption model: points at which a tick is honoured; --list "
     "preempts",
     kParts, kEverySpelling},
    {kHz, 0, "hz", "N", "0",
     "ticks a second of that model, each asks for a switch; 0 is none", kParts,
     kEverySpelling},

    {kFifo, 'F', "fifo", "", "",
     "main becomes SCHED_FIFO priority 1 once all tasks exist", kPlacement,
     kRtTestsSpelling},
    {kAffinity, 0, "affinity", "LIST", "",
     "run on these CPUs only, as in 0-3,8", kPlacement, kEverySpelling},
    {kSched, 0, "sched", "POLICY", "",
     "scheduling policy of main and the tasks: other, batch, idle or fifo:N",
     kPlacement, kEverySpelling},
    {kNice, 0, "nice", "N", "", "nice value of main and the tasks, -20 to 19",
     kPlacement, kEverySpelling},

    {kRepeat, 0, "repeat", "N", "1", kRepeatHelp, kMeasurement,
     kRtTestsSpelling},
    {kRepeat, 'r', "repeat", "N", "1", kRepeatHelp, kMeasurement,
     kPerfSpelling},
    {kWarmup, 0, "warmup", "N", "0", "runs before those, not counted",
     kMeasurement, kEverySpelling},
    {kTiming, 0, "timing", "WHAT", "total",
     "total, or work: also print setup, the time to the last message and "
     "reaping, on stderr",
     kMeasurement, kEverySpelling},
    {kVerify, 0, "verify", "", "",
     "check that no message is lost, repeated, torn or misrouted; the default "
     "in the user plane",
     kMeasurement, kEverySpelling},
    {kNoVerify, 0, "no-verify", "", "", "do not check messages", kMeasurement,
     kEverySpelling},
    {kStats, 0, "stats", "", "",
     "user plane: what the parts did, on stderr: allocations, lock events, "
     "wake-ups",
     kMeasurement, kEverySpelling},
    {kPhases, 0, "phases", "", "",
     "user plane: cycles of each step of a message, from one message in 64, on "
     "stderr",
     kMeasurement, kEverySpelling},
    {kLatency, 0, "latency", "", "",
     "percentiles of the time from a sender's clock to the receiver's, on "
     "stderr",
     kMeasurement, kEverySpelling},
    {kTimeout, 0, "timeout", "SECONDS", "0",
     "end a run that takes longer, exit 124; 0 is no limit", kMeasurement,
     kEverySpelling},
    {kHangAfter, 0, "hang-after", "SECONDS", "60",
     "end a run in which nothing moves for so long, say who waits for whom, "
     "exit 124; 0 is never",
     kMeasurement, kEverySpelling},
    {kFootprint, 0, "footprint", "NAME", "peer",
     "address space a process gives back when it exits: peer, like rt-tests' "
     "so that times compare, or lean",
     kMeasurement, kEverySpelling},

    {kFormat, 'f', "format", "NAME", "default",
     "default, or simple: the seconds alone", kOutput, kPerfSpelling},
    {kRecord, 0, "record", "FILE", "",
     "write one JSON object per run; - replaces the usual lines on stdout",
     kOutput, kEverySpelling},
    {kStrict, 0, "strict", "", "",
     "every doubt about the command line is an error", kOutput, kEverySpelling},
    {kLogLevel, 0, "log-level", "LEVEL", "warning",
     "what goes to stderr: off, error, warning, info or debug", kOutput,
     kEverySpelling},
    {kList, 0, "list", "WHAT", "",
     "list the choices for a part: transports, allocators, locks, rwlocks, "
     "refcounts or preempts",
     kOutput, kEverySpelling},
    {kHelp, 'h', "help", "", "", "this text", kOutput, kEverySpelling},
    {kVersion, 0, "version", "", "", "print the version", kOutput,
     kEverySpelling},
});

}  // namespace

std::span<const OptionRow> OptionTable() { return kTable; }

std::string_view SectionTitle(Section section) {
  switch (section) {
    case kWorkload:
      return "Workload";
    case kParts:
      return "Parts of the user plane";
    case kPlacement:
      return "Placement";
    case kMeasurement:
      return "Measurement";
    case kOutput:
      return "Output";
  }
  return "";
}

}  // namespace hackbench
