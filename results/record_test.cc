// SPDX-License-Identifier: MIT
#include "results/record.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace hackbench::results {
namespace {

using nlohmann::json;

std::string Read(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class RecordFileTest : public testing::Test {
 protected:
  RecordFileTest() : directory_(testing::TempDir() + "/record_test_XXXXXX") {
    EXPECT_NE(mkdtemp(directory_.data()), nullptr);
    path_ = directory_ + "/run.json";
  }
  ~RecordFileTest() override { std::filesystem::remove_all(directory_); }

  size_t Entries() const {
    return static_cast<size_t>(
        std::distance(std::filesystem::directory_iterator(directory_), {}));
  }

  std::string directory_;
  std::string path_;
};

TEST(RecordTest, IsOneLineOfJson) {
  Record record;
  record.message = "two\nlines and a bad byte \xff";
  record.timings = {.total_ns = 5};
  const std::string line = ToJsonLine(record);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const json parsed = json::parse(line);
  EXPECT_EQ(parsed["schema"], "hackbench.run/1");
  EXPECT_EQ(parsed["timings_ns"]["total"], 5);
  EXPECT_TRUE(parsed["config"]["nice"].is_null());
}

TEST(RecordTest, AFailedRunHasNoTimes) {
  Record record;
  record.status = "failed";
  EXPECT_FALSE(json::parse(ToJsonLine(record)).contains("timings_ns"));
}

TEST_F(RecordFileTest, OpeningWritesNothing) {
  RecordFile file;
  EXPECT_TRUE(file.Open(path_).ok());
  EXPECT_EQ(Entries(), 0u);
}

TEST_F(RecordFileTest, EachRecordIsALineAndNothingElseIsLeft) {
  RecordFile file;
  ASSERT_TRUE(file.Open(path_).ok());
  Record record;
  for (record.index = 0; record.index < 3; ++record.index) {
    ASSERT_TRUE(file.Append(record).ok());
  }
  std::istringstream lines(Read(path_));
  int64_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_EQ(json::parse(line)["index"], count);
  }
  EXPECT_EQ(count, 3);
  EXPECT_EQ(Entries(), 1u);
}

TEST_F(RecordFileTest, ReplacesWhatWasThereOnlyWithACompleteRecord) {
  std::ofstream(path_) << "old\n";
  RecordFile file;
  ASSERT_TRUE(file.Open(path_).ok());
  EXPECT_EQ(Read(path_), "old\n");
  ASSERT_TRUE(file.Append(Record{}).ok());
  EXPECT_EQ(Read(path_), ToJsonLine(Record{}));
}

TEST_F(RecordFileTest, RefusesADirectoryThatIsNotThere) {
  RecordFile file;
  const absl::Status status = file.Open(directory_ + "/none/run.json");
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("none/run.json"), std::string::npos);
}

TEST_F(RecordFileTest, WritesToADeviceDirectly) {
  RecordFile file;
  ASSERT_TRUE(file.Open("/dev/full").ok());
  EXPECT_FALSE(file.Append(Record{}).ok());
}

}  // namespace
}  // namespace hackbench::results
