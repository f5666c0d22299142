// SPDX-License-Identifier: MIT
#include "hackbench/limits.h"

#include <absl/strings/str_split.h>
#include <dirent.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "hackbench/log.h"
#include "hackbench/number.h"

namespace hackbench {
namespace {

std::optional<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The first number of a file; nothing for a missing file or for "max".
std::optional<int64_t> ReadNumberFile(const std::string& path) {
  const std::optional<std::string> text = ReadFile(path);
  if (!text) return std::nullopt;
  const std::optional<ParsedNumber> number = ParseNumber(*text);
  if (!number) return std::nullopt;
  return number->value;
}

// The number behind "KEY:" in a file of /proc.
std::optional<int64_t> ReadField(const std::string& path,
                                 std::string_view key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(key)) continue;
    const std::optional<ParsedNumber> number =
        ParseNumber(std::string_view(line).substr(key.size()));
    if (number) return number->value;
  }
  return std::nullopt;
}

// The entries of a directory whose names are numbers.
std::vector<std::string> NumberedEntries(const char* path) {
  std::vector<std::string> names;
  DIR* const directory = opendir(path);
  if (directory == nullptr) return names;
  while (const dirent* entry = readdir(directory)) {
    if (ParseNumber(entry->d_name)) names.emplace_back(entry->d_name);
  }
  closedir(directory);
  return names;
}

int64_t OpenDescriptors() {
  // One of them is the directory itself.
  return static_cast<int64_t>(NumberedEntries("/proc/self/fd").size()) - 1;
}

// Tasks of the whole machine, from the "running/total" of the load average.
int64_t AllTasks() {
  const std::string text = ReadFile("/proc/loadavg").value_or("");
  const size_t slash = text.find('/');
  if (slash == std::string::npos) return 0;
  const auto number = ParseNumber(std::string_view(text).substr(slash + 1));
  return number ? number->value : 0;
}

// Tasks of this user that this process can see.
int64_t TasksOfUser() {
  const std::string uid = fmt::format("{}", getuid());
  int64_t tasks = 0;
  for (const std::string& pid : NumberedEntries("/proc")) {
    const std::string path = fmt::format("/proc/{}/status", pid);
    if (ReadField(path, "Uid:") != static_cast<int64_t>(getuid())) continue;
    tasks += ReadField(path, "Threads:").value_or(1);
  }
  return tasks;
}

int64_t ToInt(rlim_t limit) {
  constexpr auto kMax = std::numeric_limits<int64_t>::max();
  return limit > static_cast<rlim_t>(kMax) ? kMax : static_cast<int64_t>(limit);
}

// A soft limit raised to its hard one where the need asks for it; what then
// holds.
int64_t RaisedLimit(decltype(RLIMIT_NOFILE) resource, int64_t need,
                    std::string_view name) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) {
    return std::numeric_limits<int64_t>::max();
  }
  const int64_t soft = ToInt(limit.rlim_cur);
  if (need <= soft || limit.rlim_cur == limit.rlim_max) return soft;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(resource, &limit) != 0) return soft;
  LogInfo(fmt::format("raised the soft limit of {} from {} to {}", name, soft,
                      ToInt(limit.rlim_max)));
  return ToInt(limit.rlim_max);
}

absl::Status Refuse(const RunPlan& plan, int64_t need, std::string_view what,
                    int64_t limit, std::string_view limit_name,
                    std::string_view remedy) {
  return absl::ResourceExhaustedError(fmt::format(
      "--groups {} --fds {} as {} needs {} {}, {} is {}; {} or use fewer "
      "--groups",
      plan.options.groups, plan.options.fds,
      plan.options.mode == Mode::kThread ? "threads" : "processes", need, what,
      limit_name, limit, remedy));
}

absl::Status CheckDescriptors(const RunPlan& plan) {
  const int64_t need = OpenDescriptors() + plan.need.descriptors;
  const int64_t limit = RaisedLimit(RLIMIT_NOFILE, need, "open files");
  if (need <= limit) return absl::OkStatus();
  return Refuse(plan, need, "open files", limit, "the hard limit",
                fmt::format("raise it with 'ulimit -Hn {}' as root", need));
}

absl::Status CheckUserTasks(const RunPlan& plan) {
  // The kernel lets root and its like pass this limit.
  if (geteuid() == 0) return absl::OkStatus();
  rlimit limit{};
  if (getrlimit(RLIMIT_NPROC, &limit) != 0 || limit.rlim_max == RLIM_INFINITY) {
    return absl::OkStatus();
  }
  const int64_t need = TasksOfUser() + plan.need.tasks;
  const int64_t allowed = RaisedLimit(RLIMIT_NPROC, need, "user processes");
  if (need <= allowed) return absl::OkStatus();
  return Refuse(plan, need, "tasks of this user", allowed,
                "the limit of user processes (ulimit -u)",
                fmt::format("raise it with 'ulimit -Hu {}' as root", need));
}

absl::Status CheckKernelTasks(const RunPlan& plan) {
  const int64_t need = AllTasks() + plan.need.tasks;
  for (const std::string_view name : {"pid_max", "threads-max"}) {
    const std::optional<int64_t> limit =
        ReadNumberFile(fmt::format("/proc/sys/kernel/{}", name));
    if (!limit || need < *limit) continue;
    return Refuse(plan, need, "tasks on the machine", *limit,
                  fmt::format("kernel.{}", name),
                  fmt::format("raise it with 'sysctl -w kernel.{}={}' as root",
                              name, need + need / 8));
  }
  return absl::OkStatus();
}

struct ControlGroup {
  std::string directory;  // Below the mount of its hierarchy.
  std::string mount;
};

// This process's groups of one controller, v2 and v1 mounts.
std::vector<ControlGroup> ControlGroups(std::string_view controller) {
  std::vector<ControlGroup> groups;
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  while (std::getline(file, line)) {
    const std::vector<std::string> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    if (parts[1].empty()) {
      groups.push_back({parts[2], "/sys/fs/cgroup"});
      groups.push_back({parts[2], "/sys/fs/cgroup/unified"});
    } else if (parts[1] == controller) {
      groups.push_back(
          {parts[2], fmt::format("/sys/fs/cgroup/{}", controller)});
    }
  }
  return groups;
}

// The least room that this group and its parents leave: limit minus use.
std::optional<int64_t> RoomInGroups(std::string_view controller,
                                    std::string_view limit_file,
                                    std::string_view usage_file) {
  std::optional<int64_t> room;
  for (const ControlGroup& group : ControlGroups(controller)) {
    for (std::string directory = group.directory;;) {
      const std::string path = group.mount + directory;
      const auto limit = ReadNumberFile(fmt::format("{}/{}", path, limit_file));
      const auto usage = ReadNumberFile(fmt::format("{}/{}", path, usage_file));
      if (limit && usage) {
        room = std::min(room.value_or(*limit - *usage), *limit - *usage);
      }
      const size_t slash = directory.rfind('/');
      if (slash == std::string::npos || directory == "/") break;
      directory.resize(slash);
    }
  }
  return room;
}

absl::Status CheckControlGroup(const RunPlan& plan) {
  const std::optional<int64_t> room =
      RoomInGroups("pids", "pids.max", "pids.current");
  if (!room || plan.need.tasks <= *room) return absl::OkStatus();
  return Refuse(
      plan, plan.need.tasks, "tasks", *room,
      "what this control group has left (pids.max)",
      "raise TasksMax of the service or --pids-limit of the container");
}

int64_t AvailableBytes() {
  constexpr int64_t kKib = 1024;
  const std::string path = "/proc/meminfo";
  const std::optional<int64_t> available = ReadField(path, "MemAvailable:");
  if (!available) return std::numeric_limits<int64_t>::max();
  const int64_t swap = ReadField(path, "SwapFree:").value_or(0);
  int64_t bytes = (*available + swap) * kKib;
  const std::optional<int64_t> v2 =
      RoomInGroups("memory", "memory.max", "memory.current");
  const std::optional<int64_t> v1 =
      RoomInGroups("memory", "memory.limit_in_bytes", "memory.usage_in_bytes");
  for (const std::optional<int64_t>& room : {v2, v1}) {
    if (room) bytes = std::min(bytes, *room);
  }
  return bytes;
}

absl::Status CheckMemory(const RunPlan& plan) {
  constexpr int64_t kMib = 1 << 20;
  const int64_t available = AvailableBytes();
  if (plan.need.bytes <= available) return absl::OkStatus();
  return Refuse(
      plan, plan.need.bytes / kMib, "MiB of memory", available / kMib,
      "what is available",
      fmt::format("use a smaller --datasize than {}", plan.options.datasize));
}

}  // namespace

absl::Status CheckLimits(const RunPlan& plan) {
  for (const auto check : {CheckKernelTasks, CheckControlGroup, CheckUserTasks,
                           CheckDescriptors, CheckMemory}) {
    absl::Status status = check(plan);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace hackbench
