// SPDX-License-Identifier: MIT
// Kernel, its build, boot and configuration; HZ and the preemption mode.
#include <fmt/format.h>
#include <sys/utsname.h>
#include <time.h>

#include <array>
#include <cmath>

#include "results/environment_reader.h"
#include "results/hash.h"

namespace hackbench::results {
namespace {

void ReadHz(EnvironmentReader& reader) {
  const std::optional<int> clock = HzFromCoarseClock();
  if (const auto configured = reader.Config("HZ");
      configured && *configured != "n") {
    std::string source = reader.config_source();
    if (clock && fmt::format("{}", *clock) != *configured) {
      // The configuration belongs to another kernel; the clock is running.
      return reader.Set("kernel.hz", fmt::format("{}", *clock),
                        fmt::format("resolution of CLOCK_MONOTONIC_COARSE ({} "
                                    "says {})",
                                    source, *configured));
    }
    return reader.Set("kernel.hz", *configured, std::move(source));
  }
  if (clock) {
    return reader.Set("kernel.hz", fmt::format("{}", *clock),
                      "resolution of CLOCK_MONOTONIC_COARSE");
  }
  reader.Unknown("kernel.hz", "no kernel configuration, no coarse clock");
}

// The mode that CONFIG_PREEMPT_* builds in; with PREEMPT_DYNAMIC only the one
// that the kernel starts with.
std::optional<std::string> ConfiguredPreempt(const EnvironmentReader& reader) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5>
      kModes = {{{"PREEMPT_RT", "rt"},
                 {"PREEMPT_LAZY", "lazy"},
                 {"PREEMPT", "full"},
                 {"PREEMPT_VOLUNTARY", "voluntary"},
                 {"PREEMPT_NONE", "none"}}};
  for (const auto& [option, mode] : kModes) {
    if (reader.Config(option) == "y") return std::string(mode);
  }
  return std::nullopt;
}

void ReadPreempt(EnvironmentReader& reader) {
  constexpr std::string_view kName = "kernel.preempt";
  constexpr std::string_view kDebugFile = "/sys/kernel/debug/sched/preempt";
  const auto set = [&](std::string value, std::string source, bool verified) {
    reader.Set(std::string(kName), std::move(value), std::move(source));
    reader.Set("kernel.preempt_verified", verified ? "yes" : "no",
               verified ? "read from the running kernel"
                        : "the mode can change at run time and "
                          "/sys/kernel/debug/sched/preempt is not readable");
  };
  if (reader.Read("/sys/kernel/realtime").value_or("") == "1") {
    return set("rt", "/sys/kernel/realtime", true);
  }
  if (reader.Read(kDebugFile).ok()) {
    reader.Choice(std::string(kName), kDebugFile);
    return reader.Set("kernel.preempt_verified", "yes",
                      "read from the running kernel");
  }
  const bool dynamic = reader.Config("PREEMPT_DYNAMIC") == "y";
  const auto parameter = reader.BootParameter("preempt");
  if (dynamic && parameter) {
    return set(*parameter, "preempt= on /proc/cmdline", false);
  }
  if (const auto mode = ConfiguredPreempt(reader)) {
    return set(*mode, reader.config_source(), !dynamic);
  }
  reader.Unknown(std::string(kName),
                 fmt::format("{}: {}; no readable kernel configuration",
                             kDebugFile, "not readable"));
}

void ReadNames(EnvironmentReader& reader) {
  utsname names{};
  if (uname(&names) != 0) return;
  reader.Set("kernel.release", names.release, "uname");
  reader.Set("kernel.version", names.version, "uname");
  reader.Set("kernel.machine", names.machine, "uname");
}

void ReadMitigations(EnvironmentReader& reader) {
  constexpr std::string_view kFolder =
      "/sys/devices/system/cpu/vulnerabilities";
  const std::vector<std::string> names = reader.List(kFolder);
  if (names.empty()) {
    reader.Unknown("mitigations", fmt::format("{} is not there", kFolder));
  }
  for (const std::string& name : names) {
    reader.File("mitigations." + name, fmt::format("{}/{}", kFolder, name));
  }
}

}  // namespace

std::optional<int> HzFromCoarseClock() {
  timespec resolution{};
  if (clock_getres(CLOCK_MONOTONIC_COARSE, &resolution) != 0 ||
      resolution.tv_sec != 0 || resolution.tv_nsec <= 0) {
    return std::nullopt;
  }
  // 1/300 s is 3333333 ns: the whole number nearest.
  return static_cast<int>(
      std::lround(1e9 / static_cast<double>(resolution.tv_nsec)));
}

void ReadKernelFields(EnvironmentReader& reader) {
  ReadNames(reader);
  ReadHz(reader);
  ReadPreempt(reader);
  ReadMitigations(reader);
  reader.File("kernel.boot_id", "/proc/sys/kernel/random/boot_id");
  reader.File("kernel.cmdline", "/proc/cmdline");
  reader.File("kernel.tainted", "/proc/sys/kernel/tainted");
  reader.File("kernel.security_modules", "/sys/kernel/security/lsm");
  reader.File("kernel.clocksource",
              "/sys/devices/system/clocksource/clocksource0/"
              "current_clocksource");
  reader.File("kernel.clocksources",
              "/sys/devices/system/clocksource/clocksource0/"
              "available_clocksource");
  reader.File("kernel.nohz_full", "/sys/devices/system/cpu/nohz_full");
  reader.File("kernel.tracer", "/sys/kernel/tracing/current_tracer");
  reader.File("kernel.perf_event_paranoid",
              "/proc/sys/kernel/perf_event_paranoid");
  reader.File("kernel.kptr_restrict", "/proc/sys/kernel/kptr_restrict");
  if (reader.config_source().empty()) {
    reader.Unknown("kernel.config_key", "no readable kernel configuration");
  } else {
    reader.Set("kernel.config_key", ContentKey(reader.config_text()),
               reader.config_source());
  }
  for (const std::string_view option : {"NO_HZ_IDLE",
                                        "NO_HZ_FULL",
                                        "HIGH_RES_TIMERS",
                                        "PREEMPT_DYNAMIC",
                                        "SCHED_AUTOGROUP",
                                        "FAIR_GROUP_SCHED",
                                        "SCHED_CORE",
                                        "LOCKDEP",
                                        "PROVE_LOCKING",
                                        "KASAN",
                                        "KCSAN",
                                        "DEBUG_PREEMPT",
                                        "DEBUG_SPINLOCK",
                                        "QUEUED_SPINLOCKS",
                                        "PARAVIRT_SPINLOCKS",
                                        "AUDIT",
                                        "CC_OPTIMIZE_FOR_SIZE",
                                        "SLUB",
                                        "SLAB",
                                        "SLOB",
                                        "SLUB_TINY",
                                        "SLUB_CPU_PARTIAL",
                                        "SLUB_DEBUG",
                                        "SLUB_DEBUG_ON",
                                        "SLUB_STATS",
                                        "SLAB_FREELIST_RANDOM",
                                        "SLAB_FREELIST_HARDENED",
                                        "SLAB_MERGE_DEFAULT",
                                        "SLAB_BUCKETS",
                                        "RANDOM_KMALLOC_CACHES",
                                        "MEMCG"}) {
    reader.ConfigField(option);
  }
}

}  // namespace hackbench::results
