// SPDX-License-Identifier: MIT
#include "results/store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <sstream>

#include "results/schema.h"
#include "results/status_text.h"
#include "results/test_directory.h"
#include "results/test_store.h"
#include "results/transfer.h"

namespace hackbench::results {
namespace {

class StoreTest : public testing::Test {
 protected:
  std::string path() const { return directory_.File("results.db"); }
  Store Open(Store::Access access = Store::Access::kWrite) const {
    absl::StatusOr<Store> store = Store::Open(path(), access);
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }
  static bool Says(const absl::Status& status, const std::string& text) {
    return Message(status).find(text) != std::string::npos;
  }
  TestDirectory directory_;
};

TEST_F(StoreTest, WhatIsAddedIsThereAfterReopening) {
  std::string id;
  {
    Store store = Open();
    id = FillStore(store, {.blocks = 3});
  }
  Store store = Open(Store::Access::kRead);
  EXPECT_EQ(*store.Resolve("last"), id);
  EXPECT_EQ(*store.Resolve(id.substr(0, 12)), id);
  EXPECT_EQ(store.Slots(id)->size(), 12u);
  EXPECT_EQ(store.Runs(id)->size(), 12u);
  EXPECT_EQ(store.Samples(id, "time")->size(), 12u);
  const auto list = store.List();
  ASSERT_TRUE(list.ok()) << list.status();
  ASSERT_EQ(list->size(), 1u);
  EXPECT_EQ((*list)[0].ok, 12);
  EXPECT_EQ((*list)[0].pending, 0);
  EXPECT_FALSE((*list)[0].finished);
}

TEST_F(StoreTest, IsDurable) {
  Store store = Open();
  EXPECT_EQ(*store.database().SelectText("PRAGMA journal_mode"), "wal");
  constexpr int kFull = 2;
  EXPECT_EQ(*store.database().SelectInt("PRAGMA synchronous"), kFull);
  EXPECT_EQ(*store.database().SelectInt("PRAGMA foreign_keys"), 1);
}

TEST_F(StoreTest, ReferencesAreStrict) {
  Store store = Open();
  EXPECT_FALSE(store.Resolve("last").ok());
  const std::string first = FillStore(store, {.created_ns = 1000});
  const std::string second = FillStore(store, {.created_ns = 2000});
  EXPECT_EQ(*store.Resolve("last"), second);
  EXPECT_EQ(*store.Resolve("last~1"), first);
  for (const char* const bad :
       {"last~2", "last~", "last~x", "@none", "", "ZZ"}) {
    EXPECT_FALSE(store.Resolve(bad).ok()) << bad;
  }
  EXPECT_TRUE(Says(store.Resolve("0").status(), "more than one"));
  ASSERT_TRUE(store.AddTag("base", first).ok());
  EXPECT_EQ(*store.Resolve("@base"), first);
  ASSERT_TRUE(store.AddTag("base", second).ok());
  EXPECT_EQ(*store.Resolve("@base"), second);
  // The history of moves stays.
  EXPECT_EQ(*store.database().SelectInt("SELECT count(*) FROM tag"), 2);
}

TEST_F(StoreTest, OnlyTheLastRoundOfABlockCounts) {
  Store store = Open();
  const std::string id = FillStore(store, {.blocks = 2});
  // Block 0 is begun again and cut after one launch.
  ASSERT_TRUE(AddTestRun(store, id, 0, {.round = 1, .value = 9}).ok());
  const auto runs = store.Runs(id);
  int counting = 0;
  for (const RunRow& run : *runs) counting += run.superseded ? 0 : 1;
  EXPECT_EQ(runs->size(), 9u);
  EXPECT_EQ(counting, 4 + 1);
}

TEST_F(StoreTest, ARetriedLaunchIsKeptAndDoesNotCount) {
  Store store = Open();
  const std::string id = FillStore(store, {.blocks = 1});
  ASSERT_TRUE(AddTestRun(store, id, 0, {.attempt = 1, .value = 9}).ok());
  int superseded = 0;
  const auto runs = store.Runs(id);
  for (const RunRow& run : *runs) superseded += run.superseded;
  EXPECT_EQ(superseded, 1);
}

TEST_F(StoreTest, ALaunchIsStoredWholeOrNotAtAll) {
  Store store = Open();
  const std::string id = FillStore(store, {.blocks = 1});
  StoredRun run = TestRun(id, 0, {.attempt = 1});
  run.samples.push_back(run.samples[0]);  // The same key twice.
  EXPECT_FALSE(store.AddRun(run).ok());
  EXPECT_EQ(store.Runs(id)->size(), 4u);
  // Nor does a slot that was never planned get one.
  EXPECT_FALSE(AddTestRun(store, id, 999, {}).ok());
}

TEST_F(StoreTest, RefusesWhatIsNotOurs) {
  {
    absl::StatusOr<Sqlite> other = Sqlite::Open(path(), Sqlite::Mode::kCreate);
    ASSERT_TRUE(other->Run("CREATE TABLE cookies (name TEXT)").ok());
  }
  const std::string before = directory_.Read("results.db");
  for (const auto access : {Store::Access::kRead, Store::Access::kWrite}) {
    EXPECT_TRUE(
        Says(Store::Open(path(), access).status(), "of another program"));
  }
  EXPECT_EQ(directory_.Read("results.db"), before);
}

TEST_F(StoreTest, RefusesADamagedFileAndLeavesItAlone) {
  directory_.Write("results.db",
                   "this is a text file, and not a short one.\n"
                   "It has more than the sixteen bytes of a "
                   "header, and none of them is right.\n");
  const std::string before = directory_.Read("results.db");
  const absl::Status status =
      Store::Open(path(), Store::Access::kWrite).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(Says(status, ".recover")) << status;
  EXPECT_EQ(directory_.Read("results.db"), before);
}

TEST_F(StoreTest, FindsDamageThatACrashLeft) {
  {
    Store store = Open();
    FillStore(store, {.blocks = 6});
    ASSERT_TRUE(store.database().Run("PRAGMA wal_checkpoint(TRUNCATE)").ok());
  }
  std::string bytes = directory_.Read("results.db");
  ASSERT_GT(bytes.size(), 40000u);
  // Pages in the middle; the header stays right. A log beside it says that the
  // last owner did not close it.
  for (size_t i = 8192; i < 36000; ++i) bytes[i] = 'x';
  directory_.Write("results.db", bytes);
  directory_.Write("results.db-wal", "left");
  const absl::Status status =
      Store::Open(path(), Store::Access::kWrite).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
}

TEST_F(StoreTest, ANewerFileCanBeReadOnly) {
  std::string id;
  {
    Store store = Open();
    id = FillStore(store, {});
    ASSERT_TRUE(store.database().Run("PRAGMA user_version = 99").ok());
  }
  EXPECT_TRUE(Says(Store::Open(path(), Store::Access::kWrite).status(),
                   "newer hackbench"));
  Store store = Open(Store::Access::kRead);
  EXPECT_EQ(store.warnings().size(), 1u);
  EXPECT_EQ(*store.Resolve("last"), id);
}

TEST_F(StoreTest, AnOlderFileIsMigratedStepByStepAfterABackup) {
  constexpr std::array<std::string_view, 1> kOld = {"CREATE TABLE t (x)"};
  constexpr std::array<std::string_view, 3> kNew = {
      "CREATE TABLE t (x)", "ALTER TABLE t ADD COLUMN y",
      "ALTER TABLE t ADD COLUMN z"};
  absl::StatusOr<Sqlite> database = Sqlite::Open(path(), Sqlite::Mode::kCreate);
  ASSERT_TRUE(Migrate(*database, kOld).ok());
  ASSERT_TRUE(database->Run("INSERT INTO t VALUES (7)").ok());
  ASSERT_EQ(*LookAtSchema(*database, kNew), SchemaState::kOlder);
  ASSERT_TRUE(Migrate(*database, kNew).ok());
  EXPECT_EQ(*LookAtSchema(*database, kNew), SchemaState::kCurrent);
  EXPECT_EQ(*database->SelectInt("SELECT x FROM t WHERE z IS NULL"), 7);
  absl::StatusOr<Sqlite> backup =
      Sqlite::Open(path() + ".v1.backup", Sqlite::Mode::kReadOnly);
  ASSERT_TRUE(backup.ok()) << backup.status();
  EXPECT_EQ(*backup->SelectInt("SELECT x FROM t"), 7);
  EXPECT_EQ(*backup->SelectInt("PRAGMA user_version"), 1);

  // A step that fails leaves the version before it.
  constexpr std::array<std::string_view, 4> kBad = {kNew[0], kNew[1], kNew[2],
                                                    "CREATE TABLE t (again)"};
  EXPECT_FALSE(Migrate(*database, kBad).ok());
  EXPECT_EQ(*database->SelectInt("PRAGMA user_version"), 3);
}

TEST_F(StoreTest, NothingIsLostWhenTheFileMayNotGrow) {
  // In a process of its own: a limit cannot be raised again.
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    absl::StatusOr<Store> store = Store::Open(path(), Store::Access::kWrite);
    if (!store.ok()) _exit(2);
    const std::string id = FillStore(*store, {.blocks = 2});
    struct stat log {};
    if (stat((path() + "-wal").c_str(), &log) != 0) _exit(5);
    const rlim_t room = static_cast<rlim_t>(log.st_size) + 100'000;
    const rlimit limit{.rlim_cur = room, .rlim_max = room};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(3);
    absl::Status status;
    for (int attempt = 1; status.ok() && attempt < 10000; ++attempt) {
      status = AddTestRun(*store, id, 0, {.attempt = attempt});
    }
    _exit(status.code() == absl::StatusCode::kResourceExhausted &&
                  Says(status, "stored before is safe")
              ? 0
              : 4);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  Store store = Open();
  EXPECT_EQ(*store.database().SelectText("PRAGMA integrity_check"), "ok");
  const auto runs = store.Runs(*store.Resolve("last"));
  ASSERT_TRUE(runs.ok());
  // All slots, and every attempt up to the one that failed, none half.
  EXPECT_GT(runs->size(), 8u);
  EXPECT_EQ(*store.database().SelectInt("SELECT count(*) FROM run WHERE "
                                        "run_id NOT IN (SELECT run_id FROM "
                                        "sample)"),
            0);
}

TEST_F(StoreTest, AKilledWriterLosesNothingThatWasAcknowledged) {
  for (int round = 0; round < 5; ++round) {
    int acknowledged[2];
    ASSERT_EQ(pipe(acknowledged), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      absl::StatusOr<Store> store = Store::Open(path(), Store::Access::kWrite);
      if (!store.ok()) _exit(2);
      const std::string id = FillStore(*store, {.blocks = 0, .planned = 1});
      for (int64_t i = 0;; ++i) {
        if (!AddTestRun(*store, id, 0, {.attempt = i}).ok()) _exit(3);
        if (write(acknowledged[1], "x", 1) != 1) _exit(4);
      }
    }
    close(acknowledged[1]);
    char byte = 0;
    for (int i = 0; i < 5 + 7 * round; ++i) {
      ASSERT_EQ(read(acknowledged[0], &byte, 1), 1);
    }
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    int64_t told = 5 + 7 * round;
    while (read(acknowledged[0], &byte, 1) == 1) ++told;
    close(acknowledged[0]);
    Store store = Open();
    const auto runs = store.Runs(*store.Resolve("last"));
    EXPECT_GE(static_cast<int64_t>(runs->size()), told);
    EXPECT_EQ(*store.database().SelectText("PRAGMA integrity_check"), "ok");
  }
}

}  // namespace
}  // namespace hackbench::results
