// SPDX-License-Identifier: MIT
// The scheduler's own settings.
#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>

#include <cerrno>

#include "results/environment_reader.h"

namespace hackbench::results {
namespace {

std::string PolicyName(int policy) {
  switch (policy & ~SCHED_RESET_ON_FORK) {
    case SCHED_OTHER:
      return "other";
    case SCHED_BATCH:
      return "batch";
    case SCHED_IDLE:
      return "idle";
    case SCHED_FIFO:
      return "fifo";
    case SCHED_RR:
      return "rr";
    default:
      return fmt::format("{}", policy);
  }
}

}  // namespace

void ReadSchedulerFields(EnvironmentReader& reader) {
  constexpr std::string_view kDebug = "/sys/kernel/debug/sched";
  for (const std::string_view name :
       {"features", "base_slice_ns", "latency_ns", "min_granularity_ns",
        "wakeup_granularity_ns", "tunable_scaling", "migration_cost_ns",
        "nr_migrate"}) {
    reader.AnyFile(fmt::format("sched.{}", name),
                   {fmt::format("{}/{}", kDebug, name),
                    fmt::format("/proc/sys/kernel/sched_{}", name)});
  }
  reader.File("sched.ext_state", "/sys/kernel/sched_ext/state");
  reader.File("sched.ext_ops", "/sys/kernel/sched_ext/root/ops");
  reader.File("sched.autogroup", "/proc/sys/kernel/sched_autogroup_enabled");
  reader.File("sched.rt_runtime_us", "/proc/sys/kernel/sched_rt_runtime_us");
  reader.File("sched.schedstats", "/proc/sys/kernel/sched_schedstats");

  sched_param parameter{};
  sched_getparam(0, &parameter);
  reader.Set("process.policy", PolicyName(sched_getscheduler(0)),
             "sched_getscheduler");
  reader.Set("process.rt_priority", fmt::format("{}", parameter.sched_priority),
             "sched_getparam");
  errno = 0;
  const int nice = getpriority(PRIO_PROCESS, 0);
  if (errno == 0) {
    reader.Set("process.nice", fmt::format("{}", nice), "getpriority");
  }
}

}  // namespace hackbench::results
