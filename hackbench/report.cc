// SPDX-License-Identifier: MIT
#include "hackbench/report.h"

#include <fmt/format.h>

namespace hackbench {
namespace {

// "%lu.%03lu" of seconds and milliseconds.
std::string Seconds(int64_t ns) {
  const int64_t ms = ns / 1'000'000;
  return fmt::format("{}.{:03}", ms / 1000, ms % 1000);
}

double Ms(int64_t ns) { return static_cast<double>(ns) / 1e6; }

}  // namespace

std::string PerfBannerText() {
  return "# Running 'sched/messaging' benchmark:\n";
}

std::string HeaderText(const RunPlan& plan) {
  const RunOptions& options = plan.options;
  switch (options.grammar) {
    case Grammar::kClassic:
      return fmt::format("Running with {}*{} (== {}) tasks.\n", options.groups,
                         plan.tasks_per_group(), plan.tasks);
    case Grammar::kPerf:
      return "";
    case Grammar::kRtTests:
    case Grammar::kCommand:
      break;
  }
  return fmt::format(
      "Running in {} mode with {} groups using {} file descriptors each (== {} "
      "tasks)\nEach sender will pass {} messages of {} bytes\n",
      options.mode == Mode::kThread ? "threaded" : "process", options.groups,
      plan.tasks_per_group(), plan.tasks, options.loops, options.datasize);
}

std::string ResultText(const RunPlan& plan, const LaunchResult& result) {
  const RunOptions& options = plan.options;
  if (options.grammar != Grammar::kPerf) {
    return fmt::format("Time: {}\n", Seconds(result.total_ns));
  }
  if (options.simple_format) return Seconds(result.total_ns) + "\n";
  const std::string_view tasks =
      options.mode == Mode::kThread ? "threads" : "processes";
  return fmt::format(
      "# {} sender and receiver {} per group\n# {} groups == {} {} run\n\n"
      " {:>14}: {} [sec]\n",
      options.fds, tasks, options.groups, plan.tasks, tasks, "Total time",
      Seconds(result.total_ns));
}

std::string TimingText(const LaunchResult& result) {
  return fmt::format(
      "setup {:.3f} ms; from start to last message {:.3f} ms, to last task "
      "reaped {:.3f} ms (reaping alone {:.3f} ms)",
      Ms(result.setup_ns), Ms(result.work_ns), Ms(result.total_ns),
      Ms(result.reap_ns));
}

std::string LatencyText(const Histogram& latency) {
  const auto us = [](uint64_t ns) { return static_cast<double>(ns) / 1e3; };
  return fmt::format(
      "latency of {} samples in us, at most {:.1f} % high: p50 {:.1f}, p90 "
      "{:.1f}, p99 {:.1f}, p99.9 {:.1f}, max {:.1f}",
      latency.count(), 100.0 / (1 << Histogram::kSubBits),
      us(latency.Quantile(0.5)), us(latency.Quantile(0.9)),
      us(latency.Quantile(0.99)), us(latency.Quantile(0.999)),
      us(latency.max()));
}

}  // namespace hackbench
