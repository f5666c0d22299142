// SPDX-License-Identifier: MIT
// The same command, the same lines: ours beside the programs it stands in for,
// where they are installed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <sstream>

#include "hackbench/cli_runner.h"

namespace hackbench::cli {
namespace {

// The first `name` of PATH, or "".
std::string FindProgram(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream directories(path == nullptr ? "" : path);
  for (std::string directory; std::getline(directories, directory, ':');) {
    const std::string file = directory + "/" + name;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

// `program` when `words` make it print something that starts with `start`: a
// name in PATH alone may be a wrapper of something that is not installed.
std::string FindPeer(const std::string& name, const std::string& words,
                     const std::string& start) {
  const std::string program = FindProgram(name);
  if (!program.empty() &&
      RunToEnd(Split(words), {.program = program}).out.starts_with(start)) {
    return program;
  }
  std::cout << "no " << name << " that prints '" << start
            << "' was found; nothing to compare with\n";
  return "";
}

void ExpectSameLines(const std::string& peer, const std::string& peer_words,
                     const std::string& our_words) {
  SCOPED_TRACE(our_words);
  const Result theirs = RunToEnd(Split(peer_words), {.program = peer});
  const Result ours = RunToEnd(Split(our_words));
  EXPECT_EQ(Mask(ours.out), Mask(theirs.out));
  EXPECT_EQ(ours.err, theirs.err);
  EXPECT_EQ(ours.exit_code, theirs.exit_code);
}

TEST(CliParityTest, LinesAreThoseOfRtTests) {
  const std::string peer = FindPeer("hackbench", "-h", "hackbench V ");
  if (peer.empty()) return;
  for (const std::string words :
       {"", "-g 1 -l 1", "-g 2 -f 3 -l 4 -s 5", "-T -g 1 -f 3 -l 4",
        "-p -g 1 -f 1 -l 1", "-pTl 4 -g 1", "-P -g 1 -f 2 -l 2",
        "--process -g 1 -l 1", "--thread --pip -g 1 --datasize=8",
        "-g 3 -l 3 -g 1", "-f 1 -g 100 -l 10"}) {
    ExpectSameLines(peer, words, words);
  }
}

TEST(CliParityTest, LinesAreThoseOfPerf) {
  const std::string peer =
      FindPeer("perf", "bench sched messaging -t -g 1 -l 1", "# Running");
  if (peer.empty()) return;
  for (const std::string words :
       {"sched messaging -g 1 -l 1", "sched messaging -t -g 2 -l 1",
        "sched messaging -p -g 1 -l 1", "sched messaging -pt -g 1 -l 1",
        "sched messaging --pipe --thread --group 1 --nr_loops 2",
        "--format=simple sched messaging -g 1 -l 1",
        "--format=default sched messaging -t -g 1 -l 1",
        "-f simple sched messaging -t -g 1 -l 1"}) {
    ExpectSameLines(peer, "bench " + words, words);
  }
}

}  // namespace
}  // namespace hackbench::cli
