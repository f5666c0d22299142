// SPDX-License-Identifier: MIT
#include "results/environment.h"

#include <gtest/gtest.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "results/run_delta.h"
#include "results/test_directory.h"

namespace hackbench::results {
namespace {

bool Finds(const std::vector<EnvironmentFinding>& findings,
           const std::string& text) {
  return std::any_of(findings.begin(), findings.end(),
                     [&](const EnvironmentFinding& f) {
                       return f.text.find(text) != std::string::npos;
                     });
}

// A container without debugfs, DMI, cpufreq, kernel configuration, anything.
TEST(EnvironmentTest, OnAMachineThatTellsNothingEveryFieldHasAReason) {
  const TestDirectory empty;
  const Environment environment = Environment::Read(empty.path());
  size_t unknown = 0;
  for (const EnvironmentField& field : environment.fields()) {
    if (field.value) continue;
    ++unknown;
    EXPECT_FALSE(field.source.empty()) << field.name;
  }
  EXPECT_GT(unknown, 50u);
  // Still known, from the running kernel itself.
  ASSERT_TRUE(environment.Get("kernel.hz").has_value());
  EXPECT_EQ(environment.Find("kernel.hz")->source,
            "resolution of CLOCK_MONOTONIC_COARSE");
  EXPECT_TRUE(environment.Get("kernel.release").has_value());
  EXPECT_FALSE(environment.Get("kernel.preempt").has_value());
}

TEST(EnvironmentTest, HzIsTheCoarseClocksAndNotUserHz) {
  const std::optional<int> hz = HzFromCoarseClock();
  ASSERT_TRUE(hz.has_value());
  timespec resolution{};
  ASSERT_EQ(clock_getres(CLOCK_MONOTONIC_COARSE, &resolution), 0);
  EXPECT_NEAR(1e9 / *hz, static_cast<double>(resolution.tv_nsec), 1e5);
}

TEST(EnvironmentTest, ReadsWhatIsThere) {
  const TestDirectory root;
  root.Write("proc/cmdline", "root=/dev/vda preempt=none mitigations=off");
  root.Write("proc/cpuinfo",
             "processor\t: 0\nmodel name\t: Some CPU\nmodel\t\t: 7\n"
             "flags\t\t: fpu hypervisor sse\n");
  root.Write("sys/devices/system/cpu/cpufreq/policy0/scaling_governor",
             "powersave\n");
  root.Write("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
  root.Write("sys/kernel/mm/transparent_hugepage/enabled",
             "always [madvise] never\n");
  root.Write("sys/kernel/debug/sched/preempt", "none (voluntary) full\n");
  root.Write("proc/self/cgroup", "0::/app\n");
  root.Write("sys/fs/cgroup/app/cpu.max", "50000 100000\n");
  const Environment environment = Environment::Read(root.path());
  EXPECT_EQ(environment.Get("cpu.model"), "Some CPU");
  EXPECT_EQ(environment.Get("cpu.part"), "7");
  EXPECT_EQ(environment.Get("cpu.hypervisor_bit"), "yes");
  EXPECT_EQ(environment.Get("cpufreq.policy0.scaling_governor"), "powersave");
  EXPECT_EQ(environment.Get("cpu.boost"), "off");
  EXPECT_EQ(environment.Get("memory.thp"), "madvise");
  EXPECT_EQ(environment.Get("cgroup.cpu.max"), "50000 100000");
  // The running mode, not the one asked for at boot.
  EXPECT_EQ(environment.Get("kernel.preempt"), "voluntary");
  EXPECT_EQ(environment.Get("kernel.preempt_verified"), "yes");
  const auto findings = Check(environment);
  EXPECT_TRUE(Finds(findings, "scaling_governor is powersave"));
  EXPECT_TRUE(Finds(findings, "throttled"));
  EXPECT_TRUE(Finds(findings, "virtual machine"));
}

TEST(EnvironmentTest, WithoutDebugfsTheModeIsNotVerified) {
  const TestDirectory root;
  root.Write("proc/config.gz",
             "CONFIG_PREEMPT_DYNAMIC=y\nCONFIG_PREEMPT=y\nCONFIG_KASAN=y\n");
  root.Write("proc/cmdline", "preempt=voluntary");
  const Environment environment = Environment::Read(root.path());
  EXPECT_EQ(environment.Get("kernel.preempt"), "voluntary");
  EXPECT_EQ(environment.Get("kernel.preempt_verified"), "no");
  EXPECT_EQ(environment.Get("config.KASAN"), "y");
  EXPECT_EQ(environment.Get("config.SLUB"), "n");
  EXPECT_TRUE(Finds(Check(environment), "debug kernel"));
}

TEST(EnvironmentTest, AConfigurationOfAnotherKernelDoesNotDecideHz) {
  const TestDirectory root;
  const int hz = HzFromCoarseClock().value_or(0);
  root.Write("proc/config.gz", "CONFIG_HZ=" + std::to_string(hz + 50) + "\n");
  const Environment environment = Environment::Read(root.path());
  EXPECT_EQ(environment.Get("kernel.hz"), std::to_string(hz));
}

TEST(EnvironmentTest, JsonRoundTripAndKey) {
  const Environment environment = Environment::Read();
  const auto back = Environment::FromJson(environment.ToJson());
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->fields(), environment.fields());
  EXPECT_EQ(back->Id(), environment.Id());
  // Nothing that moves from one look to the next is part of it.
  EXPECT_EQ(Environment::Read().Id(), environment.Id());
  for (const char* const bad : {"", "[]", "{\"a\":1}", "{\"a\":{}}",
                                "{\"a\":{\"value\":1,\"source\":\"x\"}}"}) {
    EXPECT_FALSE(Environment::FromJson(bad).ok()) << bad;
  }
}

TEST(EnvironmentTest, DifferencesAndRedaction) {
  Environment a;
  a.Add({"x", "1", "s"});
  a.Add({"y", std::nullopt, "no file"});
  a.Add({"kernel.cmdline", "secret=1", "/proc/cmdline"});
  Environment b = a;
  EXPECT_TRUE(Diff(a, b).empty());
  b.Add({"x", "2", "s"});
  b.Add({"y", std::nullopt, "another reason"});
  b.Add({"z", "3", "s"});
  const auto differences = Diff(a, b);
  ASSERT_EQ(differences.size(), 2u);
  EXPECT_EQ(differences[0].name, "x");
  EXPECT_EQ(differences[1].a, "not recorded");
  EXPECT_EQ(a.Redacted().ToJson().find("secret"), std::string::npos);
}

TEST(RunDeltaTest, FlagsStealThrottlingAndSwap) {
  const TestDirectory root;
  root.Write("proc/stat", "cpu  100 0 100 1000 0 0 0 5 0 0\nctxt 50\n");
  root.Write("proc/vmstat", "pswpin 1\npswpout 1\n");
  root.Write("proc/self/cgroup", "0::/\n");
  root.Write("sys/fs/cgroup/cpu.stat", "nr_throttled 3\nthrottled_usec 9\n");
  const Counters before = ReadCounters(root.path());
  root.Write("proc/stat", "cpu  200 0 200 1700 0 0 0 105 0 0\nctxt 90\n");
  root.Write("proc/vmstat", "pswpin 2\npswpout 1\n");
  root.Write("sys/fs/cgroup/cpu.stat", "nr_throttled 4\nthrottled_usec 19\n");
  const RunDelta delta{.counters = Subtract(ReadCounters(root.path()), before)};
  EXPECT_EQ(delta.counters.at("ctxt"), 40);
  EXPECT_EQ(delta.counters.at("throttled_us"), 10);
  EXPECT_EQ(Flags(delta),
            (std::vector<std::string>{"steal 10.0 %", "throttled", "swapped"}));
  EXPECT_TRUE(Flags({}).empty());
}

TEST(RunDeltaTest, WithoutFilesThereIsNothing) {
  const TestDirectory empty;
  EXPECT_TRUE(ReadCounters(empty.path()).empty());
  RunDelta delta;
  ReadLoad(delta, empty.path());
  EXPECT_EQ(delta.load, -1);
  EXPECT_NE(ToJson(delta).find("\"load_before\":null"), std::string::npos);
}

}  // namespace
}  // namespace hackbench::results
