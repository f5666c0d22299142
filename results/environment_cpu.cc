// SPDX-License-Identifier: MIT
// CPUs: what they are, how fast they may run, how deep they sleep.
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <sstream>

#include "results/environment_reader.h"
#include "results/status_text.h"

namespace hackbench::results {
namespace {

constexpr std::string_view kCpu = "/sys/devices/system/cpu";

// The first "key : value" of /proc/cpuinfo with one of these keys; kernels of
// different architectures spell them differently.
std::optional<std::string> CpuInfo(
    const std::string& text, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const size_t colon = line.find(':');
      if (colon == std::string::npos || !line.starts_with(key)) continue;
      const size_t key_end = line.find_last_not_of(" \t", colon - 1);
      if (key_end + 1 != key.size()) continue;
      const size_t begin = line.find_first_not_of(" \t", colon + 1);
      return begin == std::string::npos ? "" : line.substr(begin);
    }
  }
  return std::nullopt;
}

void ReadModel(EnvironmentReader& reader) {
  const absl::StatusOr<std::string> info = reader.Read("/proc/cpuinfo");
  struct Field {
    std::string name;
    std::initializer_list<std::string_view> keys;
  };
  for (const Field& field : std::initializer_list<Field>{
           {"cpu.model", {"model name", "uarch", "Processor", "isa"}},
           {"cpu.implementer", {"vendor_id", "CPU implementer", "mvendorid"}},
           {"cpu.part", {"model", "CPU part", "marchid"}},
           {"cpu.stepping", {"stepping", "CPU revision", "mimpid"}},
           {"cpu.microcode", {"microcode"}},
           {"cpu.bogomips", {"bogomips", "BogoMIPS"}}}) {
    if (!info.ok()) {
      reader.Unknown(field.name,
                     fmt::format("/proc/cpuinfo: {}", Message(info.status())));
      continue;
    }
    if (const auto value = CpuInfo(*info, field.keys)) {
      reader.Set(field.name, *value, "/proc/cpuinfo");
    } else {
      reader.Unknown(field.name, "not in /proc/cpuinfo");
    }
  }
  const auto flags =
      info.ok() ? CpuInfo(*info, {"flags", "Features"}) : std::nullopt;
  if (flags && (" " + *flags + " ").find(" hypervisor ") != std::string::npos) {
    return reader.Set("cpu.hypervisor_bit", "yes", "/proc/cpuinfo");
  }
  if (flags) return reader.Set("cpu.hypervisor_bit", "no", "/proc/cpuinfo");
  reader.Unknown("cpu.hypervisor_bit", "no CPU flags in /proc/cpuinfo");
}

void ReadTopology(EnvironmentReader& reader) {
  for (const std::string_view name :
       {"online", "possible", "isolated", "offline"}) {
    reader.File(fmt::format("cpu.{}", name), fmt::format("{}/{}", kCpu, name));
  }
  reader.File("cpu.smt_control", fmt::format("{}/smt/control", kCpu));
  reader.File("cpu.smt_active", fmt::format("{}/smt/active", kCpu));
  for (const std::string_view name :
       {"thread_siblings_list", "core_siblings_list", "physical_package_id"}) {
    reader.File(fmt::format("cpu0.{}", name),
                fmt::format("{}/cpu0/topology/{}", kCpu, name));
  }
  const std::string caches = fmt::format("{}/cpu0/cache", kCpu);
  for (const std::string& index : reader.List(caches)) {
    if (!index.starts_with("index")) continue;
    const std::string folder = caches + "/" + index;
    const auto level = reader.Read(folder + "/level");
    const auto type = reader.Read(folder + "/type");
    const auto size = reader.Read(folder + "/size");
    if (!level.ok() || !type.ok() || !size.ok()) continue;
    reader.Set(fmt::format("cpu0.cache.L{}.{}", *level, *type), *size, folder);
  }
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof(mask), &mask) == 0) {
    std::string cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &mask)) {
        cpus += fmt::format("{}{}", cpus.empty() ? "" : ",", cpu);
      }
    }
    reader.Set("process.affinity", cpus, "sched_getaffinity");
    reader.Set("process.cpus", fmt::format("{}", CPU_COUNT(&mask)),
               "sched_getaffinity");
  }
  reader.File("numa.online", "/sys/devices/system/node/online");
  for (const std::string& node : reader.List("/sys/devices/system/node")) {
    if (!node.starts_with("node")) continue;
    reader.File("numa." + node + ".cpus",
                "/sys/devices/system/node/" + node + "/cpulist");
  }
  reader.File("numa.balancing", "/proc/sys/kernel/numa_balancing");
}

// intel_pstate says "no turbo", cpufreq says "boost": both become on or off.
void ReadBoost(EnvironmentReader& reader) {
  const std::string no_turbo = fmt::format("{}/intel_pstate/no_turbo", kCpu);
  const std::string boost = fmt::format("{}/cpufreq/boost", kCpu);
  if (const auto value = reader.Read(no_turbo); value.ok()) {
    return reader.Set("cpu.boost", *value == "0" ? "on" : "off", no_turbo);
  }
  if (const auto value = reader.Read(boost); value.ok()) {
    return reader.Set("cpu.boost", *value == "1" ? "on" : "off", boost);
  }
  reader.Unknown("cpu.boost", "not exposed: neither " + no_turbo + " nor " +
                                  boost + " is readable");
}

void ReadFrequency(EnvironmentReader& reader) {
  const std::string folder = fmt::format("{}/cpufreq", kCpu);
  bool found = false;
  for (const std::string& policy : reader.List(folder)) {
    if (!policy.starts_with("policy")) continue;
    found = true;
    for (const std::string_view name :
         {"scaling_governor", "scaling_driver", "energy_performance_preference",
          "scaling_min_freq", "scaling_max_freq", "cpuinfo_max_freq"}) {
      reader.File(fmt::format("cpufreq.{}.{}", policy, name),
                  fmt::format("{}/{}/{}", folder, policy, name));
    }
  }
  if (!found) {
    reader.Unknown("cpufreq.governor", "not exposed: no policy in " + folder +
                                           " (usual in virtual machines)");
  }
  ReadBoost(reader);
  reader.File("cpuidle.driver", fmt::format("{}/cpuidle/current_driver", kCpu));
  reader.AnyFile("cpuidle.governor",
                 {fmt::format("{}/cpuidle/current_governor", kCpu),
                  fmt::format("{}/cpuidle/current_governor_ro", kCpu)});
  const std::string idle = fmt::format("{}/cpu0/cpuidle", kCpu);
  const std::vector<std::string> states = reader.List(idle);
  if (states.empty()) {
    return reader.Unknown("cpuidle.deepest", "not exposed: " + idle);
  }
  reader.File("cpuidle.deepest", idle + "/" + states.back() + "/name");
}

void ReadVirtualisation(EnvironmentReader& reader) {
  reader.File("virt.hypervisor", "/sys/hypervisor/type");
  reader.File("virt.dmi_vendor", "/sys/class/dmi/id/sys_vendor");
  reader.File("virt.dmi_product", "/sys/class/dmi/id/product_name");
  reader.AnyFile("machine.model", {"/proc/device-tree/model",
                                   "/sys/firmware/devicetree/base/model"});
}

}  // namespace

void ReadCpuFields(EnvironmentReader& reader) {
  ReadModel(reader);
  ReadTopology(reader);
  ReadFrequency(reader);
  ReadVirtualisation(reader);
}

}  // namespace hackbench::results
