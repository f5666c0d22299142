// SPDX-License-Identifier: MIT
// A result that cannot be delivered is an error, and a missing standard
// descriptor never becomes a channel of messages.
#include <gtest/gtest.h>

#include <fstream>

#include "hackbench/cli_runner.h"

namespace hackbench::cli {
namespace {

constexpr char kLines[] =
    "Running in process mode with 1 groups using 4 file descriptors each (== 4 "
    "tasks)\nEach sender will pass 2 messages of 100 bytes\nTime: T\n";
constexpr char kClosed[] =
    "hackbench: stdout is closed, so the result would be lost\n";

// The peers give the numbers of closed descriptors to their channels.
TEST(CliStdioTest, ClosedDescriptorsAreNeverChannels) {
  for (const std::string transport : {"socketpair", "pipe", "tcp", "fifo"}) {
    for (int mask = 0; mask < 8; ++mask) {
      RunSetup setup;
      for (int fd = 0; fd < 3; ++fd) {
        if ((mask >> fd & 1) != 0) setup.closed.insert(fd);
      }
      SCOPED_TRACE(transport +
                   ", closed: " + testing::PrintToString(setup.closed));
      const Result result =
          RunToEnd(Split("-g 1 -f 2 -l 2 --transport " + transport), setup);
      const bool stdout_closed = setup.closed.contains(1);
      EXPECT_EQ(Mask(result.out), stdout_closed ? "" : kLines);
      EXPECT_EQ(result.err,
                stdout_closed && !setup.closed.contains(2) ? kClosed : "");
      EXPECT_EQ(result.exit_code, stdout_closed ? 1 : 0);
    }
  }
}

TEST(CliStdioTest, ClosedStdoutIsRefusedInEveryGrammar) {
  const RunSetup setup{.closed = {1}};
  for (const std::string words :
       {"1 process 1", "-T -g 1 -l 1", "sched messaging -g 1 -l 1",
        "--format=simple sched messaging -g 1 -l 1"}) {
    SCOPED_TRACE(words);
    const Result result = RunToEnd(Split(words), setup);
    EXPECT_TRUE(result.err.starts_with("hackbench: stdout is closed"))
        << result.err;
    EXPECT_EQ(result.exit_code, 1);
  }
}

void ExpectLost(const Argv& words, const RunSetup& setup,
                const std::string& reason) {
  SCOPED_TRACE(testing::PrintToString(words));
  const Result result = RunToEnd(words, setup);
  EXPECT_EQ(result.err, "hackbench: stdout: " + reason + "\n");
  EXPECT_EQ(result.exit_code, 1);
}

TEST(CliStdioTest, FullDiskIsAnError) {
  for (const std::string words :
       {"-g 1 -l 1", "1 thread 1", "sched messaging -g 1 -l 1",
        "--format=simple sched messaging -g 1 -l 1", "--help", "help",
        "--version", "--list transports"}) {
    ExpectLost(Split(words), {.stdout_path = "/dev/full"},
               "No space left on device");
  }
}

// As `hackbench | head -0`; also before the signals of a run are set up.
TEST(CliStdioTest, ReaderThatIsGoneIsAnError) {
  for (const std::string words :
       {"-g 1 -l 1", "1 thread 1", "sched messaging -g 1 -l 1",
        "--format=simple sched messaging -g 1 -l 1", "--help"}) {
    ExpectLost(Split(words), {.reader_is_gone = true}, "Broken pipe");
  }
}

TEST(CliStdioTest, ResultGoesToAFileToo) {
  const TempDirectory directory;
  const std::string path = directory.File("out");
  std::ofstream{path};
  const Result result =
      RunToEnd(Split("-g 1 -f 2 -l 2"), {.stdout_path = path});
  EXPECT_EQ(Mask(ReadFile(path)), kLines);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.exit_code, 0);
}

}  // namespace
}  // namespace hackbench::cli
