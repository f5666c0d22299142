// SPDX-License-Identifier: MIT
// Requests to end, at any moment: the run ends, nothing is left, no time is
// printed and the exit code says which signal it was. The peers print a time
// and exit 0, or die and leave their tasks running.
#include <gtest/gtest.h>
#include <signal.h>

#include <cstring>

#include "hackbench/cli_runner.h"

namespace hackbench::cli {
namespace {

constexpr size_t kTasks = 40;

enum class Target { kMain, kGroup };

std::string Message(int signal) {
  return "hackbench: interrupted by signal " + std::to_string(signal) + " (" +
         strsignal(signal) + ")\n";
}

void ExpectInterrupted(ProgramRun& run, int signal, Target target) {
  if (target == Target::kMain) {
    run.Signal(signal);
  } else {
    run.SignalGroup(signal);
  }
  const Result result = run.Finish();
  EXPECT_EQ(result.err, Message(signal));
  EXPECT_EQ(result.exit_code, 128 + signal);
  EXPECT_EQ(result.out.find("ime:"), std::string::npos) << result.out;
}

TEST(CliSignalTest, ProcessesEndMidRun) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    for (const Target target : {Target::kMain, Target::kGroup}) {
      SCOPED_TRACE(strsignal(signal));
      ProgramRun run(Split("-g 1 -l 10000000"));
      run.AwaitWork(kTasks);
      ExpectInterrupted(run, signal, target);
    }
  }
}

TEST(CliSignalTest, ThreadsEndMidRun) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    for (const Target target : {Target::kMain, Target::kGroup}) {
      SCOPED_TRACE(strsignal(signal));
      ProgramRun run(Split("-g 1 -T -l 10000000"));
      run.AwaitThreads(kTasks);
      ExpectInterrupted(run, signal, target);
    }
  }
}

TEST(CliSignalTest, EveryGrammarAndTransportEndsMidRun) {
  for (const std::string words :
       {"1 process 10000000", "-pipe 1 process 10000000",
        "sched messaging -g 1 -l 10000000",
        "sched messaging -p -g 1 -l 10000000", "-g 1 -i -l 10000000",
        "-g 1 --transport fifo -l 10000000"}) {
    SCOPED_TRACE(words);
    ProgramRun run(Split(words));
    run.AwaitWork(kTasks);
    ExpectInterrupted(run, SIGINT, Target::kMain);
  }
}

TEST(CliSignalTest, SetupOfProcessesEnds) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    for (const Target target : {Target::kMain, Target::kGroup}) {
      SCOPED_TRACE(strsignal(signal));
      ProgramRun run(Split("-g 200 -l 10000000"));
      run.AwaitTasks(kTasks);
      ExpectInterrupted(run, signal, target);
    }
  }
}

TEST(CliSignalTest, SetupOfThreadsEnds) {
  for (const int signal : {SIGINT, SIGTERM}) {
    SCOPED_TRACE(strsignal(signal));
    // No more: a low limit of open files would refuse it.
    ProgramRun run(Split("-g 20 -T -l 10000000"));
    // Two, for the thread sanitizer brings one of its own.
    run.AwaitThreads(2);
    ExpectInterrupted(run, signal, Target::kMain);
  }
}

TEST(CliSignalTest, SignalBetweenRepeatedRunsEndsAllOfThem) {
  ProgramRun run(Split("-g 1 -f 1 -l 1 --repeat 1000000"));
  run.AwaitOutput(1000);
  run.SignalGroup(SIGINT);
  const Result result = run.Finish();
  EXPECT_TRUE(result.err.starts_with(Message(SIGINT))) << result.err;
  EXPECT_EQ(result.exit_code, 128 + SIGINT);
}

// nohup, and shells for jobs in the background.
TEST(CliSignalTest, IgnoredSignalsStayIgnored) {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT}) {
    for (const std::string mode : {"-P", "-T"}) {
      SCOPED_TRACE(strsignal(signal) + mode);
      ProgramRun run(Split("-g 1 -f 2 -l 10000000 " + mode),
                     {.ignored_signals = {signal}});
      if (mode == "-P") {
        run.AwaitWork(4);
      } else {
        run.AwaitThreads(4);
      }
      run.SignalGroup(signal);
      // Taken one after the other, so the first was ignored when the second
      // is named.
      ExpectInterrupted(run, SIGTERM, Target::kMain);
    }
  }
}

TEST(CliSignalTest, RunStoppedAndContinuedGoesOn) {
  ProgramRun run(Split("-g 1 -f 2 -l 10000000 --hang-after 3"));
  run.AwaitWork(4);
  run.SignalGroup(SIGSTOP);
  run.AwaitStopped();
  run.SignalGroup(SIGCONT);
  ExpectInterrupted(run, SIGTERM, Target::kMain);
}

}  // namespace
}  // namespace hackbench::cli
