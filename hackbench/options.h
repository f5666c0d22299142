// SPDX-License-Identifier: MIT
// What one invocation asks for, after whichever grammar it was written in.
//
// The defaults are those that the classic, the rt-tests and the perf hackbench
// share: 10 groups of 20 senders and 20 receivers, 100 loops of 100 bytes over
// AF_UNIX stream socketpairs, one process per task.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hackbench {

// Whose lines go to stdout, and whose exit code a usage error has.
enum class Grammar { kClassic, kRtTests, kPerf, kCommand };

enum class Mode { kProcess, kThread };
enum class SchedPolicy { kInherit, kOther, kBatch, kIdle, kFifo };

inline constexpr int64_t kDefaultOfPart = -1;  // No number given.
inline constexpr int64_t kDefaultTimeout = -1;
inline constexpr int64_t kInheritNice = 100;  // No --nice given.

struct RunOptions {
  Grammar grammar = Grammar::kRtTests;

  // Workload.
  Mode mode = Mode::kProcess;
  int64_t groups = 10;
  int64_t fds = 20;  // Receivers per group, and senders per group.
  int64_t loops = 100;
  int64_t datasize = 100;  // Bytes.
  std::string transport = "socketpair";
  bool nodelay = false;

  // Parts of the user plane; empty or kDefaultOfPart: not given.
  std::string plane;  // "kernel", "user"
  std::string alloc;
  std::string lock;
  std::string rwlock;
  std::string refcount;
  std::string message_alloc;
  std::string preempt;
  int64_t churn = kDefaultOfPart;
  int64_t hz = kDefaultOfPart;

  // Placement.
  bool main_fifo = false;  // rt-tests' -F: main alone becomes SCHED_FIFO 1.
  std::string affinity;    // CPU list; empty leaves the inherited mask.
  SchedPolicy sched = SchedPolicy::kInherit;
  int sched_priority = 0;  // For kFifo.
  int64_t nice = kInheritNice;

  // Measurement.
  int64_t repeat = 1;
  int64_t warmup = 0;
  bool timing_work = false;
  std::optional<bool> verify;  // Not given: on in the user plane only.
  bool latency = false;
  bool stats = false;
  bool phases = false;
  int64_t timeout_s = kDefaultTimeout;  // 0: no limit.
  int64_t hang_after_s = 60;            // 0: never.
  std::string footprint = "peer";

  // Output.
  bool simple_format = false;  // perf's --format=simple.
  std::string record;          // File name, "-" for stdout, empty for none.
  bool strict = false;
  std::string log_level = "warning";
  bool help = false;
  bool version = false;
  std::string list;  // --list WHAT

  // Whether any part of the user plane is named.
  bool names_part() const;
};

// A command line read as far as it can be without looking at the machine.
struct ParsedRun {
  RunOptions options;
  // Things that were understood, but perhaps not as meant: said once on stderr,
  // errors under --strict.
  std::vector<std::string> doubts;
};

std::string_view ModeName(Mode mode);

}  // namespace hackbench
