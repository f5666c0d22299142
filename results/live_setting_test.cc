// SPDX-License-Identifier: MIT
// That a setting of the kernel comes back however we end; files stand in for
// the kernel's.
#include "results/live_setting.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "results/status_text.h"
#include "results/test_directory.h"

namespace hackbench::results {
namespace {

class LiveSettingTest : public testing::Test {
 protected:
  LiveSettingTest() {
    directory_.Write("slice", "3000000\n");
    path_ = directory_.File("slice");
  }
  TestDirectory directory_;
  std::string path_;
};

TEST_F(LiveSettingTest, IsReadBackAndPutBack) {
  {
    LiveSettings live;
    ASSERT_TRUE(live.Begin({path_}).ok());
    ASSERT_TRUE(live.Apply({path_, "500000"}).ok());
    EXPECT_EQ(*ReadLive(path_), "500000");
    ASSERT_TRUE(live.Apply({path_, "700000"}).ok());
  }
  EXPECT_EQ(*ReadLive(path_), "3000000");
}

TEST_F(LiveSettingTest, TheChoiceInBracketsIsTheValue) {
  directory_.Write("preempt", "none voluntary (full) lazy\n");
  directory_.Write("thp", "always [madvise] never\n");
  EXPECT_EQ(*ReadLive(directory_.File("preempt")), "full");
  EXPECT_EQ(*ReadLive(directory_.File("thp")), "madvise");
}

// A file that takes what it is given and says something else, as the kernel
// does when it rounds or ignores.
TEST_F(LiveSettingTest, AValueThatDoesNotReadBackIsAnError) {
  LiveSettings live;
  ASSERT_TRUE(live.Begin({path_}).ok());
  const absl::Status status = live.Apply({path_, "[choice] other"});
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(Message(status).find("reads back as 'choice'"), std::string::npos);
}

TEST_F(LiveSettingTest, WhatCannotBeWrittenIsRefusedBeforehand) {
  for (const std::string& path :
       {directory_.File("none"), std::string("/proc/version")}) {
    LiveSettings live;
    const absl::Status status = live.Begin({path});
    EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << status;
    EXPECT_NE(Message(status).find(path), std::string::npos);
  }
  LiveSettings live;
  EXPECT_NE(
      Message(live.Begin({"/sys/kernel/debug/sched/none"})).find("debugfs"),
      std::string::npos);
}

TEST_F(LiveSettingTest, ComesBackWhenWeAreKilled) {
  for (const int signal : {SIGKILL, SIGSEGV}) {
    int ready[2];
    ASSERT_EQ(pipe2(ready, O_CLOEXEC), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      LiveSettings live;
      const bool ok =
          live.Begin({path_}).ok() && live.Apply({path_, "500000"}).ok();
      if (write(ready[1], ok ? "y" : "n", 1) != 1) _exit(1);
      for (;;) pause();
    }
    char said = 0;
    ASSERT_EQ(read(ready[0], &said, 1), 1);
    ASSERT_EQ(said, 'y');
    EXPECT_EQ(*ReadLive(path_), "500000");
    kill(child, signal);
    waitpid(child, nullptr, 0);
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::seconds(100);
    while (*ReadLive(path_) != "3000000" &&
           std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    EXPECT_EQ(*ReadLive(path_), "3000000");
    close(ready[0]);
    close(ready[1]);
  }
}

TEST(LivePathTest, KnowsShortNames) {
  EXPECT_EQ(*LivePath("preempt"), "/sys/kernel/debug/sched/preempt");
  EXPECT_EQ(*LivePath("/proc/sys/x"), "/proc/sys/x");
  EXPECT_FALSE(LivePath("preemt").ok());
}

}  // namespace
}  // namespace hackbench::results
