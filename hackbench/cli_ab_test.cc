// SPDX-License-Identifier: MIT
// `hackbench ab` from the outside: verdicts, exit codes, refusals, hooks.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "hackbench/cli_results.h"

namespace hackbench::cli {
namespace {

using Json = nlohmann::json;

class CliAbTest : public ResultsTest {};

TEST_F(CliAbTest, ProgramsThatPrintATimeAreJudged) {
  const Result result = Ab({"--cmd-a", "echo Time: 1.000", "--cmd-b",
                            "echo Time: 1.100", "--layout", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json report = Json::parse(result.out);
  ASSERT_EQ(report["rows"].size(), 1u);
  EXPECT_EQ(report["rows"][0]["verdict"], "slower");
  EXPECT_NEAR(report["rows"][0]["effect"], 0.1, 1e-9);
  EXPECT_EQ(report["rows"][0]["summary_a"]["n"], 12);
  EXPECT_EQ(report["rows"][0]["blocks"], 6);
}

TEST_F(CliAbTest, EqualProgramsAreTheSame) {
  const Result result =
      Ab({"--cmd-a", "echo Time: 1.000", "--cmd-b", "echo 'Time: 1.000'"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("B is the same as A within"), std::string::npos)
      << result.out;
}

TEST_F(CliAbTest, OurOwnRunsAreReadByTheirRecord) {
  const Result result =
      Ab({"--a", "loops=5", "--b", "loops=6,transport=pipe", "--max-blocks",
          "6", "--layout", "json", "--", "1", "process", "5", "--fds", "2"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out)["rows"].size(), 1u);
  const Result runs = Results({"show", "--runs"});
  EXPECT_EQ(runs.exit_code, 0) << runs.err;
  // Two warm-ups and 24 launches, in this order of columns.
  EXPECT_EQ(CountLines(runs.out, "  warmup  "), 2u) << runs.out;
  EXPECT_EQ(CountLines(runs.out, "  measure  "), 24u);
  const Json recipe = Json::parse(Results({"show", "--recipe"}).out);
  EXPECT_EQ(recipe["arms"][1]["settings"]["transport"], "pipe");
}

TEST_F(CliAbTest, MoreThanTwoArms) {
  const Result result =
      Ab({"--cmd-a", "echo Time: 1.0", "--cmd-b", "echo Time: 1.2", "--cmd",
          "echo Time: 0.8", "--layout", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json rows = Json::parse(result.out)["rows"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["verdict"], "slower");
  EXPECT_EQ(rows[1]["verdict"], "faster");
  EXPECT_EQ(rows[1]["b"], "C");
}

TEST_F(CliAbTest, GateTellsByItsExitCode) {
  const auto code = [&](const std::string& b) {
    return Ab({"--cmd-a", "echo Time: 1.00", "--cmd-b", b, "--gate"}).exit_code;
  };
  EXPECT_EQ(code("echo Time: 1.10"), 1);
  EXPECT_EQ(code("echo Time: 0.90"), 0);
  EXPECT_EQ(code("echo  Time: 1.00"), 0);
  // One block can decide nothing.
  EXPECT_EQ(Ab({"--cmd-a", "echo Time: 1.0", "--cmd-b", "echo Time: 1.5",
                "--blocks", "1", "--max-blocks", "1", "--gate"})
                .exit_code,
            3);
}

TEST_F(CliAbTest, AMetricByRegularExpression) {
  const Result result =
      Ab({"--cmd-a", "echo rate 100 ops", "--cmd-b", "echo rate 120 ops",
          "--metric", "rate ([0-9]+)", "--metric-name", "rate", "--metric-unit",
          "ops/s", "--better", "higher", "--layout", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json row = Json::parse(result.out)["rows"][0];
  EXPECT_EQ(row["metric"], "rate");
  EXPECT_EQ(row["verdict"], "faster");
}

TEST_F(CliAbTest, AaMeasuresTheNoise) {
  const Result result = Ab({"--aa", "--cmd-a", "echo Time: 1.0", "--repeat",
                            "10", "--blocks", "3", "--max-blocks", "3"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("noise floor 0.00 % from 10 A/A experiments\n"),
            std::string::npos)
      << result.out;
}

// A wrapper hands all options over as one word; rt-tests' hackbench reads the
// first number in it and runs its defaults. A stand-in for it here.
TEST_F(CliAbTest, WhatTheProgramDidNotRunIsNoResult) {
  const std::string program = File("hackbench");
  WriteProgram(program,
               "#!/bin/sh\necho 'Running in process mode with 10 groups using "
               "40 file descriptors each (== 400 tasks)'\necho 'Each sender "
               "will pass 100 messages of 100 bytes'\necho Time: 1.0\n");
  const Result result =
      Ab({"--cmd-a", program + " '-T -p -g 1'", "--cmd-b", "echo Time: 1.0"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("did not run what was asked for: groups is 10, 1 "
                            "was asked for; mode is process, thread"),
            std::string::npos)
      << result.err;
  const Result good =
      Ab({"--cmd-a", program + " -g 10", "--cmd-b", "echo Time: 1.0"});
  EXPECT_EQ(good.exit_code, 0) << good.err;
}

TEST_F(CliAbTest, FailedLaunchesAreRetriedAndKept) {
  const std::string program = File("flaky");
  const std::string once = File("once");
  std::string script =
      "#!/bin/sh\nif [ -e " + once + " ]; then echo Time: 1.0; ";
  script += "else touch " + once + "; exit 5; fi\n";
  WriteProgram(program, script);
  const Result result =
      Ab({"--cmd-a", program, "--cmd-b", "echo Time: 1.0", "--warmup", "0"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("exit code 5; trying again"), std::string::npos)
      << result.err;
  EXPECT_EQ(CountLines(Results({"show", "--runs"}).out, "failed"), 1u);
}

TEST_F(CliAbTest, AProgramThatAlwaysFailsEndsTheExperimentUnlessIgnored) {
  const Argv arms = {"--cmd-a", "echo Time: 1.0", "--cmd-b", "sh -c 'exit 3'"};
  const Result result = Ab(arms);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("everything until then is stored"),
            std::string::npos);
  Argv more = arms;
  more.insert(more.end(), {"--ignore-failure", "3", "--blocks", "2",
                           "--max-blocks", "2", "--retries", "0"});
  const Result ignored = Ab(more);
  // There is nothing to compare with, and that is said.
  EXPECT_EQ(ignored.exit_code, 0) << ignored.err;
  EXPECT_NE(ignored.out.find("no complete launch"), std::string::npos)
      << ignored.out;
}

TEST_F(CliAbTest, HooksRunInTheirPlaces) {
  const std::string log = File("log");
  const Result result =
      Ab({"--cmd-a", "echo Time: 1.0", "--cmd-b", "echo Time: 1.1", "--blocks",
          "1", "--max-blocks", "1", "--warmup", "0", "--setup",
          "echo setup >>" + log, "--prepare",
          "echo before $HACKBENCH_ARM >>" + log, "--conclude",
          "echo after $HACKBENCH_ARM >>" + log, "--cleanup",
          "echo cleanup >>" + log});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::istringstream lines(ReadFile(log));
  std::vector<std::string> seen;
  for (std::string line; std::getline(lines, line);) seen.push_back(line);
  ASSERT_EQ(seen.size(), 10u);
  EXPECT_EQ(seen.front(), "setup");
  EXPECT_EQ(seen.back(), "cleanup");
  for (size_t i = 1; i < 9; i += 2) {
    EXPECT_EQ(seen[i].substr(7), seen[i + 1].substr(6));
  }
  EXPECT_EQ(Ab({"--cmd-a", "echo Time: 1.0", "--cmd-b", "echo Time: 1.1",
                "--setup", "exit 4"})
                .exit_code,
            2);
}

TEST_F(CliAbTest, TheSeedRebuildsThePlan) {
  const Argv words = {"ab",      "--cmd-a",        "echo Time: 1.0",
                      "--cmd-b", "echo Time: 1.1", "--seed",
                      "77",      "--dry-run"};
  const Result once = RunToEnd(words);
  EXPECT_EQ(once.exit_code, 0) << once.err;
  EXPECT_EQ(RunToEnd(words).out, once.out);
  EXPECT_NE(once.out.find("seed 77"), std::string::npos);
}

TEST_F(CliAbTest, WhatIsWrittenWrongIsRefused) {
  const std::vector<std::pair<Argv, std::string>> wrong = {
      {{}, "nothing to compare"},
      {{"--a", "grups=5", "--b", "groups=6", "--", "1"},
       "did you mean 'groups'"},
      {{"--a", "groups=5x", "--b", "groups=6", "--", "1"}, "5x"},
      {{"--a", "groups=5", "--b", "groups=5", "--", "1"}, "are equal"},
      {{"--a", "groups=5", "--b", "groups", "--", "1"}, "key=value"},
      {{"--a", "mode=proces", "--b", "mode=thread"}, "mode=proces"},
      {{"--a", "transport=pipes", "--b", "transport=pipe"}, "pipes"},
      {{"--a", "groups=5", "--b", "groups=6", "stray", "--", "1"}, "stray"},
      {{"--cmd-a", "echo"}, "go together"},
      {{"--cmd-a", "echo 'x", "--cmd-b", "echo y"}, "quote"},
      {{"--cmd-a", "echo x", "--cmd-b", "echo y", "--metric", "("},
       "regular expression"},
      {{"--cmd-a", "echo x", "--cmd-b", "echo y", "--order", "abab"},
       "--order 'abab'"},
      {{"--cmd-a", "echo x", "--cmd-b", "echo y", "--margin", "0"}, "--margin"},
      {{"--cmd-a", "echo x", "--cmd-b", "echo y", "--blocks", "1e3"},
       "--blocks '1e3'"},
      {{"--cmd-a", "echo x", "--cmd-b", "echo y", "--time-budget", "5"},
       "--time-budget '5'"},
      {{"--cmd-a", "echo x", "--cmd-b", "echo y", "--layuot", "x"},
       "did you mean 'layout'"},
      {{"--cmd-a", "echo x", "--cmd-b", "echo y", "--quiet", "--quiet"},
       "twice"},
      {{"--a", "groups=5", "--b", "groups=6", "--", "--record", "x"},
       "no place"},
  };
  for (const auto& [words, reason] : wrong) {
    const Result result = Ab(words);
    EXPECT_EQ(result.exit_code, 2) << reason;
    EXPECT_NE(result.err.find(reason), std::string::npos)
        << reason << ": " << result.err;
    EXPECT_EQ(result.out, "");
  }
  EXPECT_FALSE(DatabaseExists());
}

}  // namespace
}  // namespace hackbench::cli
