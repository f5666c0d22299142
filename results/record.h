// SPDX-License-Identifier: MIT
// The run record: one JSON object per launch, and the contract between what
// measures and what compares.
//
// Schema "hackbench.run/1", one line per object; times in ns, sizes in bytes:
//   schema, version   strings
//   started_utc       wall clock at the start, ISO 8601
//   role              "measure" or "warmup"
//   index             of the launch within its role, from 0
//   status            "ok", "failed", "interrupted", "timeout" or "refused"
//   exit_code         of the program, because of this launch
//   signal            that interrupted it, or 0
//   message           why there is no result; empty when ok
//   config            what was run, not what was asked: grammar, mode, groups,
//                     fds, loops, datasize, transport, nodelay, verify ("none",
//                     "message" or "byte"), latency, footprint, affinity,
//                     sched, nice, main_fifo, plane, tasks; in the user plane
//                     also alloc (as asked), alloc_engine, lock, rwlock,
//                     refcount, churn, msg-alloc, preempt, hz and model
//                     ("coop" or null); null where the model has no such part
//   timings_ns        setup, total (what `Time:` shows), work (to the last
//                     message), reap; only when ok
//   messages          received in all; `messages_planned` is what ok means
//   payload_bytes     messages * datasize
//   use               user_ns, system_ns, voluntary_switches,
//                     involuntary_switches, minor_faults, major_faults of main
//                     and all tasks; max_rss_bytes of the largest task so far
//   latency_ns        p50, p90, p99, p99_9, max, count, bucket_width_percent;
//                     only with --latency and ok
//   user_plane        only there and ok: counts of all tasks (allocations,
//                     allocated_bytes, wakeups, reader_sleeps, space_sleeps,
//                     cross_cpu_messages, registrations, ticks,
//                     coop_switches), lock_events, slab_events (under SLUB's
//                     names; may lose some to preemption), arena (what backs
//                     it); with --phases also step_unit and steps: mean,
//                     samples, interrupted each
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hackbench::results {

// The parts of the user plane; an empty name has no place in its model.
struct RecordParts {
  std::string alloc;
  std::string alloc_engine;
  std::string lock;
  std::string rwlock;
  std::string refcount;
  int64_t churn = 0;
  std::string message_alloc;
  std::string preempt;
  int64_t hz = 0;
  std::string model;
};

struct RecordConfig {
  std::string grammar;
  std::string mode;
  int64_t groups = 0;
  int64_t fds = 0;
  int64_t loops = 0;
  int64_t datasize = 0;
  std::string transport;
  bool nodelay = false;
  std::string verify;
  bool latency = false;
  std::string footprint;
  std::string affinity;
  std::string sched;
  std::optional<int64_t> nice;
  bool main_fifo = false;
  std::string plane = "kernel";
  std::optional<RecordParts> parts;
  uint64_t tasks = 0;
};

struct RecordTimings {
  int64_t setup_ns = 0;
  int64_t total_ns = 0;
  int64_t work_ns = 0;
  int64_t reap_ns = 0;
};

struct RecordUse {
  int64_t user_ns = 0;
  int64_t system_ns = 0;
  int64_t voluntary_switches = 0;
  int64_t involuntary_switches = 0;
  int64_t minor_faults = 0;
  int64_t major_faults = 0;
  int64_t max_rss_bytes = 0;
};

struct RecordLatency {
  uint64_t p50_ns = 0;
  uint64_t p90_ns = 0;
  uint64_t p99_ns = 0;
  uint64_t p99_9_ns = 0;
  uint64_t max_ns = 0;
  uint64_t count = 0;
  double bucket_width_percent = 0;
};

struct RecordCount {
  std::string name;
  uint64_t count = 0;
};

struct RecordStep {
  std::string name;
  double mean = 0;
  uint64_t samples = 0;
  uint64_t interrupted = 0;
};

struct RecordUserPlane {
  std::vector<RecordCount> counts;
  std::vector<RecordCount> lock_events;
  std::vector<RecordCount> slab_events;
  std::string arena;
  std::string step_unit;  // Empty without --phases.
  std::vector<RecordStep> steps;
};

struct Record {
  std::string started_utc;
  std::string role;
  int64_t index = 0;
  std::string status;
  int exit_code = 0;
  int signal = 0;
  std::string message;
  RecordConfig config;
  std::optional<RecordTimings> timings;
  uint64_t messages = 0;
  uint64_t messages_planned = 0;
  uint64_t payload_bytes = 0;
  RecordUse use;
  std::optional<RecordLatency> latency;
  std::optional<RecordUserPlane> user_plane;
};

// One line, with its newline.
std::string ToJsonLine(const Record& record);

// Collects the records of one invocation in a file that is complete at every
// moment: each new record replaces the file by a longer one (written beside it,
// synced, renamed). A device or pipe is written to directly.
class RecordFile {
 public:
  // Proves that `path` can be written, before an hour-long run. "-" is stdout.
  absl::Status Open(const std::string& path);

  absl::Status Append(const Record& record);

 private:
  absl::Status Replace();

  std::string path_;
  std::string content_;
  int direct_fd_ = -1;
};

}  // namespace hackbench::results
