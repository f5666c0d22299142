// SPDX-License-Identifier: MIT
// The runner itself: what it reports, and that it sees what a run leaves.
#include "hackbench/cli_runner.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <signal.h>

namespace hackbench::cli {
namespace {

Result Shell(const std::string& script, RunSetup setup = {}) {
  setup.program = "/bin/sh";
  return RunToEnd({"-c", script}, setup);
}

TEST(CliRunnerTest, KeepsStreamsAndExitCodeApart) {
  const Result result = Shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.signal, 0);
}

TEST(CliRunnerTest, TellsASignalFromAnExit) {
  const Result result = Shell("kill -TERM $$");
  EXPECT_EQ(result.exit_code, -1);
  EXPECT_EQ(result.signal, SIGTERM);
}

TEST(CliRunnerTest, SeesProcessesThatAreLeft) {
  EXPECT_NONFATAL_FAILURE(Shell("sleep 1000 & exit 0"), "processes are left");
  // Adopted by init, in a session of its own.
  EXPECT_NONFATAL_FAILURE(Shell("setsid sh -c 'sleep 1000 &' & wait"),
                          "processes are left");
}

TEST(CliRunnerTest, ClosesIgnoresAndPassesOnAsAsked) {
  EXPECT_EQ(
      Shell("test -e /proc/self/fd/0 || echo closed", {.closed = {0}}).out,
      "closed\n");
  EXPECT_EQ(
      Shell("kill -HUP $$; echo alive", {.ignored_signals = {SIGHUP}}).out,
      "alive\n");
  EXPECT_EQ(Shell("echo $NAME", {.environment = {{"NAME", "value"}}}).out,
            "value\n");
}

TEST(CliRunnerTest, MasksWhatDiffersFromRunToRun) {
  EXPECT_EQ(Mask("a\nTime: 0.123\nTime: 12.000\n"), "a\nTime: T\nTime: T\n");
  EXPECT_EQ(Mask("\n     Total time: 1.500 [sec]\n"),
            "\n     Total time: T [sec]\n");
  EXPECT_EQ(Mask("0.123\n4.567\n"), "T\nT\n");
  EXPECT_EQ(Mask("task (pid 12) x"), "task (pid N) x");
  // Not the format that is promised, so left alone.
  EXPECT_EQ(Mask("Time: 0.12\nTime:  0.123\n time: 0.123\n"),
            "Time: 0.12\nTime:  0.123\n time: 0.123\n");
}

}  // namespace
}  // namespace hackbench::cli
