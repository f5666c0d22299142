// SPDX-License-Identifier: MIT
#include "hackbench/cli_runner.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <thread>

#include "hackbench/cli_proc.h"

namespace hackbench::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kDeadline = std::chrono::seconds(100);
constexpr auto kLookAgain = std::chrono::milliseconds(2);

// True once `state` holds; false at the deadline.
bool Await(const std::function<bool()>& state) {
  const auto deadline = Clock::now() + kDeadline;
  while (!state()) {
    if (Clock::now() > deadline) return false;
    std::this_thread::sleep_for(kLookAgain);
  }
  return true;
}

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int MakeCapture() {
  const int fd = memfd_create("capture", MFD_CLOEXEC);
  EXPECT_GE(fd, 0) << std::strerror(errno);
  return fd;
}

std::string ReadCapture(int fd) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t got =
        pread(fd, buffer, sizeof(buffer), static_cast<off_t>(text.size()));
    if (got <= 0) return text;
    text.append(buffer, static_cast<size_t>(got));
  }
}

int OpenStdout(const RunSetup& setup, int capture) {
  if (setup.reader_is_gone) {
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0) return -1;
    close(fds[0]);
    return fds[1];
  }
  if (setup.stdout_path.empty()) return dup(capture);
  return open(setup.stdout_path.c_str(), O_WRONLY | O_CLOEXEC);
}

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Everything a child needs between fork and exec, where nothing may allocate.
struct ChildPlan {
  int binary_fd;  // By descriptor: another user may not reach its path.
  const char* path;
  char** argv;
  char** environment;
  int in_fd;
  int out_fd;
  int err_fd;
};

bool TakePlace(const RunSetup& setup) {
  for (const int capability : setup.dropped_capabilities) {
    // What a container has taken already needs no right to take it.
    if (prctl(PR_CAPBSET_READ, capability) == 0) continue;
    if (prctl(PR_CAPBSET_DROP, capability) != 0) return false;
  }
  if (setup.real_uid == 0) return true;
  const gid_t gid = setup.real_uid;
  return setresgid(gid, gid, gid) == 0 &&
         setresuid(setup.real_uid, setup.effective_uid, setup.effective_uid) ==
             0;
}

[[noreturn]] void ExecChild(const RunSetup& setup, const ChildPlan& plan) {
  constexpr int kExitNotStarted = 126;
  setpgid(0, 0);
  for (const int signal : {SIGINT, SIGHUP, SIGPIPE, SIGQUIT, SIGTERM}) {
    ::signal(signal,
             setup.ignored_signals.contains(signal) ? SIG_IGN : SIG_DFL);
  }
  const int fds[] = {plan.in_fd, plan.out_fd, plan.err_fd};
  for (int fd = 0; fd < 3; ++fd) {
    if (setup.closed.contains(fd)) {
      close(fd);
    } else if (dup2(fds[fd], fd) != fd) {
      _exit(kExitNotStarted);
    }
  }
  // Whatever the caller had open would count against the limit of files.
  for (int fd = 3; fd < 1024; ++fd) fcntl(fd, F_SETFD, FD_CLOEXEC);
  for (const auto& [resource, value] : setup.limits) {
    const rlimit limit{.rlim_cur = value, .rlim_max = value};
    using Resource = decltype(RLIMIT_CPU);
    if (setrlimit(static_cast<Resource>(resource), &limit) != 0) {
      _exit(kExitNotStarted);
    }
  }
  if (!TakePlace(setup)) _exit(kExitNotStarted);
  // After the change of user, which clears it: a test that ctest kills takes
  // its run along.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (plan.binary_fd >= 0) fexecve(plan.binary_fd, plan.argv, plan.environment);
  execvpe(plan.path, plan.argv, plan.environment);
  _exit(kExitNotStarted);
}

std::string NextMark() {
  static int serial = 0;
  return "HACKBENCH_TEST_RUN=" + std::to_string(getpid()) + "-" +
         std::to_string(serial++);
}

}  // namespace

ProgramRun::ProgramRun(const Argv& words, const RunSetup& setup)
    : mark_(NextMark()), uid_(setup.real_uid) {
  std::string program = setup.program;
  std::vector<std::string> argv;
  if (program.empty()) {
    program = Environment("HACKBENCH_BINARY");
    EXPECT_FALSE(program.empty()) << "HACKBENCH_BINARY is not set; use ctest";
    if (IsEmulated()) argv = Split(Environment("HACKBENCH_EMULATOR"));
  }
  if (!setup.called_as.empty()) {
    link_directory_ = std::make_unique<TempDirectory>();
    const std::string link = link_directory_->File(setup.called_as);
    std::filesystem::create_symlink(program, link);
    program = link;
  }
  argv.push_back(program);
  argv.insert(argv.end(), words.begin(), words.end());

  std::vector<std::string> environment = {mark_};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name(*entry, std::strcspn(*entry, "="));
    if (!setup.environment.contains(std::string(name))) {
      environment.emplace_back(*entry);
    }
  }
  for (const auto& [name, value] : setup.environment) {
    environment.push_back(name + "=" + value);
  }

  out_fd_ = MakeCapture();
  err_fd_ = MakeCapture();
  std::vector<char*> argv_pointers = Pointers(argv);
  std::vector<char*> environment_pointers = Pointers(environment);
  const ChildPlan plan{
      .binary_fd = setup.real_uid == 0
                       ? -1
                       : open(argv[0].c_str(), O_RDONLY | O_CLOEXEC),
      .path = argv_pointers[0],
      .argv = argv_pointers.data(),
      .environment = environment_pointers.data(),
      .in_fd = open("/dev/null", O_RDONLY | O_CLOEXEC),
      .out_fd = OpenStdout(setup, out_fd_),
      .err_fd = err_fd_,
  };
  pid_ = fork();
  if (pid_ == 0) ExecChild(setup, plan);
  EXPECT_GT(pid_, 0) << std::strerror(errno);
  for (const int fd : {plan.in_fd, plan.out_fd, plan.binary_fd}) {
    if (fd >= 0) close(fd);
  }
}

ProgramRun::~ProgramRun() {
  if (!ended_ && pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    for (const pid_t left : LiveProcesses(mark_, uid_)) kill(left, SIGKILL);
  }
  close(out_fd_);
  close(err_fd_);
}

std::vector<pid_t> ProgramRun::AwaitTasks(size_t count) {
  std::vector<pid_t> children;
  EXPECT_TRUE(Await([&] {
    Reap();
    children = ChildrenOf(pid_);
    return ended_ || children.size() >= count;
  }));
  EXPECT_GE(children.size(), count)
      << "main has ended; stderr: " << ReadCapture(err_fd_);
  children.resize(std::max(children.size(), count), 0);
  return children;
}

std::vector<pid_t> ProgramRun::AwaitWork(size_t count) {
  // One sleep is the wait for the start.
  constexpr int64_t kSwitchesOfWork = 10;
  std::vector<pid_t> children = AwaitTasks(count);
  EXPECT_TRUE(Await([&] {
    Reap();
    return ended_ || SwitchesOf(children[0]) > kSwitchesOfWork;
  }));
  return children;
}

void ProgramRun::AwaitThreads(size_t count) {
  EXPECT_TRUE(Await([&] {
    Reap();
    return ended_ || ThreadsOf(pid_) > count;
  }));
}

void ProgramRun::AwaitStopped() {
  EXPECT_TRUE(Await([&] { return StateOf(pid_) == 'T'; }));
}

void ProgramRun::AwaitOutput(size_t count) {
  EXPECT_TRUE(Await([&] {
    Reap();
    return ended_ || ReadCapture(out_fd_).size() >= count;
  }));
}

void ProgramRun::Signal(int signal) const { kill(pid_, signal); }
void ProgramRun::SignalGroup(int signal) const { kill(-pid_, signal); }

void ProgramRun::Reap() {
  int status = 0;
  if (ended_ || waitpid(pid_, &status, WNOHANG) != pid_) return;
  ended_ = true;
  if (WIFEXITED(status)) result_.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
}

Result ProgramRun::Finish() {
  const bool in_time = Await([&] {
    Reap();
    return ended_;
  });
  if (!in_time) kill(pid_, SIGKILL);
  result_.out = ReadCapture(out_fd_);
  result_.err = ReadCapture(err_fd_);
  EXPECT_TRUE(in_time) << "does not end\n" << result_.out << result_.err;
  EXPECT_NE(result_.exit_code, 126) << "was not started";
  ExpectNothingLeft(/*at_once=*/result_.signal != SIGKILL);
  return result_;
}

void ProgramRun::ExpectNothingLeft(bool at_once) {
  std::vector<pid_t> survivors = LiveProcesses(mark_, uid_);
  if (!at_once) {
    Await([&] { return (survivors = LiveProcesses(mark_, uid_)).empty(); });
  }
  EXPECT_EQ(survivors.size(), 0u) << "processes are left";
  for (const pid_t survivor : survivors) kill(survivor, SIGKILL);
}

Result RunToEnd(const Argv& words, const RunSetup& setup) {
  return ProgramRun(words, setup).Finish();
}

}  // namespace hackbench::cli
