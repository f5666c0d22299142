// SPDX-License-Identifier: MIT
#include "hackbench/signals.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace hackbench {
namespace {

TEST(SignalGateTest, TakesRequestsToEndAsMessages) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    SignalGate gate;
    EXPECT_EQ(gate.end_signal(), 0);
    kill(getpid(), signal);
    EXPECT_EQ(gate.Wait(0), signal);
    EXPECT_EQ(gate.end_signal(), signal);
    EXPECT_TRUE(gate.IsEndSignal(signal));
  }
}

TEST(SignalGateTest, RemembersTheFirstRequest) {
  SignalGate gate;
  kill(getpid(), SIGTERM);
  EXPECT_EQ(gate.Wait(0), SIGTERM);
  kill(getpid(), SIGINT);
  EXPECT_EQ(gate.Wait(0), SIGINT);
  EXPECT_EQ(gate.end_signal(), SIGTERM);
}

TEST(SignalGateTest, LeavesIgnoredSignalsIgnored) {
  signal(SIGHUP, SIG_IGN);
  {
    SignalGate gate;
    kill(getpid(), SIGHUP);
    EXPECT_EQ(gate.Wait(0), 0);
    EXPECT_FALSE(gate.IsEndSignal(SIGHUP));
  }
  signal(SIGHUP, SIG_DFL);
}

TEST(SignalGateTest, GivesTheMaskBack) {
  sigset_t before;
  sigset_t after;
  sigprocmask(SIG_SETMASK, nullptr, &before);
  { SignalGate gate; }
  sigprocmask(SIG_SETMASK, nullptr, &after);
  for (int signal = 1; signal < NSIG; ++signal) {
    EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal));
  }
}

TEST(SignalGateTest, ChildrenAreNoRequestToEnd) {
  SignalGate gate;
  kill(getpid(), SIGCHLD);
  EXPECT_EQ(gate.Wait(0), SIGCHLD);
  EXPECT_EQ(gate.end_signal(), 0);
  EXPECT_FALSE(gate.IsEndSignal(SIGCHLD));
}

}  // namespace
}  // namespace hackbench
