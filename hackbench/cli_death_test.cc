// SPDX-License-Identifier: MIT
// A task that dies, or stops, is named and ends the run; a main that dies takes
// its tasks along.
#include <gtest/gtest.h>
#include <signal.h>

#include "hackbench/cli_runner.h"

namespace hackbench::cli {
namespace {

// So long that no run ends by itself.
const std::string kForever = " -l 10000000";

constexpr size_t kTasks = 40;  // Of one group of 20 receivers and 20 senders.

struct Victim {
  size_t task;
  std::string name;
};

const std::vector<Victim>& Victims() {
  static const std::vector<Victim> victims = {{0, "receiver 0 of group 0"},
                                              {19, "receiver 19 of group 0"},
                                              {20, "sender 0 of group 0"},
                                              {39, "sender 19 of group 0"}};
  return victims;
}

void ExpectNoTime(const Result& result) {
  EXPECT_EQ(result.out.find("ime:"), std::string::npos) << result.out;
}

void ExpectEndsWithName(const std::string& words, const Victim& victim) {
  SCOPED_TRACE(words + ", " + victim.name);
  ProgramRun run(Split(words));
  const pid_t pid = run.AwaitWork(kTasks)[victim.task];
  kill(pid, SIGKILL);
  const Result result = run.Finish();
  EXPECT_EQ(result.err, "hackbench: " + victim.name + " (pid " +
                            std::to_string(pid) +
                            ") was killed by signal 9 (Killed)\n");
  EXPECT_EQ(result.exit_code, 1);
  ExpectNoTime(result);
}

// rt-tests hangs, with one task spinning; perf and the classic program leave
// the other 39.
TEST(CliDeathTest, KilledTaskEndsTheRunWithItsName) {
  for (const Victim& victim : Victims()) {
    ExpectEndsWithName("-g 1" + kForever, victim);
    ExpectEndsWithName("-g 1 -p" + kForever, victim);
  }
}

TEST(CliDeathTest, KilledTaskEndsRunsOverTcpAndFifo) {
  for (const size_t i : {0u, 2u}) {
    ExpectEndsWithName("-g 1 -i" + kForever, Victims()[i]);
    ExpectEndsWithName("-g 1 --transport fifo" + kForever, Victims()[i]);
  }
}

TEST(CliDeathTest, KilledTaskEndsClassicAndPerfRuns) {
  ExpectEndsWithName("1 process 10000000", Victims()[0]);
  ExpectEndsWithName("1 process 10000000", Victims()[2]);
  ExpectEndsWithName("sched messaging -g 1 -l 10000000", Victims()[0]);
  ExpectEndsWithName("sched messaging -g 1 -l 10000000", Victims()[2]);
}

// SIGPIPE ignored by the caller makes senders of other programs report each
// broken pipe.
TEST(CliDeathTest, KilledReceiverIsTheOnlyOneNamedWhenSigpipeIsIgnored) {
  ProgramRun run(Split("-g 1 -p" + kForever), {.ignored_signals = {SIGPIPE}});
  const pid_t pid = run.AwaitWork(kTasks)[19];
  kill(pid, SIGKILL);
  const Result result = run.Finish();
  EXPECT_EQ(Mask(result.err),
            "hackbench: receiver 19 of group 0 (pid N) was killed by signal 9 "
            "(Killed)\n");
  EXPECT_EQ(result.exit_code, 1);
}

TEST(CliDeathTest, TaskKilledInALaterGroupIsNamedByItsGroup) {
  ProgramRun run(Split("-g 3 -f 2" + kForever));
  const std::vector<pid_t> tasks = run.AwaitWork(12);
  kill(tasks[11], SIGKILL);
  const Result result = run.Finish();
  EXPECT_EQ(Mask(result.err),
            "hackbench: sender 1 of group 2 (pid N) was killed by signal 9 "
            "(Killed)\n");
  EXPECT_EQ(result.exit_code, 1);
}

TEST(CliDeathTest, TaskKilledInSetupEndsTheRun) {
  ProgramRun run(Split("-g 100 -l 10000000"));
  kill(run.AwaitTasks(1)[0], SIGKILL);
  const Result result = run.Finish();
  EXPECT_EQ(Mask(result.err),
            "hackbench: receiver 0 of group 0 (pid N) was killed by signal 9 "
            "(Killed)\n");
  EXPECT_EQ(result.exit_code, 1);
  ExpectNoTime(result);
}

// A task that takes a signal main would end by, alone, is a dead task.
TEST(CliDeathTest, TaskTerminatedAloneIsNotAnInterruptedRun) {
  ProgramRun run(Split("-g 1" + kForever));
  kill(run.AwaitWork(kTasks)[20], SIGTERM);
  const Result result = run.Finish();
  EXPECT_EQ(Mask(result.err),
            "hackbench: sender 0 of group 0 (pid N) was killed by signal 15 "
            "(Terminated)\n");
  EXPECT_EQ(result.exit_code, 1);
}

// Finish() fails when a task outlives main.
TEST(CliDeathTest, KilledMainTakesWorkingTasksAlong) {
  for (const std::string words : {"-g 2", "-g 2 -p", "-g 2 -i", "-g 2 -T"}) {
    SCOPED_TRACE(words);
    ProgramRun run(Split(words + kForever));
    if (words.ends_with("-T")) {
      run.AwaitThreads(2 * kTasks);
    } else {
      run.AwaitWork(2 * kTasks);
    }
    run.Signal(SIGKILL);
    const Result result = run.Finish();
    EXPECT_EQ(result.signal, SIGKILL);
    ExpectNoTime(result);
  }
}

TEST(CliDeathTest, KilledMainTakesTasksOfTheSetupAlong) {
  for (const std::string words : {"-g 100", "-g 100 -p"}) {
    for (const size_t tasks : {1u, 30u, 200u}) {
      SCOPED_TRACE(words + ", " + std::to_string(tasks));
      ProgramRun run(Split(words + kForever));
      run.AwaitTasks(tasks);
      run.Signal(SIGKILL);
      EXPECT_EQ(run.Finish().signal, SIGKILL);
    }
  }
}

TEST(CliDeathTest, StoppedReceiverIsReportedAsSuch) {
  ProgramRun run(Split("-g 1 -f 2 --hang-after 2" + kForever));
  const pid_t receiver = run.AwaitWork(4)[1];
  kill(receiver, SIGSTOP);
  const Result result = run.Finish();
  const std::string id = std::to_string(receiver);
  EXPECT_TRUE(result.err.starts_with(
      "hackbench: nothing moved for 2 s; unfinished: 1 of 1\n  group 0: "))
      << result.err;
  EXPECT_NE(result.err.find("\n    receiver 1 (pid " + id + ", stopped): "),
            std::string::npos)
      << result.err;
  // Both senders wait for it.
  EXPECT_NE(result.err.find(" is at receiver 1 (pid " + id + ", stopped)"),
            std::string::npos)
      << result.err;
  EXPECT_EQ(result.exit_code, 124);
  ExpectNoTime(result);
}

TEST(CliDeathTest, TimeoutEndsARunThatStillMoves) {
  for (const std::string words :
       {"-g 1", "-g 1 -T", "-g 1 -p -T", "-g 1 -i", "1 thread 10000000",
        "sched messaging -g 1"}) {
    SCOPED_TRACE(words);
    const bool classic = words.starts_with("1");
    const Result result = RunToEnd(
        Split(words + (classic ? "" : kForever) + std::string(" --timeout 1")));
    EXPECT_TRUE(result.err.starts_with(
        "hackbench: ended by --timeout after 1 s; unfinished: 1 of 1\n"))
        << result.err;
    EXPECT_EQ(result.exit_code, 124);
    ExpectNoTime(result);
  }
}

}  // namespace
}  // namespace hackbench::cli
