// SPDX-License-Identifier: MIT
// `hackbench sweep` from the outside: cells, shares, live settings.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "hackbench/cli_results.h"

namespace hackbench::cli {
namespace {

using Json = nlohmann::json;

const Argv kTiny = {"--", "-g", "1", "-f", "1", "-l", "2"};

Argv operator+(Argv a, const Argv& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class CliSweepTest : public ResultsTest {
 protected:
  std::vector<std::string> Exported(const std::string& database,
                                    const std::string& table) const {
    std::vector<std::string> rows;
    std::istringstream lines(RunToEnd({"export", "all", "--db", database}).out);
    for (std::string line; std::getline(lines, line);) {
      if (line.find("{\"table\":\"" + table + "\"") == 0) rows.push_back(line);
    }
    return rows;
  }
};

TEST_F(CliSweepTest, EveryCellHasItsBaseline) {
  const Result result =
      Sweep(Argv{"--scan", "groups=1..2", "--list", "transport=socketpair,pipe",
                 "--blocks", "1", "--max-blocks", "1", "--layout", "json"} +
            kTiny);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json rows = Json::parse(result.out)["rows"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["cell"], "groups=1");
  EXPECT_EQ(rows[0]["a"], "groups=1 transport=socketpair");
  EXPECT_EQ(rows[0]["b"], "groups=1 transport=pipe");
  EXPECT_EQ(rows[1]["cell"], "groups=2");
  EXPECT_TRUE(rows[0]["confounded"].empty()) << rows[0]["confounded"];
  const Result table = Results({"compare"});
  EXPECT_NE(table.out.find("groups=2 "), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("adjusted by Benjamini and Hochberg"),
            std::string::npos);
}

TEST_F(CliSweepTest, ZipExcludeAndBaseline) {
  const Result zip = Sweep(Argv{"--list", "groups=1,2", "--list", "loops=4,2",
                                "--zip", "--dry-run", "--seed", "1"} +
                           kTiny);
  EXPECT_EQ(zip.exit_code, 0) << zip.err;
  EXPECT_EQ(zip.out.find("groups=1 loops=2"), std::string::npos);
  EXPECT_NE(zip.out.find("groups=2 loops=2"), std::string::npos);
  const Result less =
      Sweep(Argv{"--list", "groups=1,2", "--list", "loops=4,2", "--exclude",
                 "groups=2,loops=2", "--baseline", "loops=2", "--dry-run"} +
            kTiny);
  EXPECT_EQ(less.exit_code, 0) << less.err;
  EXPECT_NE(less.out.find("3 arms"), std::string::npos) << less.out;
  EXPECT_NE(less.out.find("groups=1 loops=4: groups=1 loops=4  (against "
                          "groups=1 loops=2)"),
            std::string::npos)
      << less.out;
}

TEST_F(CliSweepTest, WhatCannotBeSweptIsRefusedBeforeAnythingRuns) {
  const std::vector<std::pair<Argv, std::string>> wrong = {
      {{}, "nothing to sweep"},
      {{"--list", "gruops=1,2"}, "did you mean 'groups'"},
      {{"--list", "groups=0,2"}, "groups"},
      {{"--scan", "groups=1..4:x1"}, "--scan"},
      {{"--list", "groups=1,2", "--list", "groups=3"}, "swept twice"},
      {{"--list", "groups=1,2", "--shard", "1/2"}, "--shard needs --seed"},
      {{"--list", "groups=1,2", "--shard", "3/2", "--seed", "1"}, "--shard"},
      {{"--live", "preemt=none,full"}, "preemt"},
      {{"--live", "/nonexistent/setting=1,2"}, "/nonexistent/setting"},
  };
  for (const auto& [words, reason] : wrong) {
    const Result result = Sweep(words + kTiny);
    EXPECT_EQ(result.exit_code, 2) << reason;
    EXPECT_NE(result.err.find(reason), std::string::npos)
        << reason << ": " << result.err;
  }
}

TEST_F(CliSweepTest, SharesMergedAreTheUnsharedPlan) {
  const Argv plan = {"--list",   "loops=2,3", "--seed",       "9",
                     "--blocks", "4",         "--max-blocks", "4"};
  ASSERT_EQ(Sweep(plan + kTiny).exit_code, 0);
  for (const char* const share : {"1", "2"}) {
    Argv words = {"sweep",   "--allow-parallel",
                  "--db",    File(std::string("share") + share + ".db"),
                  "--shard", std::string(share) + "/2"};
    const Result result = RunToEnd(words + plan + kTiny);
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
  const std::string merged = File("merged.db");
  for (int i = 0; i < 2; ++i) {
    const Result result =
        RunToEnd({"merge", merged, File("share1.db"), File("share2.db")});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    if (i == 1) {
      EXPECT_EQ(CountLines(result.out, ": 0 rows added"), 2u);
    }
  }
  // The blocks: same launches in the same order, each once.
  const auto measured = [&](const std::string& database) {
    std::vector<std::string> slots;
    for (const std::string& line : Exported(database, "slot")) {
      const Json row = Json::parse(line)["row"];
      if (row["role"] == "measure") {
        slots.push_back(
            Json{row["seq"], row["block"], row["pos"], row["arm"]}.dump());
      }
    }
    return slots;
  };
  EXPECT_EQ(measured(merged), measured(Database()));
  EXPECT_EQ(measured(merged).size(), 16u);
  const Result compared =
      RunToEnd({"compare", "--layout", "json", "--db", merged});
  ASSERT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_EQ(Json::parse(compared.out)["rows"][0]["blocks"], 4);
  EXPECT_EQ(
      CountLines(RunToEnd({"show", "--plan", "--db", merged}).out, "pending"),
      0u);
}

TEST_F(CliSweepTest, LiveSettingsAreSetPerLaunchAndPutBack) {
  const std::string setting = File("setting");
  std::ofstream(setting) << "zero\n";
  const std::string log = File("log");
  const Argv words =
      Argv{"--live",       setting + "=one,two",
           "--blocks",     "1",
           "--max-blocks", "1",
           "--warmup",     "0",
           "--prepare",    "cat " + setting + " >>" + log + "; echo >>" + log,
           "--layout",     "json"} +
      kTiny;
  const Result result = Sweep(words);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(ReadFile(setting), "zero");
  EXPECT_EQ(CountLines(ReadFile(log), "one"), 2u);
  EXPECT_EQ(CountLines(ReadFile(log), "two"), 2u);
}

TEST_F(CliSweepTest, LiveSettingsComeBackHoweverItEnds) {
  const std::string setting = File("setting");
  const std::string seen = File("seen");
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    std::ofstream(setting) << "zero\n";
    ProgramRun run(ExperimentWords(
        "sweep", Argv{"--live", setting + "=one,two", "--prepare",
                      "cat " + setting + " >" + seen} +
                     Argv{"--", "-g", "1", "-f", "1", "-l", "100000000"}));
    // Once a launch of ours moves messages, the setting is the sweep's.
    while (ReadFile(seen).empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    EXPECT_NE(ReadFile(setting), "zero\n");
    run.Signal(signal);
    run.Finish();
    // The keeper is gone by now: it puts back first.
    EXPECT_EQ(ReadFile(setting), "zero") << signal;
    std::ofstream(seen, std::ios::trunc);
  }
}

}  // namespace
}  // namespace hackbench::cli
