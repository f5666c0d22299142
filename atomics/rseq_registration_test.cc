// SPDX-License-Identifier: MIT
// Registration is used where the C library did it, done where it did not, and
// given up with a reason where the kernel refuses.
#include "atomics/rseq_registration.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>

#include <string_view>
#include <thread>

#include "atomics/test_workers.h"
#include "atomics/this_cpu.h"

namespace hackbench::atomics {
namespace {

bool EnvironmentHas(const char* name, std::string_view part) {
  const char* value = getenv(name);
  return value != nullptr &&
         std::string_view(value).find(part) != std::string_view::npos;
}

TEST(RseqRegistrationTest, TakesTheLibrarysAndOtherwiseItsOwn) {
  if (kRseqRegistration.path == RseqPath::kNone) {
    GTEST_SKIP() << kRseqRegistration.reason;
  }
  // ctest runs this file a second time with this tunable.
  if (EnvironmentHas("GLIBC_TUNABLES", "glibc.pthread.rseq=0")) {
    EXPECT_EQ(kRseqRegistration.path, RseqPath::kOwn);
  }
  if (LibraryRegistersRseq()) {
    EXPECT_EQ(kRseqRegistration.path, RseqPath::kLibrary);
    EXPECT_NE(RegisterRseq(&own_rseq_area), 0) << "a second registration";
  }
  EXPECT_GE(static_cast<int32_t>(ThreadRseqArea()->cpu_id), 0);
}

TEST(RseqRegistrationTest, EveryThreadAndChildGetsItsOwnArea) {
  if (kRseqRegistration.path == RseqPath::kNone) {
    GTEST_SKIP() << kRseqRegistration.reason;
  }
  RseqArea* mine = ThreadRseqArea();
  RseqArea* other = nullptr;
  std::thread([&] {
    other = ThreadRseqArea();
    EnsureRseqRegistered(other);
    EXPECT_GE(static_cast<int32_t>(other->cpu_id), 0);
  }).join();
  EXPECT_NE(mine, other);
  EXPECT_TRUE(RunInProcesses(1, [&](int) {
    if (static_cast<int32_t>(ThreadRseqArea()->cpu_id) < 0) _exit(1);
  }));
}

// An area with a stale descriptor in it kills the thread at its next
// preemption, unless registration clears it first.
TEST(RseqRegistrationTest, SurvivesDirtyMemoryAndASecondRegistration) {
  if (kRseqRegistration.path == RseqPath::kNone) {
    GTEST_SKIP() << kRseqRegistration.reason;
  }
  EXPECT_TRUE(RunInProcesses(1, [&](int) {
    if (UnregisterRseq(ThreadRseqArea()) != 0) _exit(1);
    RseqArea dirty;
    memset(&dirty, 0xa5, sizeof(dirty));
    if (RegisterRseq(&dirty) != 0) _exit(2);
    for (int i = 0; i < 100; ++i) sched_yield();
    if (static_cast<int32_t>(dirty.cpu_id) < 0) _exit(3);
    if (UnregisterRseq(&dirty) != 0) _exit(4);
    if (RegisterRseq(ThreadRseqArea()) != 0) _exit(5);
    for (int i = 0; i < 100; ++i) sched_yield();
  }));
}

// As a container's filter, or a kernel without the call, would have it.
bool RefuseRseqWith(int error) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rseq, 0, 1),
      BPF_STMT(BPF_RET | BPF_K,
               SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter = {std::size(program), program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// What a program started under such a filter finds.
TEST(RseqRegistrationTest, DISABLED_FallsBackAndSaysWhy) {
  EXPECT_EQ(kRseqRegistration.path, RseqPath::kNone);
  EXPECT_NE(kRseqRegistration.reason.find("refuses"), std::string::npos);
  EXPECT_FALSE(ThisCpuRseq::WhyNot().empty());
  EXPECT_EQ(WithThisCpu([](auto ops) { return ops.kName; }), "locked");
  EXPECT_EQ(DescribeThisCpu().substr(0, 6), "locked");
}

TEST(RseqRegistrationTest, ARefusalLeavesTheLockedForm) {
  if (kRseqRegistration.path == RseqPath::kNone) {
    GTEST_SKIP() << kRseqRegistration.reason;
  }
  for (const int error : {ENOSYS, EPERM}) {
    EXPECT_TRUE(RunInProcesses(1, [&](int) {
      if (!RefuseRseqWith(error)) _exit(1);
      execl("/proc/self/exe", "rseq_registration_test",
            "--gtest_also_run_disabled_tests",
            "--gtest_filter=*DISABLED_FallsBackAndSaysWhy", "--gtest_brief=1",
            nullptr);
      _exit(2);
    })) << strerror(error);
  }
}

}  // namespace
}  // namespace hackbench::atomics
