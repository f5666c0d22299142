// SPDX-License-Identifier: MIT
// What makes the figures of a machine doubtful.
#include <fmt/format.h>

#include "results/environment.h"

namespace hackbench::results {
namespace {

class Checker {
 public:
  explicit Checker(const Environment& environment)
      : environment_(environment) {}

  std::vector<EnvironmentFinding> Findings() {
    CheckClock();
    CheckFrequency();
    CheckKernel();
    CheckCpus();
    return std::move(findings_);
  }

 private:
  void Add(Severity severity, std::string text, std::string fix) {
    findings_.push_back({severity, std::move(text), std::move(fix)});
  }
  void Warn(std::string text, std::string fix) {
    Add(Severity::kWarning, std::move(text), std::move(fix));
  }
  bool Is(std::string_view name, std::string_view value) const {
    return environment_.Get(name) == value;
  }

  void CheckClock() {
    const auto clock = environment_.Get("kernel.clocksource");
    if (clock == "hpet" || clock == "acpi_pm" || clock == "jiffies") {
      Add(Severity::kError,
          fmt::format("the clock source is {}: each look at the clock is slow "
                      "and may be coarse",
                      *clock),
          "look for 'clocksource' in dmesg; boot with tsc=reliable only if "
          "the TSC is sound");
    }
    if (!environment_.Get("kernel.hz")) {
      Add(Severity::kError, "HZ could not be found", "");
    }
    if (!Is("kernel.preempt_verified", "yes")) {
      Warn("the preemption mode is not verified",
           "as root: mount -t debugfs none /sys/kernel/debug");
    }
  }

  void CheckFrequency() {
    for (const EnvironmentField& field : environment_.fields()) {
      if (!field.name.ends_with(".scaling_governor") || !field.value ||
          *field.value == "performance") {
        continue;
      }
      Warn(fmt::format("{} is {}: the frequency follows the load", field.name,
                       *field.value),
           "cpupower frequency-set -g performance");
      break;
    }
    if (Is("cpu.boost", "on")) {
      Warn("boost is on: the frequency follows temperature and neighbours",
           "echo 1 >/sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 "
           ">/sys/devices/system/cpu/cpufreq/boost");
    }
  }

  void CheckKernel() {
    for (const std::string_view option :
         {"LOCKDEP", "PROVE_LOCKING", "KASAN", "KCSAN", "SLUB_DEBUG_ON",
          "DEBUG_SPINLOCK"}) {
      if (!Is(fmt::format("config.{}", option), "y")) continue;
      Add(Severity::kError,
          fmt::format("CONFIG_{} is on: this is a debug kernel", option),
          "measure on a kernel without it");
    }
    const auto tracer = environment_.Get("kernel.tracer");
    if (tracer && *tracer != "nop") {
      Warn(fmt::format("the tracer '{}' is active", *tracer),
           "echo nop >/sys/kernel/tracing/current_tracer");
    }
  }

  void CheckCpus() {
    if (Is("cpu.hypervisor_bit", "yes")) {
      Warn(
          "this is a virtual machine: neighbours steal time, look at the "
          "steal of each launch",
          "");
    }
    const auto quota = environment_.Get("cgroup.cpu.max");
    if (quota && !quota->starts_with("max")) {
      Warn(fmt::format("the cgroup's cpu.max is '{}': launches are throttled",
                       *quota),
           "echo max >cpu.max in the cgroup");
    }
    if (Is("process.cpus", "1")) {
      Warn("this process may use one CPU only", "taskset, or a larger cpuset");
    }
  }

  const Environment& environment_;
  std::vector<EnvironmentFinding> findings_;
};

}  // namespace

std::vector<EnvironmentFinding> Check(const Environment& environment) {
  return Checker(environment).Findings();
}

}  // namespace hackbench::results
