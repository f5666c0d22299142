// SPDX-License-Identifier: MIT
// `hackbench compare` from the outside.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "hackbench/cli_results.h"

namespace hackbench::cli {
namespace {

using Json = nlohmann::json;

class CliCompareTest : public ResultsTest {
 protected:
  void Store(const std::string& b, const std::string& tag) const {
    const Result result =
        Ab({"--cmd-a", "echo Time: 1.0", "--cmd-b", b, "--tag", tag});
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
};

TEST_F(CliCompareTest, EveryLayoutPrintsSomething) {
  Store("echo Time: 1.1", "x");
  const Result layouts = RunToEnd({"compare", "--list-layouts"});
  size_t count = 0;
  size_t begin = 0;
  while (begin < layouts.out.size()) {
    const std::string name =
        layouts.out.substr(begin, layouts.out.find(' ', begin) - begin);
    begin = layouts.out.find('\n', begin) + 1;
    const Result result = Results({"compare", "--layout", name});
    // Only this one needs arms of another kind, and says so.
    EXPECT_EQ(result.exit_code, name == "siewior-2019" ? 2 : 0)
        << name << ": " << result.err;
    EXPECT_NE(result.out.empty() && result.err.empty(), true) << name;
    ++count;
  }
  EXPECT_GE(count, 10u);
}

TEST_F(CliCompareTest, ExitCodesForScripts) {
  Store("echo Time: 1.1", "slow");
  const auto code = [&](const Argv& more) {
    Argv words = {"compare"};
    words.insert(words.end(), more.begin(), more.end());
    return Results(words).exit_code;
  };
  EXPECT_EQ(code({}), 0);
  EXPECT_EQ(code({"--fail-on", "regression"}), 1);
  EXPECT_EQ(code({"--fail-on", "undecided"}), 0);
  EXPECT_EQ(code({"--fail-on", "undecided,env,regression"}), 1);
  EXPECT_EQ(code({"--fail-on", "regresion"}), 2);
  EXPECT_EQ(code({"--margin", "20%", "--fail-on", "regression"}), 0);
}

TEST_F(CliCompareTest, BetweenResultsAndFiles) {
  Store("echo Time: 1.1", "old");
  Store("echo 'Time: 1.1'", "other");
  const Result unmatched = Results({"compare", "@old..@other"});
  // A is the same in both; B was declared as another command.
  EXPECT_EQ(unmatched.exit_code, 0) << unmatched.err;
  EXPECT_NE(unmatched.out.find("unpaired"), std::string::npos);
  const std::string database = Database();
  const Result labelled =
      Results({"compare", "before=@old", "after=" + database + ":last",
               "--layout", "json"});
  ASSERT_EQ(labelled.exit_code, 0) << labelled.err;
  EXPECT_EQ(Json::parse(labelled.out)["rows"][0]["b"], "after A");
  EXPECT_EQ(Results({"compare", "@old..@none"}).exit_code, 2);
}

TEST_F(CliCompareTest, HidingRowsDoesNotShrinkTheFamily) {
  const Result result = Ab({"--cmd-a", "echo Time: 1.0", "--cmd-b",
                            "echo Time: 1.1", "--cmd", "echo 'Time: 1.0'"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Result changed = Results({"compare", "--changed"});
  EXPECT_NE(changed.out.find("1 unchanged rows hidden"), std::string::npos)
      << changed.out;
  EXPECT_NE(changed.out.find("family: 2 tests"), std::string::npos);
}

TEST_F(CliCompareTest, ExplainsAndRefuses) {
  Store("echo Time: 1.1", "x");
  EXPECT_NE(Results({"compare", "--explain"}).out.find("relabelling"),
            std::string::npos);
  for (const Argv& wrong :
       {Argv{"compare", "--layout", "mmtest"}, Argv{"compare", "--metric", "x"},
        Argv{"compare", "--adjust", "bonferroni"},
        Argv{"compare", "--alpha", "2"}, Argv{"compare", "nosuch"}}) {
    EXPECT_EQ(Results(wrong).exit_code, 2) << wrong.back();
  }
}

}  // namespace
}  // namespace hackbench::cli
