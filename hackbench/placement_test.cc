// SPDX-License-Identifier: MIT
#include "hackbench/placement.h"

#include <gtest/gtest.h>

#include <string>

namespace hackbench {
namespace {

// The lowest CPU that this process may use.
int AllowedCpu() {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof(allowed), &allowed);
  int cpu = 0;
  while (!CPU_ISSET(static_cast<size_t>(cpu), &allowed)) ++cpu;
  return cpu;
}

TEST(PlacementTest, ReadsOneCpuAndARange) {
  const std::string cpu = std::to_string(AllowedCpu());
  for (const std::string& list : {cpu, cpu + "-" + cpu, cpu + "," + cpu}) {
    const absl::StatusOr<cpu_set_t> cpus = ParseCpuList(list);
    ASSERT_TRUE(cpus.ok()) << list << ": " << cpus.status();
    EXPECT_EQ(CPU_COUNT(&*cpus), 1) << list;
  }
}

TEST(PlacementTest, RefusesWhatIsNoCpuList) {
  for (const char* list :
       {"", ",", "a", "1-", "-1", "3-1", "0,", "0 1", "1024", "0x1"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseCpuList(list).status())) << list;
  }
}

TEST(PlacementTest, RefusesCpusThatAreNotAllowed) {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof(allowed), &allowed);
  int cpu = CPU_SETSIZE - 1;
  while (CPU_ISSET(static_cast<size_t>(cpu), &allowed)) --cpu;
  const absl::StatusOr<cpu_set_t> cpus = ParseCpuList(std::to_string(cpu));
  EXPECT_TRUE(absl::IsFailedPrecondition(cpus.status())) << cpus.status();
}

}  // namespace
}  // namespace hackbench
