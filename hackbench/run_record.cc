// SPDX-License-Identifier: MIT
#include "hackbench/run_record.h"

#include <absl/time/clock.h>
#include <absl/time/time.h>
#include <fmt/format.h>

#include <vector>

#include "atomics/arch.h"
#include "hackbench/user_report.h"

namespace hackbench {
namespace {

std::string GrammarName(Grammar grammar) {
  switch (grammar) {
    case Grammar::kClassic:
      return "classic";
    case Grammar::kPerf:
      return "perf";
    case Grammar::kRtTests:
      return "rt-tests";
    case Grammar::kCommand:
      break;
  }
  return "run";
}

std::string SchedName(const RunOptions& options) {
  switch (options.sched) {
    case SchedPolicy::kInherit:
      return "inherit";
    case SchedPolicy::kOther:
      return "other";
    case SchedPolicy::kBatch:
      return "batch";
    case SchedPolicy::kIdle:
      return "idle";
    case SchedPolicy::kFifo:
      break;
  }
  return fmt::format("fifo:{}", options.sched_priority);
}

std::string VerifyName(VerifyMode verify) {
  switch (verify) {
    case VerifyMode::kMessage:
      return "message";
    case VerifyMode::kByte:
      return "byte";
    case VerifyMode::kNone:
      break;
  }
  return "none";
}

std::string StatusName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kDone:
      return "ok";
    case Outcome::kInterrupted:
      return "interrupted";
    case Outcome::kTimedOut:
      return "timeout";
    case Outcome::kFailed:
      break;
  }
  return "failed";
}

results::RecordParts ToRecord(const UserParts& parts) {
  const bool is_socket = parts.model == MessageModel::kSocket;
  return {
      .alloc = parts.alloc_asked,
      .alloc_engine = std::string(parts.allocator->name),
      .lock = std::string(parts.lock->name),
      .rwlock = is_socket ? std::string(parts.rwlock->name) : "",
      .refcount = is_socket ? std::string(parts.refcount->name) : "",
      .churn = static_cast<int64_t>(parts.churn),
      .message_alloc = MessageAllocName(parts),
      .preempt = std::string(parts.preempt->name),
      .hz = parts.hz,
      .model = parts.is_coop() ? "coop" : "",
  };
}

// Counts under their names; all of them, for a missing one would be a guess.
template <class Names, class Counts>
std::vector<results::RecordCount> ToRecord(const Names& names,
                                           const Counts& counts) {
  std::vector<results::RecordCount> record;
  for (size_t i = 0; i < names.size(); ++i) {
    record.push_back({std::string(names[i]), counts[i]});
  }
  return record;
}

results::RecordUserPlane ToRecord(const RunPlan& plan,
                                  const UserFigures& figures) {
  const UserTally& tally = figures.tally;
  results::RecordUserPlane record;
  record.counts = {
      {"allocations", tally.allocations},
      {"allocated_bytes", tally.allocated_bytes},
      {"wakeups", tally.wakeups},
      {"reader_sleeps", tally.reader_sleeps},
      {"space_sleeps", tally.space_sleeps},
      {"cross_cpu_messages", tally.cross_cpu},
      {"registrations", tally.registrations},
      {"ticks", figures.ticks},
      {"coop_switches", tally.coop_switches},
  };
  record.lock_events =
      ToRecord(sync::kLockEventNames, tally.lock_events.counts);
  record.slab_events = ToRecord(alloc::kStatNames, figures.slab.counts);
  record.arena = figures.arena;
  if (!plan.options.phases) return record;
  record.step_unit = std::string(atomics::Cpu::kCycleUnit);
  for (size_t i = 0; i < kNumSteps; ++i) {
    const StepTally& step = tally.steps[i];
    if (!IsReported(static_cast<Step>(i), step)) continue;
    record.steps.push_back({std::string(kStepNames[i]),
                            StepCycles(step, figures.clock_cycles),
                            step.samples, step.interrupted});
  }
  return record;
}

results::Record Begin(const RunPlan& plan, std::string started_utc,
                      int exit_code) {
  const RunOptions& options = plan.options;
  results::Record record;
  record.started_utc = std::move(started_utc);
  record.exit_code = exit_code;
  record.config = {
      .grammar = GrammarName(options.grammar),
      .mode = std::string(ModeName(options.mode)),
      .groups = options.groups,
      .fds = options.fds,
      .loops = options.loops,
      .datasize = options.datasize,
      .transport = std::string(plan.transport->name),
      .nodelay = options.nodelay,
      .verify = VerifyName(plan.workload.verify),
      .latency = options.latency,
      .footprint = plan.workload.peer_footprint ? "peer" : "lean",
      .affinity = options.affinity,
      .sched = SchedName(options),
      .nice = options.nice == kInheritNice ? std::nullopt
                                           : std::optional(options.nice),
      .main_fifo = options.main_fifo,
      .parts = plan.user ? std::optional(ToRecord(*plan.user)) : std::nullopt,
      .tasks = plan.tasks,
  };
  if (plan.user) record.config.plane = "user";
  record.messages_planned = plan.messages;
  return record;
}

results::RecordLatency ToRecord(const Histogram& latency) {
  return {
      .p50_ns = latency.Quantile(0.5),
      .p90_ns = latency.Quantile(0.9),
      .p99_ns = latency.Quantile(0.99),
      .p99_9_ns = latency.Quantile(0.999),
      .max_ns = latency.max(),
      .count = latency.count(),
      .bucket_width_percent = 100.0 / (1 << Histogram::kSubBits),
  };
}

}  // namespace

results::Record MakeRecord(const RunPlan& plan, const LaunchResult& result,
                           LaunchRole role, std::string started_utc,
                           int exit_code) {
  results::Record record = Begin(plan, std::move(started_utc), exit_code);
  record.role = role.is_warmup ? "warmup" : "measure";
  record.index = role.index;
  record.status = StatusName(result.outcome());
  record.signal = result.failure.signal;
  record.message = result.failure.message;
  if (result.done) {
    record.timings = {.setup_ns = result.setup_ns,
                      .total_ns = result.total_ns,
                      .work_ns = result.work_ns,
                      .reap_ns = result.reap_ns};
  }
  record.messages = result.messages;
  record.payload_bytes = result.messages * plan.workload.datasize;
  record.use = {
      .user_ns = result.use.user_ns,
      .system_ns = result.use.system_ns,
      .voluntary_switches = result.use.voluntary_switches,
      .involuntary_switches = result.use.involuntary_switches,
      .minor_faults = result.use.minor_faults,
      .major_faults = result.use.major_faults,
      .max_rss_bytes = result.use.max_rss_bytes,
  };
  if (result.latency != nullptr) record.latency = ToRecord(*result.latency);
  if (result.user) record.user_plane = ToRecord(plan, *result.user);
  return record;
}

results::Record MakeRefusal(const RunPlan& plan, std::string message,
                            std::string started_utc, int exit_code) {
  results::Record record = Begin(plan, std::move(started_utc), exit_code);
  record.role = "measure";
  record.status = "refused";
  record.message = std::move(message);
  return record;
}

std::string UtcNow() {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::Now(),
                          absl::UTCTimeZone());
}

}  // namespace hackbench
