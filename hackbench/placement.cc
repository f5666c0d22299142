// SPDX-License-Identifier: MIT
#include "hackbench/placement.h"

#include <absl/strings/str_split.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <cerrno>
#include <optional>
#include <string>
#include <vector>

#include "hackbench/number.h"
#include "hackbench/system_error.h"

namespace hackbench {
namespace {

std::optional<int64_t> CpuNumber(std::string_view text) {
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  const std::optional<ParsedNumber> number = ParseNumber(text);
  if (!number || !number->rest.empty()) return std::nullopt;
  return number->value;
}

absl::Status BadList(std::string_view text) {
  return absl::InvalidArgumentError(
      fmt::format("--affinity '{}': expected a CPU list such as 0-3,8 with "
                  "numbers below {}",
                  text, CPU_SETSIZE));
}

absl::Status PolicyError(int error_number, std::string_view what) {
  const absl::Status status = ErrnoStatus(error_number, what);
  if (error_number != EPERM && error_number != EACCES) return status;
  return absl::PermissionDeniedError(
      fmt::format("{}; it needs root, CAP_SYS_NICE or a higher limit (ulimit "
                  "-r for priorities, -e for nice)",
                  std::string(status.message())));
}

int KernelPolicy(SchedPolicy policy) {
  switch (policy) {
    case SchedPolicy::kBatch:
      return SCHED_BATCH;
    case SchedPolicy::kIdle:
      return SCHED_IDLE;
    case SchedPolicy::kFifo:
      return SCHED_FIFO;
    default:
      return SCHED_OTHER;
  }
}

}  // namespace

absl::StatusOr<cpu_set_t> ParseCpuList(std::string_view text) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  const std::vector<std::string> ranges =
      absl::StrSplit(std::string(text), ',');
  for (const std::string& range : ranges) {
    const size_t dash = range.find('-');
    const auto first = CpuNumber(std::string_view(range).substr(0, dash));
    const auto last = dash == std::string::npos
                          ? first
                          : CpuNumber(std::string_view(range).substr(dash + 1));
    if (!first || !last || *first > *last || *last >= CPU_SETSIZE) {
      return BadList(text);
    }
    for (int64_t cpu = *first; cpu <= *last; ++cpu) {
      CPU_SET(static_cast<size_t>(cpu), &cpus);
    }
  }

  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) {
    return ErrnoStatus(errno, "sched_getaffinity");
  }
  for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &cpus) && !CPU_ISSET(cpu, &allowed)) {
      return absl::FailedPreconditionError(fmt::format(
          "--affinity {}: CPU {} is not among those this process may use "
          "(taskset -cp $$ shows them)",
          text, cpu));
    }
  }
  return cpus;
}

absl::Status ApplyPlacement(const RunOptions& options,
                            const cpu_set_t* affinity) {
  if (affinity != nullptr &&
      sched_setaffinity(0, sizeof(*affinity), affinity) != 0) {
    return ErrnoStatus(errno, "--affinity: sched_setaffinity");
  }
  if (options.nice != kInheritNice &&
      setpriority(PRIO_PROCESS, 0, static_cast<int>(options.nice)) != 0) {
    return PolicyError(errno, fmt::format("--nice {}", options.nice));
  }
  if (options.sched != SchedPolicy::kInherit) {
    const sched_param priority{.sched_priority = options.sched_priority};
    if (sched_setscheduler(0, KernelPolicy(options.sched), &priority) != 0) {
      return PolicyError(errno, "--sched");
    }
  }
  return absl::OkStatus();
}

absl::Status MakeMainFifo() {
  const sched_param priority{.sched_priority = 1};
  if (sched_setscheduler(0, SCHED_FIFO, &priority) != 0) {
    return PolicyError(errno, "--fifo|-F: SCHED_FIFO for main");
  }
  return absl::OkStatus();
}

}  // namespace hackbench
