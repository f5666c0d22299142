// SPDX-License-Identifier: MIT
// The user plane from the outside: messages of every size, what is reported,
// and what happens to a run whose task is killed in the middle of a message.
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "hackbench/cli_runner.h"

namespace hackbench::cli {
namespace {

using Json = nlohmann::json;

const std::vector<std::string>& Ways() {
  static const std::vector<std::string> ways = {
      " -P --transport socketpair", " -T --transport socketpair",
      " -P --transport pipe",       " -T --transport pipe",
      " -P --transport futex",      " -T --transport futex"};
  return ways;
}

Result ExpectDone(const std::string& words) {
  SCOPED_TRACE(words);
  Result result = RunToEnd(Split(words));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("Time: "), std::string::npos) << result.out;
  return result;
}

Json RecordOf(const std::string& words) {
  const Result result = RunToEnd(Split("run --record - " + words));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return Json::parse(result.out, nullptr, false);
}

TEST(CliUserTest, EverySizeArrivesWhole) {
  for (const std::string& way : Ways()) {
    for (const std::string size : {"1", "15", "16", "100", "4095", "4096",
                                   "4097", "32768", "32769", "100000"}) {
      const Result result =
          ExpectDone("-g 1 -f 2 -l 4 --plane user -s " + size + way);
      EXPECT_EQ(result.err, "");
    }
  }
}

TEST(CliUserTest, QueuesThatFillUpAreEmptiedAgain) {
  // More than a send buffer, and a pipe, from each of three senders, on one
  // CPU. When tasks sleep is the scheduler's affair, so only the sum counts.
  int64_t space_sleeps = 0;
  int64_t reader_sleeps = 0;
  for (const std::string& way : Ways()) {
    const Json record =
        RecordOf("-g 2 -f 3 -l 1200 --plane user --affinity 0" + way);
    EXPECT_EQ(record["messages"], 2 * 3 * 3 * 1200);
    space_sleeps += record["user_plane"]["space_sleeps"].get<int64_t>();
    reader_sleeps += record["user_plane"]["reader_sleeps"].get<int64_t>();
  }
  EXPECT_GT(space_sleeps, 0);
  EXPECT_GT(reader_sleeps, 0);
}

TEST(CliUserTest, WakesOnlySleepers) {
  for (const std::string& way : Ways()) {
    const Json plane =
        RecordOf("-g 2 -f 4 -l 200 --plane user" + way)["user_plane"];
    EXPECT_EQ(plane["wakeups"], plane["reader_sleeps"].get<int64_t>() +
                                    plane["space_sleeps"].get<int64_t>());
  }
}

TEST(CliUserTest, OneSenderNeedsNoLock) {
  for (const std::string way :
       {" -P --transport socketpair", " -T --transport socketpair",
        " -P --transport futex"}) {
    ExpectDone("-g 4 -f 1 -l 20000 --lock none --alloc none" + way);
    ExpectDone("-g 4 -f 1 -l 20000 --lock none" + way);
  }
}

TEST(CliUserTest, WithNothingOnAnyAxisMessagesStillArrive) {
  ExpectDone(
      "-g 2 -f 1 -l 100 --alloc none --lock none --rwlock none --refcount "
      "none --churn 0 --msg-alloc none");
}

TEST(CliUserTest, EveryRwlockAndRefcountServes) {
  for (const std::string list : {"rwlocks", "refcounts"}) {
    const std::string part = list.substr(0, list.size() - 1);
    std::istringstream lines(RunToEnd(Split("--list " + list)).out);
    for (std::string line; std::getline(lines, line);) {
      if (line.find("not for runs") != std::string::npos) continue;
      const std::string name = line.substr(0, line.find(' '));
      ExpectDone("-g 2 -f 3 -l 50 -T --log-level error --" + part + " " + name +
                 (list == "rwlocks" && name == "none" ? "" : " --churn 7"));
    }
  }
}

TEST(CliUserTest, EveryPreemptionModelRunsAndIsLabelled) {
  for (const std::string preempt : {"none", "voluntary", "full", "lazy"}) {
    for (const std::string& way : Ways()) {
      const Json record =
          RecordOf("-g 2 -f 4 -l 100 --hz 1000 --preempt " + preempt + way);
      EXPECT_EQ(record["config"]["model"], "coop");
      EXPECT_EQ(record["config"]["preempt"], preempt);
      EXPECT_EQ(record["config"]["hz"], 1000);
    }
  }
}

TEST(CliUserTest, TheRecordNamesEveryPart) {
  const Json config =
      RecordOf("-g 1 -f 1 -l 1 --alloc cmpxchg-local --lock queued")["config"];
  EXPECT_EQ(config["plane"], "user");
  EXPECT_EQ(config["alloc"], "cmpxchg-local");
  EXPECT_TRUE(
      config["alloc_engine"].get<std::string>().starts_with("cmpxchg-local-"));
  EXPECT_EQ(config["lock"], "queued");
  EXPECT_EQ(config["rwlock"], "qrw-adaptive");
  EXPECT_EQ(config["refcount"], "hybrid-cmpxchg");
  EXPECT_EQ(config["churn"], 1000);
  EXPECT_EQ(config["msg-alloc"], "skb");
  EXPECT_EQ(config["verify"], "message");
  EXPECT_EQ(config["model"], nullptr);
}

TEST(CliUserTest, TheRecordCountsWhatTheAllocatorDid) {
  const Json plane = RecordOf("-g 2 -f 2 -l 100 --alloc locked")["user_plane"];
  const int64_t messages = 2 * 2 * 2 * 100;
  EXPECT_EQ(plane["allocations"], 2 * messages);
  EXPECT_GT(plane["allocated_bytes"], messages * (232 + 420));
  EXPECT_GT(plane["slab_events"]["alloc_slab"], 0);
}

TEST(CliUserTest, StatsAndPhasesGoToStderr) {
  const Result result =
      ExpectDone("-g 1 -f 2 -l 200 --plane user --stats --phases");
  for (const std::string text :
       {"2.00 objects", "lock events:", "slab events", "look_up", "allocate",
        "copy_in", "queue", "copy_out", "free"}) {
    EXPECT_NE(result.err.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(result.out.find("objects"), std::string::npos);
}

TEST(CliUserTest, LatencyWorksHereToo) {
  for (const std::string& way : Ways()) {
    const Result result =
        ExpectDone("-g 1 -f 2 -l 50 --plane user --latency" + way);
    EXPECT_NE(result.err.find("latency of 200 samples"), std::string::npos);
  }
}

TEST(CliUserTest, EachOfManyRunsIsAudited) {
  const Result result =
      ExpectDone("-g 2 -f 2 -l 50 --plane user --repeat 3 --warmup 1");
  EXPECT_NE(result.err.find("3"), std::string::npos);
}

// With every kind of lock, in whichever step it is met.
TEST(CliUserTest, AKilledTaskEndsTheRunWithItsStep) {
  for (const std::string part :
       {"--lock hybrid", "--lock robust", "--lock clh --log-level error",
        "--lock mcs --alloc locked --log-level error", "--alloc sheaves",
        "--transport pipe --alloc best", "--transport futex --alloc best"}) {
    for (const size_t task : {0u, 7u}) {
      SCOPED_TRACE(part);
      ProgramRun run(Split("-g 1 -f 4 -l 10000000 --timeout 300 " + part));
      const pid_t pid = run.AwaitWork(8)[task];
      kill(pid, SIGKILL);
      const Result result = run.Finish();
      EXPECT_EQ(result.exit_code, 1);
      EXPECT_NE(result.err.find("(pid " + std::to_string(pid) +
                                ") was killed by signal 9 (Killed), "),
                std::string::npos)
          << result.err;
      EXPECT_NE(result.err.find("the arena was repaired"), std::string::npos)
          << result.err;
      EXPECT_EQ(result.out.find("Time:"), std::string::npos);
    }
  }
}

TEST(CliUserTest, MainTakesItsTasksAlong) {
  for (const std::string& way : Ways()) {
    for (const int signal : {SIGTERM, SIGKILL}) {
      ProgramRun run(Split("-g 1 -f 4 -l 10000000 --hz 100" + way));
      if (way.find("-T") == std::string::npos) {
        run.AwaitTasks(8);
      } else {
        run.AwaitThreads(8);
      }
      run.Signal(signal);
      const Result result = run.Finish();
      EXPECT_EQ(result.out.find("Time:"), std::string::npos);
    }
  }
}

TEST(CliUserTest, AHangSaysWhoWaitsForWhom) {
  ProgramRun run(Split("-g 1 -f 2 -l 10000000 --plane user --hang-after 2"));
  const std::vector<pid_t> tasks = run.AwaitTasks(4);
  for (const pid_t pid : tasks) kill(pid, SIGSTOP);
  const Result result = run.Finish();
  EXPECT_EQ(result.exit_code, 124);
  EXPECT_NE(result.err.find("sender 0"), std::string::npos) << result.err;
}

TEST(CliUserTest, ArmsOfAnABMayDifferInTheirParts) {
  const TempDirectory directory;
  const Result result = RunToEnd(
      Split("ab --db " + directory.path() +
            "/r.db --blocks 1 --max-blocks 1 --warmup 0 --a "
            "alloc=cmpxchg-local,verify=off --b alloc=best -- 1 process 5"));
  EXPECT_NE(result.out.find("alloc=best"), std::string::npos)
      << result.out << result.err;
}

}  // namespace
}  // namespace hackbench::cli
