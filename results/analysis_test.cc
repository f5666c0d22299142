// SPDX-License-Identifier: MIT
#include "results/analysis.h"

#include <gtest/gtest.h>

#include "results/status_text.h"
#include "results/test_directory.h"
#include "results/test_store.h"

namespace hackbench::results {
namespace {

class AnalysisTest : public testing::Test {
 protected:
  AnalysisTest()
      : store_(*Store::Open(directory_.File("r.db"), Store::Access::kWrite)) {}

  // Launches of one arm get another environment or configuration.
  void Change(const std::string& exp_id, int64_t arm, const std::string& column,
              const std::string& id) {
    ASSERT_TRUE(store_.database()
                    .Run("UPDATE run SET " + column +
                             " = ? WHERE exp_id = ? AND seq IN (SELECT seq "
                             "FROM slot s WHERE s.exp_id = run.exp_id AND arm "
                             "= ?)",
                         {id, exp_id, arm})
                    .ok());
  }
  Environment Other(const std::string& field, const std::string& value) {
    const auto env_id = store_.database().SelectText("SELECT env_id FROM env");
    Environment environment = *store_.LoadEnvironment(*env_id);
    environment.Add({field, value, "made up"});
    EXPECT_TRUE(store_.AddEnvironment(environment).ok());
    return environment;
  }
  Report Analyse(const std::string& exp_id, AnalysisOptions options = {}) {
    const auto report = AnalyseExperiment(store_, exp_id, options);
    EXPECT_TRUE(report.ok()) << report.status();
    return *report;
  }

  TestDirectory directory_;
  Store store_;
};

TEST_F(AnalysisTest, FindsWhatIsThere) {
  const Report report =
      Analyse(FillStore(store_, {.blocks = 6, .ratio = 1.05}));
  ASSERT_EQ(report.rows.size(), 1u);
  const ComparisonRow& row = report.rows[0];
  EXPECT_NEAR(row.result.effect, 0.05, 0.002);
  EXPECT_EQ(row.result.verdict, Verdict::kSlower);
  EXPECT_TRUE(row.result.paired);
  EXPECT_EQ(row.result.a.n, 12u);
  EXPECT_TRUE(row.confounded.empty()) << row.confounded[0];
}

TEST_F(AnalysisTest, AnUndeclaredChangeOfTheEnvironmentIsReported) {
  const std::string id = FillStore(store_, {.blocks = 6});
  Change(id, 1, "env_id", Other("cpu.microcode", "0x42").Id());
  const Report report = Analyse(id);
  ASSERT_EQ(report.rows[0].confounded.size(), 1u);
  EXPECT_EQ(report.rows[0].confounded[0], "cpu.microcode: - / 0x42");
}

TEST_F(AnalysisTest, AnUndeclaredChangeOfTheConfigurationIsReported) {
  const std::string id = FillStore(store_, {.blocks = 6});
  // "lock" is what the arms declare; "fds" is not.
  ASSERT_TRUE(store_.database()
                  .Run("INSERT INTO config VALUES ('c2', '{\"groups\":10,"
                       "\"lock\":\"mcs\",\"fds\":7,\"tasks\":9}')",
                       {})
                  .ok());
  Change(id, 1, "config_id", "c2");
  const Report report = Analyse(id);
  ASSERT_EQ(report.rows[0].confounded.size(), 1u);
  EXPECT_EQ(report.rows[0].confounded[0], "fds: - / 7");
}

TEST_F(AnalysisTest, WhatFollowsFromADeclaredSettingIsNone) {
  const std::string id = FillStore(store_, {.blocks = 6});
  // The arms declare a lock: B runs in the user plane, with all it has. That
  // it verifies its messages besides was not asked for.
  ASSERT_TRUE(store_.database()
                  .Run("INSERT INTO config VALUES ('c2', '{\"groups\":10,"
                       "\"lock\":\"mcs\",\"plane\":\"user\",\"alloc\":\"best\","
                       "\"alloc_engine\":\"best\",\"verify\":\"message\"}')",
                       {})
                  .ok());
  Change(id, 1, "config_id", "c2");
  const Report report = Analyse(id);
  ASSERT_EQ(report.rows[0].confounded.size(), 1u);
  EXPECT_EQ(report.rows[0].confounded[0], "verify: - / message");
}

TEST_F(AnalysisTest, TheFamilyIsEveryRow) {
  const std::string id = FillStore(store_, {.blocks = 6, .arms = 4});
  const Report report = Analyse(id);
  ASSERT_EQ(report.rows.size(), 3u);
  EXPECT_EQ(report.rows[0].result.family, 3u);
  EXPECT_EQ(report.footnotes.back(), "family: 3 tests, adjusted by Holm");
  EXPECT_EQ(Analyse(FillStore(store_, {.blocks = 6, .kind = "sweep"})).adjust,
            Adjust::kBenjaminiHochberg);
}

TEST_F(AnalysisTest, AcrossResultsTheRowIsUnpaired) {
  const std::string base = FillStore(store_, {.blocks = 6});
  const std::string next = FillStore(store_, {.blocks = 6, .ratio = 1.1});
  const auto report =
      AnalyseSides({{&store_, base, "base"}, {&store_, next, "next"}}, {});
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->rows.size(), 2u);  // A against A, B against B.
  EXPECT_EQ(report->rows[0].b, "next A");
  EXPECT_EQ(report->rows[0].result.verdict, Verdict::kSame);
  EXPECT_EQ(report->rows[1].result.verdict, Verdict::kSlower);
  EXPECT_FALSE(report->rows[1].result.paired);
  EXPECT_TRUE(report->rows[1].notes[0].starts_with("unpaired"));
}

// Twenty launches in one boot of each kernel are two observations, not forty.
TEST_F(AnalysisTest, DifferentKernelsAreComparedByBoots) {
  const std::string base = FillStore(store_, {.blocks = 6});
  const std::string next = FillStore(store_, {.blocks = 6, .ratio = 1.1});
  const Environment other = Other("kernel.release", "6.2.0");
  Change(next, 0, "env_id", other.Id());
  Change(next, 1, "env_id", other.Id());
  const auto report =
      AnalyseSides({{&store_, base, "base"}, {&store_, next, "next"}}, {});
  ASSERT_TRUE(report.ok()) << report.status();
  const Comparison& row = report->rows[1].result;
  EXPECT_EQ(row.verdict, Verdict::kUndecided);
  EXPECT_TRUE(row.why_none.find("boots") != std::string::npos) << row.why_none;
}

TEST_F(AnalysisTest, FailuresAndRetriesAreCounted) {
  const std::string id = FillStore(store_, {.blocks = 6});
  int64_t seq_of_b = -1;
  const auto slots = store_.Slots(id);
  for (const StoredSlot& slot : *slots) {
    if (slot.arm == 1) seq_of_b = slot.seq;
  }
  ASSERT_TRUE(
      AddTestRun(store_, id, seq_of_b, {.attempt = -1, .status = "failed"})
          .ok());
  const Report report = Analyse(id);
  EXPECT_EQ(report.rows[0].failed_a, 0);
  EXPECT_EQ(report.rows[0].failed_b, 1);
  EXPECT_EQ(report.rows[0].launches_b, 13);
  bool warned = false;
  for (const std::string& note : report.rows[0].notes) {
    warned |= note.starts_with("fail:runs 0:12 against 1:13");
  }
  EXPECT_TRUE(warned);
}

TEST_F(AnalysisTest, UnknownMetricsAndEmptyResultsAreSaid) {
  const std::string id = FillStore(store_, {.blocks = 6});
  AnalysisOptions rate;
  rate.metrics = {"rate"};
  const auto unknown = AnalyseExperiment(store_, id, rate);
  EXPECT_NE(Message(unknown.status()).find("there are: time"),
            std::string::npos);
  const std::string empty = FillStore(store_, {.blocks = 0, .planned = 2});
  EXPECT_FALSE(AnalyseExperiment(store_, empty, {}).ok());
}

TEST_F(AnalysisTest, ExplainsInWords) {
  const Report report = Analyse(FillStore(store_, {.blocks = 6}));
  const std::string text = Explain(report.rows[0], report);
  EXPECT_NE(text.find("6 blocks"), std::string::npos);
  EXPECT_NE(text.find("verdict: same"), std::string::npos) << text;
}

}  // namespace
}  // namespace hackbench::results
