// SPDX-License-Identifier: MIT
// Experiments that are killed: nothing of them stays, nothing is lost, and the
// same plan ends complete.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "hackbench/cli_results.h"

namespace hackbench::cli {
namespace {

using Json = nlohmann::json;

int Kills() { return std::getenv("HACKBENCH_FULL") != nullptr ? 20 : 6; }

class CliResumeTest : public ResultsTest {
 protected:
  // Rows of one table, as exported.
  std::vector<Json> Rows(const std::string& table) const {
    std::vector<Json> rows;
    std::istringstream lines(Results({"export", "all"}).out);
    for (std::string line; std::getline(lines, line);) {
      const Json json = Json::parse(line, nullptr, false);
      if (json.is_object() && json.value("table", "") == table) {
        rows.push_back(json["row"]);
      }
    }
    return rows;
  }

  // Until so many launches are in the log of the program.
  void AwaitLaunches(size_t count) const {
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::seconds(100);
    while (CountLines(ReadFile(File("launches")), "x") < count &&
           std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  size_t Launches() const {
    return CountLines(ReadFile(File("launches")), "x");
  }

  Argv Experiment() const {
    return ExperimentWords(
        "ab", {"--cmd-a", Program("a"), "--cmd-b", Program("b"), "--seed", "5",
               "--blocks", "4", "--max-blocks", "4"});
  }
  // Says that it began, and leaves a process to be ended with it.
  std::string Program(const std::string& name) const {
    const std::string path = File(name);
    const std::string log = File("launches");
    WriteProgram(path, "#!/bin/sh\necho x >>" + log +
                           "\nsetsid sleep 1000 &\nsleep 0.02\n"
                           "echo Time: 1.0\n");
    return path;
  }
};

TEST_F(CliResumeTest, KilledAgainAndAgainTheSamePlanEndsComplete) {
  const Argv first = Experiment();
  for (int i = 0; i < Kills(); ++i) {
    const size_t before = Launches();
    ProgramRun run(i == 0 ? first
                          : ExperimentWords("ab", {"--resume", "last"}));
    // At another place each time, also in the middle of a launch.
    AwaitLaunches(before + 1 + static_cast<size_t>(i % 5));
    run.Signal(SIGKILL);
    run.Finish();  // Expects that no process is left.
    EXPECT_EQ(Rows("experiment").size(), 1u);
    EXPECT_EQ(Rows("slot").size(), 2u + 16u);
  }
  const std::vector<Json> plan = Rows("slot");
  const Result result =
      RunToEnd(ExperimentWords("ab", {"--resume", "last", "--layout", "json"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(Rows("slot"), plan);
  const Json row = Json::parse(result.out)["rows"][0];
  EXPECT_EQ(row["blocks"], 4);
  EXPECT_EQ(row["summary_a"]["n"], 8);
  EXPECT_EQ(row["summary_b"]["n"], 8);
  // Each slot counts once, however often it ran.
  EXPECT_EQ(CountLines(Results({"show", "--runs"}).out, "  yes"), 16u);
  EXPECT_EQ(CountLines(Results({"show", "--plan"}).out, "pending"), 0u);
}

TEST_F(CliResumeTest, AnInterruptSaysHowToGoOn) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const size_t before = Launches();
    ProgramRun run(Experiment());
    AwaitLaunches(before + 4);
    run.Signal(signal);
    const Result result = run.Finish();
    EXPECT_EQ(result.exit_code, 128 + signal) << result.err;
    EXPECT_NE(result.err.find("hackbench ab --resume "), std::string::npos)
        << result.err;
  }
  EXPECT_EQ(CountLines(Results({"list"}).out, "slots left"), 2u);
}

TEST_F(CliResumeTest, ACompleteExperimentIsNotRunAgain) {
  ASSERT_EQ(RunToEnd(Experiment()).exit_code, 0);
  const size_t before = Launches();
  EXPECT_EQ(RunToEnd(ExperimentWords("ab", {"--resume", "last"})).exit_code, 0);
  EXPECT_EQ(Launches(), before);
}

TEST_F(CliResumeTest, AnotherEnvironmentIsRefusedUnlessAllowed) {
  {
    ProgramRun run(Experiment());
    AwaitLaunches(5);
    run.Signal(SIGINT);
    run.Finish();
  }
  // Another nice value is another environment.
  const auto niced = [&](const Argv& more) {
    Argv argv = {"-n", "5", std::getenv("HACKBENCH_BINARY")};
    const Argv words = ExperimentWords("ab", {"--resume", "last"});
    argv.insert(argv.end(), words.begin(), words.end());
    argv.insert(argv.end(), more.begin(), more.end());
    return RunToEnd(argv, {.program = "/usr/bin/nice"});
  };
  const Result refused = niced({});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("process.nice: "), std::string::npos)
      << refused.err;
  EXPECT_EQ(niced({"--allow-env-change"}).exit_code, 0);
}

}  // namespace
}  // namespace hackbench::cli
