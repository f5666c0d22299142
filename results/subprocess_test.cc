// SPDX-License-Identifier: MIT
// That a launch leaves nothing behind, however it ends.
#include "results/subprocess.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <sstream>
#include <thread>

#include "results/test_directory.h"

namespace hackbench::results {
namespace {

using End = LaunchOutcome::End;
using namespace std::chrono_literals;  // NOLINT: literals only

LaunchOutcome RunScript(const std::string& script, int64_t timeout_ns = 0) {
  const auto outcome =
      RunProgram({.argv = {"/bin/sh", "-c", script}, .timeout_ns = timeout_ns});
  EXPECT_TRUE(outcome.ok()) << outcome.status();
  return *outcome;
}

bool IsGone(pid_t pid) {
  return pid > 0 && kill(pid, 0) != 0 && errno == ESRCH;
}

// Until the state holds; a hang fails the test, no time does.
template <typename State>
bool Await(State state) {
  const auto deadline = std::chrono::steady_clock::now() + 100s;
  while (!state()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

std::vector<pid_t> PidsIn(const TestDirectory& directory,
                          const std::string& name) {
  std::vector<pid_t> pids;
  std::istringstream text(directory.Read(name));
  for (pid_t pid = 0; text >> pid;) pids.push_back(pid);
  return pids;
}

TEST(SubprocessTest, SaysHowItEnded) {
  const LaunchOutcome good = RunScript("echo out; echo err >&2; exit 0");
  EXPECT_EQ(good.end, End::kExited);
  EXPECT_EQ(good.out, "out\n");
  EXPECT_EQ(good.err, "err\n");
  EXPECT_GT(good.elapsed_ns, 0);
  const LaunchOutcome bad = RunScript("exit 7");
  EXPECT_EQ(bad.end, End::kExited);
  EXPECT_EQ(bad.exit_code, 7);
  const LaunchOutcome killed = RunScript("kill -9 $$");
  EXPECT_EQ(killed.end, End::kSignalled);
  EXPECT_EQ(killed.signal, SIGKILL);
}

TEST(SubprocessTest, WhatCannotBeStartedIsSaid) {
  const auto outcome = RunProgram({.argv = {"/nonexistent/program"}});
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->end, End::kNotStarted);
  EXPECT_EQ(outcome->start_errno, ENOENT);
}

TEST(SubprocessTest, AProgramThatExits127WasStarted) {
  EXPECT_EQ(RunScript("exit 127").end, End::kExited);
}

TEST(SubprocessTest, TheEnvironmentIsOursAndMore) {
  setenv("RESULTS_TEST_OLD", "old", 1);
  const auto outcome = RunProgram(
      {.argv = {"/bin/sh", "-c", "echo $RESULTS_TEST_OLD $RESULTS_TEST_NEW"},
       .environment = {{"RESULTS_TEST_NEW", "new"}}});
  EXPECT_EQ(outcome->out, "old new\n");
}

TEST(SubprocessTest, MuchOutputIsCutNotWaitedFor) {
  const LaunchOutcome outcome =
      RunScript("dd if=/dev/zero bs=65536 count=200 2>/dev/null");
  EXPECT_EQ(outcome.end, End::kExited);
  EXPECT_GE(outcome.out.size(), size_t{4} << 20);
  EXPECT_LT(outcome.out.size(), size_t{5} << 20);
}

TEST(SubprocessTest, WhatAProgramLeavesBehindIsEnded) {
  const TestDirectory directory;
  const LaunchOutcome outcome = RunScript(
      "cd " + directory.path() +
      "; setsid sh -c 'echo $$ >pid; exec sleep 1000' & while [ ! -s pid ]; "
      "do sleep 0.01; done");
  EXPECT_EQ(outcome.end, End::kExited);
  EXPECT_GE(outcome.leftovers, 1);
  for (const pid_t pid : PidsIn(directory, "pid")) EXPECT_TRUE(IsGone(pid));
}

TEST(SubprocessTest, TheTimeOutEndsTheWholeTree) {
  const TestDirectory directory;
  const LaunchOutcome outcome = RunScript(
      "cd " + directory.path() +
          "; for i in 1 2 3; do setsid sh -c 'echo $$ >>pids; exec sleep "
          "1000' & done; trap '' TERM; while :; do sleep 1; done",
      300'000'000);
  EXPECT_EQ(outcome.end, End::kTimedOut);
  for (const pid_t pid : PidsIn(directory, "pids")) EXPECT_TRUE(IsGone(pid));
}

// A process of its own runs the program and is ended by `signal`.
void EndTheLauncher(int signal, int expected_code) {
  const TestDirectory directory;
  const std::string script =
      "cd " + directory.path() +
      "; echo $$ >>pids; setsid sh -c 'echo $$ >>pids; exec sleep 1000' & "
      "while :; do sleep 0.1; done";
  const pid_t launcher = fork();
  ASSERT_GE(launcher, 0);
  if (launcher == 0) {
    const auto outcome = RunProgram({.argv = {"/bin/sh", "-c", script}});
    _exit(outcome.ok() && outcome->end == End::kInterrupted ? outcome->signal
                                                            : 99);
  }
  std::vector<pid_t> pids;
  ASSERT_TRUE(
      Await([&] { return (pids = PidsIn(directory, "pids")).size() == 2; }));
  kill(launcher, signal);
  int status = 0;
  ASSERT_EQ(waitpid(launcher, &status, 0), launcher);
  if (expected_code >= 0) {
    EXPECT_EQ(WEXITSTATUS(status), expected_code);
    for (const pid_t pid : pids) EXPECT_TRUE(IsGone(pid));
  } else {
    EXPECT_TRUE(WIFSIGNALED(status));
    for (const pid_t pid : pids)
      EXPECT_TRUE(Await([&] { return IsGone(pid); }));
  }
}

TEST(SubprocessTest, OurInterruptEndsItFirst) {
  EndTheLauncher(SIGINT, SIGINT);
  EndTheLauncher(SIGTERM, SIGTERM);
}

TEST(SubprocessTest, NothingIsLeftWhenWeAreKilled) {
  EndTheLauncher(SIGKILL, -1);
}

}  // namespace
}  // namespace hackbench::results
