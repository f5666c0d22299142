// SPDX-License-Identifier: MIT
// Limits of this process, of its cgroup and of the machine; address layout.
#include <fmt/format.h>
#include <sys/personality.h>
#include <sys/resource.h>

#include <array>
#include <sstream>

#include "results/environment_reader.h"

namespace hackbench::results {
namespace {

std::string LimitText(rlim_t limit) {
  return limit == RLIM_INFINITY ? "unlimited" : fmt::format("{}", limit);
}

void ReadResourceLimits(EnvironmentReader& reader) {
  using Resource = decltype(RLIMIT_CPU);
  constexpr std::array<std::pair<Resource, std::string_view>, 4> kLimits = {
      {{RLIMIT_NPROC, "nproc"},
       {RLIMIT_NOFILE, "nofile"},
       {RLIMIT_STACK, "stack"},
       {RLIMIT_MEMLOCK, "memlock"}}};
  for (const auto& [resource, name] : kLimits) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0) continue;
    reader.Set(fmt::format("limit.{}", name),
               fmt::format("{}/{}", LimitText(limit.rlim_cur),
                           LimitText(limit.rlim_max)),
               "getrlimit, soft/hard");
  }
}

// The directory of this process in a hierarchy; "" is version 2.
std::optional<std::string> CgroupOf(const EnvironmentReader& reader,
                                    std::string_view controller) {
  const absl::StatusOr<std::string> text = reader.Read("/proc/self/cgroup");
  if (!text.ok()) return std::nullopt;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string list =
        fmt::format(",{},", line.substr(first + 1, second - first - 1));
    if (list.find(fmt::format(",{},", controller)) != std::string::npos) {
      return line.substr(second + 1);
    }
  }
  return std::nullopt;
}

void ReadCgroup(EnvironmentReader& reader) {
  if (const auto path = CgroupOf(reader, "")) {
    reader.Set("cgroup.path", *path, "/proc/self/cgroup");
    for (const std::string_view name :
         {"cpu.max", "cpu.weight", "cpuset.cpus.effective", "pids.max",
          "memory.max", "memory.high"}) {
      const std::string in = path->size() > 1 ? *path : "";
      reader.AnyFile(fmt::format("cgroup.{}", name),
                     {fmt::format("/sys/fs/cgroup{}/{}", in, name),
                      fmt::format("/sys/fs/cgroup/unified{}/{}", in, name)});
    }
  } else {
    reader.Unknown("cgroup.path", "no version 2 line in /proc/self/cgroup");
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kOld =
      {{{"cpu", "cpu.cfs_quota_us"},
        {"cpuset", "cpuset.effective_cpus"},
        {"pids", "pids.max"},
        {"memory", "memory.limit_in_bytes"}}};
  for (const auto& [controller, name] : kOld) {
    const auto path = CgroupOf(reader, controller);
    if (!path) continue;
    reader.File(fmt::format("cgroup1.{}", name),
                fmt::format("/sys/fs/cgroup/{}{}/{}", controller,
                            path->size() > 1 ? *path : "", name));
  }
}

}  // namespace

void ReadLimitFields(EnvironmentReader& reader) {
  ReadResourceLimits(reader);
  ReadCgroup(reader);
  for (const auto& [name, path] : {
           std::pair("limit.pid_max", "/proc/sys/kernel/pid_max"),
           std::pair("limit.threads_max", "/proc/sys/kernel/threads-max"),
           std::pair("limit.pipe_max_size", "/proc/sys/fs/pipe-max-size"),
           std::pair("limit.pipe_user_pages_soft",
                     "/proc/sys/fs/pipe-user-pages-soft"),
           std::pair("limit.wmem_default", "/proc/sys/net/core/wmem_default"),
           std::pair("limit.rmem_default", "/proc/sys/net/core/rmem_default"),
           std::pair("limit.unix_max_dgram_qlen",
                     "/proc/sys/net/unix/max_dgram_qlen"),
           std::pair("process.randomize_va_space",
                     "/proc/sys/kernel/randomize_va_space"),
       }) {
    reader.File(name, path);
  }
  constexpr unsigned long kQuery = 0xffffffff;
  const int personality_now = personality(kQuery);
  reader.Set("process.aslr",
             (personality_now & ADDR_NO_RANDOMIZE) != 0 ? "off" : "inherited",
             "personality");
}

}  // namespace hackbench::results
