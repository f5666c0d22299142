// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "hackbench/transport_list.h"
#include "hackbench/unique_fd.h"

namespace hackbench {
namespace {

class TransportTest : public testing::TestWithParam<TransportEntry> {
 protected:
  static Channel MustOpen(Transport& transport) {
    Channel channel;
    const absl::Status status = transport.Open(channel);
    EXPECT_TRUE(status.ok()) << status;
    return channel;
  }
};

TEST_P(TransportTest, CarriesBytesFromWriterToReader) {
  const auto transport = GetParam().make({});
  const Channel channel = MustOpen(*transport);
  const UniqueFd reader(channel.read_fd);
  const UniqueFd writer(channel.write_fd);
  ASSERT_EQ(write(writer.get(), "hello", 5), 5);
  std::string got(5, '\0');
  ASSERT_EQ(read(reader.get(), got.data(), got.size()), 5);
  EXPECT_EQ(got, "hello");
}

TEST_P(TransportTest, DescriptorsBlock) {
  const auto transport = GetParam().make({});
  const Channel channel = MustOpen(*transport);
  const UniqueFd reader(channel.read_fd);
  const UniqueFd writer(channel.write_fd);
  EXPECT_EQ(fcntl(reader.get(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_EQ(fcntl(writer.get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST_P(TransportTest, ReaderSeesTheEndOfTheWriter) {
  const auto transport = GetParam().make({});
  const Channel channel = MustOpen(*transport);
  const UniqueFd reader(channel.read_fd);
  close(channel.write_fd);
  char byte;
  EXPECT_EQ(read(reader.get(), &byte, 1), 0);
}

TEST_P(TransportTest, AFailedOpenLeavesNoDescriptor) {
  const auto transport = GetParam().make({});
  const UniqueFd lowest_before(dup(STDERR_FILENO));
  // No room for the pair, at whichever of its calls.
  for (int room = 0; room < 2; ++room) {
    rlimit old_limit;
    getrlimit(RLIMIT_NOFILE, &old_limit);
    rlimit limit = old_limit;
    limit.rlim_cur = static_cast<rlim_t>(lowest_before.get() + 1 + room);
    setrlimit(RLIMIT_NOFILE, &limit);
    Channel channel;
    const absl::Status status = transport->Open(channel);
    setrlimit(RLIMIT_NOFILE, &old_limit);
    EXPECT_FALSE(status.ok());
    const UniqueFd lowest_after(dup(STDERR_FILENO));
    EXPECT_EQ(lowest_after.get(), lowest_before.get() + 1);
  }
}

std::vector<TransportEntry> WithDescriptors() {
  std::vector<TransportEntry> entries;
  for (const TransportEntry& entry : kTransportList) {
    if (entry.traits.has_descriptors) entries.push_back(entry);
  }
  return entries;
}

INSTANTIATE_TEST_SUITE_P(All, TransportTest,
                         testing::ValuesIn(WithDescriptors()),
                         [](const auto& entry) {
                           return std::string(entry.param.name);
                         });

TEST(TransportListTest, NamesAreUnique) {
  for (const TransportEntry& entry : kTransportList) {
    EXPECT_EQ(FindTransport(entry.name), &entry);
  }
  EXPECT_EQ(FindTransport("pidgeon"), nullptr);
}

TEST(FifoTransportTest, LeavesNothingInTheDirectory) {
  std::string directory = testing::TempDir() + "/fifo_transport_XXXXXX";
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  setenv("TMPDIR", directory.c_str(), 1);
  FifoTransport transport({});
  Channel channel;
  EXPECT_TRUE(transport.Open(channel).ok());
  EXPECT_TRUE(std::filesystem::is_empty(directory));
  unsetenv("TMPDIR");
  close(channel.read_fd);
  close(channel.write_fd);
  std::filesystem::remove(directory);
}

}  // namespace
}  // namespace hackbench
