// SPDX-License-Identifier: MIT
// Limits of the process: a run that needs more is refused before its first
// task, or ends cleanly where only the kernel could tell. The peers leave up to
// 40 tasks behind, or wait for ever.
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "hackbench/cli_runner.h"

namespace hackbench::cli {
namespace {

constexpr int kNofile = static_cast<int>(RLIMIT_NOFILE);
constexpr int kNproc = static_cast<int>(RLIMIT_NPROC);
constexpr int kAs = static_cast<int>(RLIMIT_AS);

std::string TooManyFiles(const std::string& run, int need, int limit) {
  return "hackbench: --groups " + run + " needs " + std::to_string(need) +
         " open files, the hard limit is " + std::to_string(limit) +
         "; raise it with 'ulimit -Hn " + std::to_string(need) +
         "' as root or use fewer --groups\n";
}

struct Descriptors {
  std::string words;
  std::string run;  // As the message describes it.
  int need;         // With stdin, stdout and stderr.
};

TEST(CliLimitTest, DescriptorsAreCountedToTheLastOne) {
  // An emulator and a sanitizer have descriptors of their own.
  if (IsEmulated()) return;
  for (const Descriptors& test : std::vector<Descriptors>{
           {"-g 1 -l 1", "1 --fds 20 as processes", 28},
           {"-p -g 2 -l 1", "2 --fds 20 as processes", 28},
           {"-i -g 1 -l 1", "1 --fds 20 as processes", 29},
           {"-g 1 -f 2 -l 1 --transport fifo", "1 --fds 2 as processes", 10},
           {"-T -g 1 -l 1", "1 --fds 20 as threads", 47},
           {"-T -i -g 2 -f 3 -l 1", "2 --fds 3 as threads", 20},
           {"1 process 1", "1 --fds 20 as processes", 28},
           {"--format=simple sched messaging -t -g 1 -l 1",
            "1 --fds 20 as threads", 47},
       }) {
    SCOPED_TRACE(test.words);
    const auto need = static_cast<rlim_t>(test.need);
    const Result enough =
        RunToEnd(Split(test.words), {.limits = {{kNofile, need}}});
    EXPECT_EQ(enough.err, "");
    EXPECT_EQ(enough.exit_code, 0);
    const Result few =
        RunToEnd(Split(test.words), {.limits = {{kNofile, need - 1}}});
    EXPECT_EQ(few.out, "");
    EXPECT_EQ(few.err, TooManyFiles(test.run, test.need, test.need - 1));
    EXPECT_EQ(few.exit_code, 1);
  }
}

TEST(CliLimitTest, PerfFormOfThreadsNamesTheLimitToo) {
  const Result result = RunToEnd(Split("sched messaging -t -g 10 -l 1"),
                                 {.limits = {{kNofile, 100}}});
  EXPECT_EQ(result.out, "# Running 'sched/messaging' benchmark:\n");
  EXPECT_TRUE(Matches(result.err,
                      R"(hackbench: --groups 10 --fds 20 as threads needs \d+ )"
                      R"(open files, the hard limit is 100; [^\n]+\n)"))
      << result.err;
  EXPECT_EQ(result.exit_code, 1);
}

TEST(CliLimitTest, PerfFormOfProcessesNamesTheLimitToo) {
  const Result result =
      RunToEnd(Split("sched messaging -g 1 -l 1"), {.limits = {{kNofile, 12}}});
  EXPECT_EQ(result.out, "# Running 'sched/messaging' benchmark:\n");
  EXPECT_NE(result.err.find(" open files, the hard limit is 12; "),
            std::string::npos)
      << result.err;
  EXPECT_EQ(result.exit_code, 1);
}

TEST(CliLimitTest, HardLimitsAreFarBelowAThousandGroupsOfThreads) {
  const Result result =
      RunToEnd(Split("-g 1000 -T -l 1"), {.limits = {{kNofile, 20000}}});
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(Matches(
      result.err, R"(hackbench: --groups 1000 --fds 20 as threads needs \d+ )"
                  R"([^\n]+ is \d+; raise [^\n]+ or use fewer --groups\n)"))
      << result.err;
  EXPECT_EQ(result.exit_code, 1);
}

// As an ordinary user this is the caller's own count, so no limit but 1 is sure
// to be too low; as root a user of whom there is no other process.
RunSetup UserLimit(rlim_t tasks) {
  const uid_t uid = FreshUid();
  return {.limits = {{kNproc, uid == 0 ? 1 : tasks}},
          .real_uid = uid,
          .effective_uid = uid};
}

bool CanLimitTasks() { return geteuid() != 0 || FreshUid() != 0; }

TEST(CliLimitTest, TasksOfTheUserAreCounted) {
  if (IsEmulated() || !CanLimitTasks()) return;
  for (const std::string words :
       {"-g 1", "-T -g 1", "1 process 1",
        "--format=simple sched messaging -g 1", "1 thread 1",
        "--format=simple sched messaging -t -g 1"}) {
    SCOPED_TRACE(words);
    const Result result = RunToEnd(Split(words), UserLimit(25));
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(Matches(
        result.err,
        R"(hackbench: --groups 1 --fds 20 as (processes|threads) needs \d+ )"
        R"(tasks of this user, the limit of user processes \(ulimit -u\) is )"
        R"(\d+; raise it with 'ulimit -Hu \d+' as root or use fewer )"
        R"(--groups\n)"))
        << result.err;
    EXPECT_EQ(result.exit_code, 1);
  }
}

TEST(CliLimitTest, SecondGroupBeyondTheUsersTasksIsRefused) {
  // The thread sanitizer gives each process a second task.
  if (IsEmulated() || IsSanitized() || FreshUid() == 0) return;
  const Result one = RunToEnd(Split("-g 1 -l 1"), UserLimit(60));
  EXPECT_EQ(one.exit_code, 0) << one.err;
  const Result two = RunToEnd(Split("-g 2 -l 1"), UserLimit(60));
  EXPECT_EQ(two.exit_code, 1);
  EXPECT_NE(two.err.find(" tasks of this user, "), std::string::npos)
      << two.err;
}

// Limits that the program cannot see: a user id that is not its effective one,
// with the rights that lift them taken away.
RunSetup UnseenLimit(rlim_t tasks) {
  return {.limits = {{kNproc, tasks}},
          .dropped_capabilities = {CAP_SYS_ADMIN, CAP_SYS_RESOURCE},
          .real_uid = FreshUid(),
          .effective_uid = 0};
}

TEST(CliLimitTest, ForkThatFailsHalfWayEndsTheRun) {
  if (IsEmulated() || FreshUid() == 0) return;
  for (const std::string words : {"-g 1", "-p -g 1", "-g 2"}) {
    SCOPED_TRACE(words);
    const Result result = RunToEnd(Split(words), UnseenLimit(25));
    EXPECT_TRUE(Matches(
        result.err,
        R"(hackbench: fork of task \d+ of (40|80): )"
        R"(Resource temporarily unavailable; a limit of [^\n]*--groups\n)"))
        << result.err;
    EXPECT_EQ(result.out.find("Time:"), std::string::npos);
    EXPECT_EQ(result.exit_code, 1);
  }
}

TEST(CliLimitTest, ThreadThatFailsHalfWayEndsTheRun) {
  if (IsEmulated() || FreshUid() == 0) return;
  const Result result = RunToEnd(Split("-T -g 1"), UnseenLimit(25));
  EXPECT_TRUE(Matches(
      result.err,
      R"(hackbench: pthread_create of task \d+ of 40: )"
      R"(Resource temporarily unavailable; a limit of [^\n]*--groups\n)"))
      << result.err;
  EXPECT_EQ(result.out.find("Time:"), std::string::npos);
  EXPECT_EQ(result.exit_code, 1);
}

TEST(CliLimitTest, LittleAddressSpaceEndsTheRunCleanly) {
  // Shadow memory, and an emulator's guest, need terabytes of it.
  if (IsEmulated() || IsSanitized()) return;
  // Below its own size the kernel cannot start the program at all.
  const rlim_t image =
      std::filesystem::file_size(getenv("HACKBENCH_BINARY")) >> 20;
  for (const rlim_t mib : {image + 1, image + 3, image + 12}) {
    for (const std::string words :
         {"-g 1 -l 1", "-T -g 10 -l 1", "-g 1 -f 2 -l 1 -s 8388608",
          "-T -g 1 -f 2 -l 1 -s 8388608", "-g 1 -f 2 -l 1 --latency",
          "-g 50 -f 1 -l 1 --verify"}) {
      SCOPED_TRACE(words + " in " + std::to_string(mib) + " MiB");
      const Result result =
          RunToEnd(Split(words), {.limits = {{kAs, mib << 20}}});
      EXPECT_EQ(result.signal, 0);
      if (result.exit_code == 0) {
        EXPECT_EQ(result.err.find("error"), std::string::npos);
        continue;
      }
      EXPECT_EQ(result.exit_code, 1);
      EXPECT_TRUE(Matches(result.err,
                          R"(hackbench: [^\n]*(Cannot allocate memory|)"
                          R"(Resource temporarily unavailable)[^\n]*\n)"))
          << result.err;
      EXPECT_EQ(result.out.find("Time:"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace hackbench::cli
