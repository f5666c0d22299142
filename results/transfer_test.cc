// SPDX-License-Identifier: MIT
#include "results/transfer.h"

#include <gtest/gtest.h>

#include <sstream>

#include "results/random.h"
#include "results/status_text.h"
#include "results/test_directory.h"
#include "results/test_store.h"

namespace hackbench::results {
namespace {

class TransferTest : public testing::Test {
 protected:
  Store Open(const std::string& name) const {
    absl::StatusOr<Store> store =
        Store::Open(directory_.File(name), Store::Access::kWrite);
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }
  static std::string Export(Store& store, const std::string& exp_id = "") {
    std::string text;
    EXPECT_TRUE(ExportJsonLines(store, exp_id, [&](std::string_view line) {
                  text += line;
                  return absl::OkStatus();
                }).ok());
    return text;
  }
  static absl::StatusOr<TransferCounts> Import(Store& store,
                                               const std::string& text) {
    std::istringstream in(text);
    return ImportJsonLines(store, in);
  }
  TestDirectory directory_;
};

TEST_F(TransferTest, TheRoundTripLosesNothing) {
  Store from = Open("from.db");
  FillStore(from, {.blocks = 3, .planned = 2, .ratio = 1.0 / 3});
  const std::string second = FillStore(from, {.blocks = 1, .arms = 3});
  ASSERT_TRUE(from.AddTag("base", second).ok());
  ASSERT_TRUE(from.AddFinish(second, 0, "done", "B \"faster\"\n").ok());
  Store to = Open("to.db");
  const auto counts = Import(to, Export(from));
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(counts->present, 0);
  EXPECT_EQ(DumpOf(to), DumpOf(from));
  // Again changes nothing.
  const auto again = Import(to, Export(from));
  EXPECT_EQ(again->added, 0);
  EXPECT_EQ(DumpOf(to), DumpOf(from));
}

TEST_F(TransferTest, OneExperimentTakesWhatItRefersTo) {
  Store from = Open("from.db");
  FillStore(from, {.blocks = 1});
  const std::string id = FillStore(from, {.blocks = 2});
  Store to = Open("to.db");
  const auto counts = Import(to, Export(from, id));
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_EQ(to.List()->size(), 1u);
  EXPECT_EQ(Export(to, id), Export(from, id));
}

TEST_F(TransferTest, MergingIsIdempotentAndOrderDoesNotMatter) {
  Store a = Open("a.db");
  Store b = Open("b.db");
  FillStore(a, {.blocks = 2});
  FillStore(b, {.blocks = 3});
  Store ab = Open("ab.db");
  Store ba = Open("ba.db");
  for (const char* const name : {"a.db", "b.db", "a.db"}) {
    const auto counts = Merge(ab, directory_.File(name));
    ASSERT_TRUE(counts.ok()) << counts.status();
  }
  for (const char* const name : {"b.db", "a.db"}) {
    ASSERT_TRUE(Merge(ba, directory_.File(name)).ok());
  }
  EXPECT_EQ(DumpOf(ab), DumpOf(ba));
  EXPECT_EQ(Merge(ab, directory_.File("b.db"))->added, 0);
}

TEST_F(TransferTest, AContradictionStopsTheWholeMerge) {
  Store a = Open("a.db");
  const std::string id = FillStore(a, {.blocks = 1});
  Store b = Open("b.db");
  ASSERT_TRUE(Merge(b, directory_.File("a.db")).ok());
  FillStore(b, {.blocks = 1});
  ASSERT_TRUE(b.database()
                  .Run("UPDATE sample SET value = 99 WHERE run_id IN (SELECT "
                       "run_id FROM run WHERE exp_id = ?)",
                       {id})
                  .ok());
  const std::string before = DumpOf(a);
  const auto counts = Merge(a, directory_.File("b.db"));
  EXPECT_EQ(counts.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(DumpOf(a), before);
}

TEST_F(TransferTest, ABadLineImportsNothingAndIsNamed) {
  Store from = Open("from.db");
  FillStore(from, {.blocks = 1});
  const std::string good = Export(from);
  const std::vector<std::pair<std::string, std::string>> bad = {
      {good + "{\n", "line 21"},
      {good + "{\"table\":\"sqlite_schema\",\"row\":{}}\n", "no table"},
      {good + "{\"table\":\"host\",\"row\":{\"host_id\":\"x\"}}\n", "lacks"},
      {good + "{\"table\":\"host\",\"row\":{\"host_id\":\"x\",\"label\":\"y\","
              "\"z\":1}}\n",
       "too many"},
      {good + "{\"table\":\"host\",\"row\":{\"host_id\":\"x\",\"label\":[]}}\n",
       "neither text nor number"},
      {good + "{\"table\":\"tag\",\"row\":{\"name\":\"t\",\"moved_ns\":\"no\","
              "\"exp_id\":\"e\"}}\n",
       "tag"},
      {"{\"schema\":\"other/1\"}\n", "schema"},
      {"", "empty"},
  };
  for (const auto& [text, reason] : bad) {
    Store to = Open("to.db");
    const auto counts = Import(to, text);
    ASSERT_FALSE(counts.ok()) << text;
    EXPECT_NE(Message(counts.status()).find(reason), std::string::npos)
        << counts.status();
    EXPECT_EQ(to.List()->size(), 0u);
  }
}

// Whatever bytes come in: an error or a store that is whole, never a crash.
TEST_F(TransferTest, DamagedImportsAreRefused) {
  Store from = Open("from.db");
  FillStore(from, {.blocks = 1});
  const std::string good = Export(from);
  Random random(11);
  for (int i = 0; i < 200; ++i) {
    std::string text = good;
    for (int edits = 0; edits < 3; ++edits) {
      const size_t at = random.Below(text.size());
      switch (random.Below(3)) {
        case 0:
          text[at] = static_cast<char>(random.Below(256));
          break;
        case 1:
          text.erase(at, random.Below(20));
          break;
        default:
          text.insert(at, text.substr(random.Below(text.size()), 15));
      }
      if (text.empty()) text.assign(1, ' ');
    }
    Store to = Open(std::string("to").append(1, '0' + i % 4) + ".db");
    Import(to, text).status().IgnoreError();
    ASSERT_EQ(*to.database().SelectText("PRAGMA integrity_check"), "ok");
  }
}

TEST_F(TransferTest, RemovingTakesTheWholeExperimentAndNoOther) {
  Store store = Open("a.db");
  FillStore(store, {.blocks = 2});
  const std::string before = DumpOf(store);
  const std::string id = FillStore(store, {.blocks = 2});
  ASSERT_TRUE(store.AddTag("gone", id).ok());
  ASSERT_TRUE(Remove(store, id).ok());
  EXPECT_EQ(DumpOf(store), before);
}

}  // namespace
}  // namespace hackbench::results
