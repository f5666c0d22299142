// SPDX-License-Identifier: MIT
// --record: the objects of results/record.h, one a launch, in a file that is
// whole at every moment.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "hackbench/cli_runner.h"

namespace hackbench::cli {
namespace {

using Json = nlohmann::json;

std::vector<Json> Parse(const std::string& text) {
  std::vector<Json> records;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    records.push_back(Json::parse(line, nullptr, /*allow_exceptions=*/false));
    EXPECT_FALSE(records.back().is_discarded()) << line;
  }
  EXPECT_TRUE(text.empty() || text.ends_with("\n"));
  return records;
}

std::vector<std::string> Keys(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

// A run that records into a directory of its own.
struct Recorded {
  Result result;
  std::vector<Json> records;
  std::vector<std::string> names;  // Of all files it left.
};

Recorded Record(const std::string& words) {
  const TempDirectory directory;
  Argv argv = Split(words);
  argv.insert(argv.end(), {"--record", directory.File("runs")});
  Recorded recorded{.result = RunToEnd(argv), .records = {}, .names = {}};
  recorded.records = Parse(ReadFile(directory.File("runs")));
  recorded.names = directory.Names();
  return recorded;
}

TEST(CliRecordTest, RecordHasTheKeysOfItsSchema) {
  const Recorded run = Record("-g 1 -f 2 -l 5 -p --latency");
  ASSERT_EQ(run.records.size(), 1u);
  const Json& record = run.records[0];
  // nlohmann::json sorts them.
  EXPECT_EQ(
      Keys(record),
      (std::vector<std::string>{
          "config", "exit_code", "index", "latency_ns", "message", "messages",
          "messages_planned", "payload_bytes", "role", "schema", "signal",
          "started_utc", "status", "timings_ns", "use", "version"}));
  EXPECT_EQ(Keys(record["config"]),
            (std::vector<std::string>{
                "affinity", "datasize", "fds", "footprint", "grammar", "groups",
                "latency", "loops", "main_fifo", "mode", "nice", "nodelay",
                "plane", "sched", "tasks", "transport", "verify"}));
  EXPECT_EQ(Keys(record["timings_ns"]),
            (std::vector<std::string>{"reap", "setup", "total", "work"}));
  EXPECT_EQ(Keys(record["use"]),
            (std::vector<std::string>{
                "involuntary_switches", "major_faults", "max_rss_bytes",
                "minor_faults", "system_ns", "user_ns", "voluntary_switches"}));
  EXPECT_EQ(Keys(record["latency_ns"]),
            (std::vector<std::string>{"bucket_width_percent", "count", "max",
                                      "p50", "p90", "p99", "p99_9"}));
}

TEST(CliRecordTest, RecordSaysWhatWasRun) {
  const Recorded run =
      Record("process 1 6 -f 2 -s 64 -T --transport tcp --verify");
  ASSERT_EQ(run.records.size(), 1u);
  const Json& record = run.records[0];
  EXPECT_EQ(record["schema"], "hackbench.run/1");
  EXPECT_EQ(record["version"], HACKBENCH_VERSION);
  EXPECT_EQ(record["role"], "measure");
  EXPECT_EQ(record["index"], 0);
  EXPECT_EQ(record["status"], "ok");
  EXPECT_EQ(record["exit_code"], 0);
  EXPECT_EQ(record["signal"], 0);
  EXPECT_EQ(record["message"], "");
  EXPECT_TRUE(Matches(record["started_utc"],
                      R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"));
  EXPECT_EQ(record["messages"], 1 * 2 * 2 * 6);
  EXPECT_EQ(record["messages_planned"], 1 * 2 * 2 * 6);
  EXPECT_EQ(record["payload_bytes"], 1 * 2 * 2 * 6 * 64);
  EXPECT_FALSE(record.contains("latency_ns"));

  const Json& config = record["config"];
  EXPECT_EQ(config["groups"], 1);
  EXPECT_EQ(config["fds"], 2);
  EXPECT_EQ(config["loops"], 6);
  EXPECT_EQ(config["datasize"], 64);
  EXPECT_EQ(config["tasks"], 4);
  EXPECT_EQ(config["mode"], "thread");
  EXPECT_EQ(config["transport"], "tcp");
  EXPECT_EQ(config["verify"], "byte");
  EXPECT_EQ(config["grammar"], "rt-tests");
  EXPECT_EQ(config["nice"], nullptr);
  const Json& timings = record["timings_ns"];
  EXPECT_GE(timings["total"].get<int64_t>(), timings["work"].get<int64_t>());
  EXPECT_EQ(timings["total"].get<int64_t>() - timings["work"].get<int64_t>(),
            timings["reap"].get<int64_t>());
}

TEST(CliRecordTest, GrammarIsRecorded) {
  EXPECT_EQ(Record("1 thread 1").records[0]["config"]["grammar"], "classic");
  EXPECT_EQ(
      Record("sched messaging -t -g 1 -l 1").records[0]["config"]["grammar"],
      "perf");
}

TEST(CliRecordTest, EveryLaunchHasALine) {
  const Recorded run = Record("-g 1 -f 1 -l 1 --warmup 2 --repeat 3");
  ASSERT_EQ(run.records.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(run.records[i]["role"], i < 2 ? "warmup" : "measure");
    EXPECT_EQ(run.records[i]["index"], i < 2 ? i : i - 2);
    EXPECT_EQ(run.records[i]["status"], "ok");
  }
  EXPECT_EQ(run.names, std::vector<std::string>{"runs"});
}

TEST(CliRecordTest, TimedOutRunIsRecorded) {
  const Recorded run = Record("-g 1 -f 2 -l 100000000 --timeout 1");
  ASSERT_EQ(run.records.size(), 1u);
  const Json& record = run.records[0];
  EXPECT_EQ(record["status"], "timeout");
  EXPECT_EQ(record["exit_code"], 124);
  EXPECT_EQ(run.result.exit_code, 124);
  EXPECT_TRUE(record["message"].get<std::string>().starts_with(
      "ended by --timeout after 1 s"));
  EXPECT_FALSE(record.contains("timings_ns"));
  EXPECT_LT(record["messages"].get<int64_t>(),
            record["messages_planned"].get<int64_t>());
}

TEST(CliRecordTest, RefusedRunIsRecorded) {
  const Recorded run = Record("-g 2147483647 -f 1");
  ASSERT_EQ(run.records.size(), 1u);
  const Json& record = run.records[0];
  EXPECT_EQ(record["status"], "refused");
  EXPECT_EQ(record["exit_code"], 1);
  EXPECT_EQ("hackbench: " + record["message"].get<std::string>() + "\n",
            run.result.err);
  EXPECT_FALSE(record.contains("timings_ns"));
}

TEST(CliRecordTest, InterruptedAndFailedRunsAreRecorded) {
  for (const bool interrupt : {true, false}) {
    const TempDirectory directory;
    ProgramRun run({"-g", "1", "-f", "2", "-l", "100000000", "--record",
                    directory.File("runs")});
    const std::vector<pid_t> tasks = run.AwaitWork(4);
    kill(interrupt ? run.pid() : tasks[0], interrupt ? SIGTERM : SIGKILL);
    const Result result = run.Finish();
    const std::vector<Json> records = Parse(ReadFile(directory.File("runs")));
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(records[0]["status"], interrupt ? "interrupted" : "failed");
    EXPECT_EQ(records[0]["signal"], interrupt ? SIGTERM : 0);
    EXPECT_EQ(records[0]["exit_code"], interrupt ? 128 + SIGTERM : 1);
    EXPECT_EQ("hackbench: " + records[0]["message"].get<std::string>() + "\n",
              result.err);
    EXPECT_FALSE(records[0].contains("timings_ns"));
    EXPECT_EQ(directory.Names(), std::vector<std::string>{"runs"});
  }
}

TEST(CliRecordTest, ExistingFileIsReplaced) {
  const TempDirectory directory;
  std::ofstream(directory.File("runs")) << "old\n";
  const Argv argv = {"-g", "1", "-f",       "1",
                     "-l", "1", "--record", directory.File("runs")};
  EXPECT_EQ(RunToEnd(argv).exit_code, 0);
  EXPECT_EQ(Parse(ReadFile(directory.File("runs"))).size(), 1u);
  EXPECT_EQ(directory.Names(), std::vector<std::string>{"runs"});
}

TEST(CliRecordTest, DirectoryThatCannotBeWrittenIsRefusedBeforeTheRun) {
  const Result result =
      RunToEnd({"-g", "1", "-l", "1", "--record", "/nonexistent/runs"});
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(Matches(result.err,
                      R"(hackbench: --record: create /nonexistent/runs\S*: )"
                      R"(No such file or directory\n)"))
      << result.err;
  EXPECT_EQ(result.exit_code, 1);
}

TEST(CliRecordTest, FullDeviceIsAnError) {
  const Result result =
      RunToEnd({"-g", "1", "-f", "1", "-l", "1", "--record", "/dev/full"});
  EXPECT_EQ(result.err,
            "hackbench: --record: write /dev/full: No space left on device\n");
  EXPECT_EQ(result.exit_code, 1);
}

TEST(CliRecordTest, DashReplacesTheLinesOfStdout) {
  for (const std::string words :
       {"-g 1 -f 1 -l 1", "1 thread 1", "sched messaging -t -g 1 -l 1",
        "-f simple sched messaging -t -g 1 -l 1"}) {
    SCOPED_TRACE(words);
    const Result result = RunToEnd(Split(words + " --repeat 2 --record -"));
    const std::vector<Json> records = Parse(result.out);
    ASSERT_EQ(records.size(), 2u);
    EXPECT_EQ(records[1]["status"], "ok");
    EXPECT_TRUE(result.err.starts_with("hackbench: n=2: mean ")) << result.err;
    EXPECT_EQ(result.exit_code, 0);
  }
}

}  // namespace
}  // namespace hackbench::cli
