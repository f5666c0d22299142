// SPDX-License-Identifier: MIT
// `hackbench env` from the outside, and help for every command of results.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "hackbench/cli_results.h"

namespace hackbench::cli {
namespace {

using Json = nlohmann::json;

class CliEnvTest : public ResultsTest {};

TEST_F(CliEnvTest, EveryFieldHasAValueOrAReason) {
  const Result result = RunToEnd({"env", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_GT(json.size(), 100u);
  for (const auto& [name, field] : json.items()) {
    EXPECT_FALSE(field["source"].get<std::string>().empty()) << name;
  }
  EXPECT_FALSE(json["kernel.hz"]["value"].is_null());
}

TEST_F(CliEnvTest, AMachineThatTellsNothingIsNoCrash) {
  const std::string root = File("root");
  std::filesystem::create_directory(root);
  const Result result = RunToEnd({"env", "--root", root});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_GT(CountLines(result.out, "unknown ("), 50u);
  EXPECT_EQ(CountLines(result.out, "resolution of CLOCK_MONOTONIC_COARSE"), 1u);
  EXPECT_NE(RunToEnd({"env", "--check", "--root", root}).exit_code, 2);
}

TEST_F(CliEnvTest, DiffAgainstAResult) {
  ASSERT_EQ(Ab({"--cmd-a", "echo Time: 1.0", "--cmd-b", "echo Time: 1.1",
                "--blocks", "1", "--max-blocks", "1"})
                .exit_code,
            0);
  EXPECT_EQ(Results({"env", "--diff", "last"}).out, "no difference\n");
  EXPECT_EQ(Results({"env", "--diff", "@none"}).exit_code, 2);
}

TEST_F(CliEnvTest, RedactLeavesOutWhatNamesTheMachine) {
  const Json json = Json::parse(RunToEnd({"env", "--json", "--redact"}).out);
  for (const char* const name : {"kernel.cmdline", "kernel.boot_id", "host"}) {
    EXPECT_TRUE(json[name]["value"].is_null()) << name;
  }
}

TEST_F(CliEnvTest, EveryCommandHasHelpAndRefusesWhatItDoesNotKnow) {
  for (const char* const command :
       {"ab", "sweep", "compare", "list", "show", "tag", "gc", "merge",
        "export", "import", "env"}) {
    const Result help = RunToEnd({command, "--help"});
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_TRUE(help.out.starts_with("usage: hackbench ")) << help.out;
    const Result wrong = RunToEnd({command, "--no-such-option"});
    EXPECT_EQ(wrong.exit_code, 2) << command;
    EXPECT_NE(wrong.err.find("--no-such-option"), std::string::npos);
  }
}

}  // namespace
}  // namespace hackbench::cli
