// SPDX-License-Identifier: MIT
// Runs the built program from the outside and says what it left behind: both
// streams, the exit code and, above all, no process.
//
// The program is $HACKBENCH_BINARY, started through $HACKBENCH_EMULATOR when
// that is not empty; ctest sets both. Each run carries a mark in its
// environment, by which its processes are found wherever they were adopted.
// Nothing here sleeps for a time: what is waited for is a state, under a
// deadline so generous that only a hang meets it.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hackbench/cli_files.h"
#include "hackbench/cli_machine.h"
#include "hackbench/cli_text.h"

namespace hackbench::cli {

struct RunSetup {
  std::string program = {};    // A peer; empty for the program under test.
  std::string called_as = {};  // Reach the program by a link of this name.
  std::map<std::string, std::string> environment = {};
  std::set<int> closed = {};     // Of descriptors 0, 1 and 2.
  std::string stdout_path = {};  // A file or device instead of the capture.
  bool reader_is_gone = false;   // stdout is a pipe that nobody reads.
  std::map<int, rlim_t> limits = {};  // RLIMIT_x to soft and hard limit.
  std::set<int> ignored_signals = {};
  // From the bounding set; needs CAP_SETPCAP unless they are gone already.
  std::set<int> dropped_capabilities = {};
  uid_t real_uid = 0;       // 0: as the caller; needs root.
  uid_t effective_uid = 0;  // Read only when real_uid is set.
};

struct Result {
  int exit_code = -1;  // -1 when a signal ended it.
  int signal = 0;
  std::string out;
  std::string err;
};

class ProgramRun {
 public:
  explicit ProgramRun(const Argv& words, const RunSetup& setup = {});
  // Kills what is left of a run whose test gave up.
  ~ProgramRun();
  ProgramRun(const ProgramRun&) = delete;
  ProgramRun& operator=(const ProgramRun&) = delete;

  // Main, and the leader of a process group of its own.
  pid_t pid() const { return pid_; }

  // The children of main in the order of their creation, once there are
  // `count`: receivers of group 0, then its senders.
  std::vector<pid_t> AwaitTasks(size_t count);
  // The same once messages flow.
  std::vector<pid_t> AwaitWork(size_t count);
  // Until main has `count` threads beside its own.
  void AwaitThreads(size_t count);
  // Until main is stopped.
  void AwaitStopped();
  // Until main has written its first `count` bytes to stdout.
  void AwaitOutput(size_t count);

  void Signal(int signal) const;
  void SignalGroup(int signal) const;

  // Waits for main's end; a run that does not end fails the test and is killed.
  // Any live process it leaves fails the test too: after a SIGKILL of main they
  // get until the deadline to go, in all other cases there must be none.
  Result Finish();

 private:
  void Reap();
  void ExpectNothingLeft(bool at_once);

  std::string mark_;
  uid_t uid_;
  std::unique_ptr<TempDirectory> link_directory_;
  int out_fd_ = -1;
  int err_fd_ = -1;
  pid_t pid_ = -1;
  bool ended_ = false;
  Result result_;
};

// A run from start to end.
Result RunToEnd(const Argv& words, const RunSetup& setup = {});

}  // namespace hackbench::cli
