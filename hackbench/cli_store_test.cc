// SPDX-License-Identifier: MIT
// `hackbench list`, `show`, `tag`, `gc`, `merge`, `export` and `import`, and
// files that are damaged, foreign, newer, read-only or full.
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "hackbench/cli_results.h"

namespace hackbench::cli {
namespace {

using Json = nlohmann::json;

class CliStoreTest : public ResultsTest {
 protected:
  Result OneExperiment(const Argv& more = {}) const {
    Argv words = {
        "--cmd-a", "echo Time: 1.0", "--cmd-b", "echo Time: 1.1", "--blocks",
        "3",       "--max-blocks",   "3"};
    words.insert(words.end(), more.begin(), more.end());
    return Ab(words);
  }
};

TEST_F(CliStoreTest, ListShowsWhatIsThere) {
  ASSERT_EQ(OneExperiment({"--tag", "base"}).exit_code, 0);
  ASSERT_EQ(OneExperiment().exit_code, 0);
  const Result list = Results({"list"});
  EXPECT_EQ(list.exit_code, 0) << list.err;
  EXPECT_EQ(CountLines(list.out, "complete"), 2u) << list.out;
  EXPECT_EQ(CountLines(list.out, "@base"), 1u);
  EXPECT_EQ(CountLines(list.out, "12/0"), 2u);
  EXPECT_EQ(CountLines(list.out, "B slower +10.0 %"), 2u) << list.out;
  EXPECT_EQ(CountLines(Results({"list", "--tag", "base"}).out, "complete"), 1u);
  EXPECT_EQ(CountLines(Results({"list", "--kind", "sweep"}).out, "complete"),
            0u);
  const Result json = Results({"list", "--json"});
  EXPECT_EQ(Json::parse(json.out.substr(0, json.out.find('\n')))["ok"], 12);
}

TEST_F(CliStoreTest, TagsNameResults) {
  ASSERT_EQ(OneExperiment().exit_code, 0);
  EXPECT_EQ(Results({"tag", "old", "last"}).exit_code, 0);
  EXPECT_EQ(Results({"show", "@old"}).exit_code, 0);
  for (const Argv& wrong : {Argv{"tag", "old"}, Argv{"tag", "a b", "last"},
                            Argv{"tag", "x", "@none"}, Argv{"show", "@none"}}) {
    EXPECT_EQ(Results(wrong).exit_code, 2) << wrong[0];
  }
}

TEST_F(CliStoreTest, ExportAndImportLoseNothing) {
  ASSERT_EQ(OneExperiment({"--tag", "base", "--note", "a \"note\""}).exit_code,
            0);
  const std::string lines = File("lines");
  ASSERT_EQ(Results({"export", "all", "--output", lines}).exit_code, 0);
  const std::string other = File("other.db");
  ASSERT_EQ(RunToEnd({"import", lines, "--db", other}).exit_code, 0);
  EXPECT_EQ(RunToEnd({"export", "all", "--db", other}).out, ReadFile(lines));
  const Result again = RunToEnd({"import", lines, "--db", other});
  EXPECT_TRUE(again.out.starts_with("0 rows added")) << again.out;
  std::ofstream(lines, std::ios::app) << "{\"torn";
  const Result torn = RunToEnd({"import", lines, "--db", File("third.db")});
  EXPECT_EQ(torn.exit_code, 2);
  EXPECT_NE(torn.err.find("nothing was imported"), std::string::npos);
}

TEST_F(CliStoreTest, GcRemovesWhatItNames) {
  ASSERT_EQ(OneExperiment({"--tag", "keep"}).exit_code, 0);
  ASSERT_EQ(OneExperiment().exit_code, 0);
  EXPECT_EQ(Results({"gc"}).exit_code, 2);
  Result result = Results({"gc", "--older-than", "0s", "--dry-run"});
  EXPECT_EQ(CountLines(result.out, "would go:"), 1u) << result.out;
  EXPECT_EQ(CountLines(Results({"list"}).out, "complete"), 2u);
  result = Results({"gc", "--older-than", "0s"});
  EXPECT_EQ(CountLines(result.out, "gone:"), 1u) << result.err;
  const Result list = Results({"list"});
  EXPECT_EQ(CountLines(list.out, "complete"), 1u);
  EXPECT_EQ(CountLines(list.out, "@keep"), 1u);
}

TEST_F(CliStoreTest, WithoutAFileThereIsAHint) {
  for (const Argv& words : {Argv{"list"}, Argv{"show"}, Argv{"compare"}}) {
    const Result result = Results(words);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("there are no results yet"), std::string::npos)
        << result.err;
  }
  EXPECT_FALSE(DatabaseExists());
}

TEST_F(CliStoreTest, ADamagedFileIsLeftAlone) {
  const std::string text(5000, 'x');
  std::ofstream(Database()) << text;
  EXPECT_EQ(OneExperiment().exit_code, 2);
  const Result result = Results({"list"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("Nothing was changed"), std::string::npos)
      << result.err;
  EXPECT_EQ(ReadFile(Database()), text);
}

TEST_F(CliStoreTest, AReadOnlyFileCanBeReadAndIsNotWritten) {
  ASSERT_EQ(OneExperiment().exit_code, 0);
  const std::string before = ReadFile(Database());
  chmod(Database().c_str(), 0444);
  chmod(File("").c_str(), 0555);
  // Root is bound by modes once it lacks this; another user might not even
  // reach the directory.
  RunSetup setup;
  if (geteuid() == 0) setup.dropped_capabilities = {CAP_DAC_OVERRIDE};
  const Result list = RunToEnd({"list", "--db", Database()}, setup);
  EXPECT_EQ(list.exit_code, 0) << list.err;
  EXPECT_EQ(CountLines(list.out, "complete"), 1u);
  const Result write =
      RunToEnd({"tag", "x", "last", "--db", Database()}, setup);
  EXPECT_EQ(write.exit_code, 2);
  EXPECT_NE(write.err.find("--db"), std::string::npos) << write.err;
  chmod(File("").c_str(), 0755);
  EXPECT_EQ(ReadFile(Database()), before);
}

TEST_F(CliStoreTest, AFileThatMayNotGrowEndsTheExperimentAndLosesNothing) {
  const Argv words = ExperimentWords(
      "ab", {"--cmd-a", "echo Time: 1.0", "--cmd-b", "echo Time: 1.1",
             "--blocks", "200", "--max-blocks", "200"});
  const Result result = RunToEnd(words, {.limits = {{RLIMIT_FSIZE, 400'000}}});
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_NE(result.err.find("what was stored before is safe"),
            std::string::npos)
      << result.err;
  const Result runs = Results({"show", "--runs"});
  EXPECT_EQ(runs.exit_code, 0) << runs.err;
  EXPECT_GT(CountLines(runs.out, "  ok  "), 0u);
}

TEST_F(CliStoreTest, AFullDiskEndsTheExperimentAndLosesNothing) {
  const std::string disk = File("disk");
  mkdir(disk.c_str(), 0755);
  if (mount("none", disk.c_str(), "tmpfs", 0, "size=512k") != 0) {
    GTEST_SKIP() << "cannot mount a small file system here";
  }
  const std::string database = disk + "/results.db";
  const Result result = RunToEnd(
      {"ab", "--db", database, "--allow-parallel", "--cmd-a", "echo Time: 1.0",
       "--cmd-b", "echo Time: 1.1", "--blocks", "300", "--max-blocks", "300"});
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_NE(result.err.find("what was stored before is safe"),
            std::string::npos)
      << result.err;
  const Result runs = RunToEnd({"show", "--runs", "--db", database});
  EXPECT_EQ(runs.exit_code, 0) << runs.err;
  EXPECT_GT(CountLines(runs.out, "  ok  "), 0u);
  umount(disk.c_str());
}

}  // namespace
}  // namespace hackbench::cli
