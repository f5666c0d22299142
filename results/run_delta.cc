// SPDX-License-Identifier: MIT
#include "results/run_delta.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "results/small_file.h"

namespace hackbench::results {
namespace {

int64_t TicksToNs(int64_t ticks) {
  // USER_HZ, which is what /proc/stat counts in; it is not the kernel's HZ.
  static const long per_second = std::max(sysconf(_SC_CLK_TCK), 1L);
  return ticks * (1'000'000'000 / per_second);
}

void ReadStat(const std::string& root, Counters& counters) {
  std::istringstream lines(ReadSmallFile(root + "/proc/stat"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    int64_t value = 0;
    if (name == "cpu") {
      constexpr int kSteal = 7;
      // Guest time is counted within user time: eight fields are the whole.
      for (int field = 0; field <= kSteal && words >> value; ++field) {
        counters["cpu_ns"] += TicksToNs(value);
        if (field == kSteal) counters["steal_ns"] = TicksToNs(value);
      }
    } else if (name == "ctxt" || name == "processes" || name == "intr" ||
               name == "softirq") {
      if (words >> value) counters[name] = value;
    }
  }
}

// "some avg10=0.00 avg60=0.00 avg300=0.00 total=123"
void ReadPressure(const std::string& root, Counters& counters) {
  for (const char* const resource : {"cpu", "memory", "io"}) {
    const std::string text = ReadSmallFile(root + "/proc/pressure/" + resource);
    constexpr std::string_view kTotal = "total=";
    const size_t at = text.find(kTotal);
    if (!text.starts_with("some") || at == std::string::npos) continue;
    counters[fmt::format("psi_{}_us", resource)] =
        std::atoll(text.c_str() + at + kTotal.size());
  }
}

void ReadVmstat(const std::string& root, Counters& counters) {
  std::istringstream lines(ReadSmallFile(root + "/proc/vmstat"));
  std::string name;
  for (int64_t value = 0; lines >> name >> value;) {
    if (name == "pgfault" || name == "pgmajfault" || name == "pswpin" ||
        name == "pswpout" || name == "oom_kill") {
      counters[name] = value;
    }
  }
}

void ReadThrottling(const std::string& root, Counters& counters) {
  const std::string groups = ReadSmallFile(root + "/proc/self/cgroup");
  std::istringstream lines(groups);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("0::")) continue;
    const std::string path = line.size() > 4 ? line.substr(3) : "";
    std::istringstream stat(
        ReadSmallFile(root + "/sys/fs/cgroup" + path + "/cpu.stat"));
    std::string name;
    for (int64_t value = 0; stat >> name >> value;) {
      if (name == "nr_throttled") counters["throttled_count"] = value;
      if (name == "throttled_usec") counters["throttled_us"] = value;
    }
  }
  const std::string thermal = ReadSmallFile(
      root +
      "/sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count");
  if (!thermal.empty()) {
    counters["thermal_throttles"] = std::atoll(thermal.c_str());
  }
}

int64_t Get(const Counters& counters, const std::string& name) {
  const auto found = counters.find(name);
  return found == counters.end() ? 0 : found->second;
}

}  // namespace

Counters ReadCounters(const std::string& root) {
  Counters counters;
  ReadStat(root, counters);
  ReadPressure(root, counters);
  ReadVmstat(root, counters);
  ReadThrottling(root, counters);
  return counters;
}

void ReadLoad(RunDelta& delta, const std::string& root) {
  std::istringstream words(ReadSmallFile(root + "/proc/loadavg"));
  double five = 0;
  double fifteen = 0;
  std::string tasks;
  if (!(words >> delta.load >> five >> fifteen >> tasks)) {
    delta.load = -1;
    return;
  }
  delta.runnable = std::max(int64_t{0}, int64_t{std::atoll(tasks.c_str())} - 1);
}

Counters Subtract(const Counters& after, const Counters& before) {
  Counters difference;
  for (const auto& [name, value] : after) {
    const auto found = before.find(name);
    if (found != before.end()) difference[name] = value - found->second;
  }
  return difference;
}

std::vector<std::string> Flags(const RunDelta& delta) {
  constexpr double kSteal = 0.01;
  std::vector<std::string> flags;
  const auto cpu = static_cast<double>(Get(delta.counters, "cpu_ns"));
  const auto steal = static_cast<double>(Get(delta.counters, "steal_ns"));
  if (cpu > 0 && steal / cpu > kSteal) {
    flags.push_back(fmt::format("steal {:.1f} %", 100 * steal / cpu));
  }
  if (Get(delta.counters, "throttled_count") > 0) flags.push_back("throttled");
  if (Get(delta.counters, "thermal_throttles") > 0) {
    flags.push_back("thermal throttling");
  }
  if (Get(delta.counters, "pswpin") + Get(delta.counters, "pswpout") > 0) {
    flags.push_back("swapped");
  }
  if (Get(delta.counters, "oom_kill") > 0) flags.push_back("out of memory");
  return flags;
}

std::string ToJson(const RunDelta& delta) {
  nlohmann::json json = {{"runnable_before", delta.runnable},
                         {"load_before", nullptr}};
  if (delta.load >= 0) json["load_before"] = delta.load;
  for (const auto& [name, value] : delta.counters) json[name] = value;
  return json.dump();
}

}  // namespace hackbench::results
