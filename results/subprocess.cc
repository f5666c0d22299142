// SPDX-License-Identifier: MIT
#include "results/subprocess.h"

#include <absl/status/status.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <system_error>

#include "results/small_file.h"

namespace hackbench::results {
namespace {

constexpr size_t kMostOutput = 4 << 20;
constexpr int kExitNotStarted = 127;
// What a parent-death signal is to the guard; no end signal, so that it cannot
// be mistaken for one from the terminal.
constexpr int kParentDied = SIGUSR1;

int64_t MonotonicNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

int64_t ToNs(const timeval& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + int64_t{time.tv_usec} * 1000;
}

sigset_t SetOf(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  return set;
}

bool IsIgnored(int signal) {
  struct sigaction action;
  return sigaction(signal, nullptr, &action) == 0 &&
         action.sa_handler == SIG_IGN;
}

// The end signals that were not ignored already (nohup).
sigset_t EndSignals() {
  sigset_t set = SetOf({});
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    if (!IsIgnored(signal)) sigaddset(&set, signal);
  }
  return set;
}

struct SignalState {
  sigset_t old_mask;
  sigset_t taken;
  int end_signal = 0;

  SignalState() {
    taken = EndSignals();
    sigset_t blocked = taken;
    sigaddset(&blocked, SIGCHLD);
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &blocked, &old_mask);
  }
};

SignalState& Signals() {
  static SignalState state;
  return state;
}

// What the guard tells us over its pipe.
struct Report {
  LaunchOutcome::End end;
  int exit_code;
  int signal;
  int start_errno;
  int leftovers;
  int64_t user_ns;
  int64_t system_ns;
};

// The guard's side; it may not allocate much and never returns. -----------

// Children of this process as the kernel lists them. With a subreaper above,
// whatever the program left has become one of them.
int KillChildren() {
  int killed = 0;
  const std::string list = ReadSmallFile("/proc/thread-self/children");
  for (const char* at = list.c_str(); *at != '\0';) {
    char* end = nullptr;
    const long pid = std::strtol(at, &end, 10);
    if (end == at) break;
    if (kill(static_cast<pid_t>(pid), SIGKILL) == 0) ++killed;
    at = end + std::strspn(end, " ");
  }
  return killed;
}

// Ends everything below the guard: each death may hand us orphans, so until
// there is nobody left to wait for. Without /proc/…/children the process group
// of the program is what can be reached.
int ReapAll(pid_t program) {
  int leftovers = 0;
  kill(-program, SIGKILL);
  for (;;) {
    const int killed = KillChildren();
    int status = 0;
    const pid_t ended = waitpid(-1, &status, killed > 0 ? 0 : WNOHANG);
    if (ended < 0 && errno == ECHILD) return leftovers;
    if (ended > 0 && ended != program) ++leftovers;
    if (ended == 0) {
      const timespec pause{.tv_sec = 0, .tv_nsec = 1'000'000};
      nanosleep(&pause, nullptr);
    }
  }
}

[[noreturn]] void ExecProgram(char* const* argv, char* const* environment,
                              int error_fd, pid_t guard) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != guard) _exit(kExitNotStarted);  // It died before prctl.
  sigprocmask(SIG_SETMASK, &Signals().old_mask, nullptr);
  // Our program ignores it for the sake of its own writes; others rely on it.
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  execvpe(argv[0], argv, environment);
  const int error_number = errno;
  [[maybe_unused]] const ssize_t told =
      write(error_fd, &error_number, sizeof(error_number));
  _exit(kExitNotStarted);
}

struct GuardJob {
  char* const* argv;
  char* const* environment;
  int64_t timeout_ns;
  int out_fd;
  int err_fd;
  int report_fd;
  pid_t parent;
};

// Waits for the program, our death or the time-out.
Report Watch(pid_t program, const GuardJob& job, const sigset_t& waited) {
  Report report{};
  const int64_t deadline_ns =
      job.timeout_ns > 0 ? MonotonicNs() + job.timeout_ns : INT64_MAX;
  for (;;) {
    int status = 0;
    rusage use{};
    // Not waitpid(-1): orphans of the program are reaped at the end.
    const pid_t ended = wait4(program, &status, WNOHANG, &use);
    if (ended == program) {
      report.user_ns = ToNs(use.ru_utime);
      report.system_ns = ToNs(use.ru_stime);
      const bool exited = WIFEXITED(status);
      report.end =
          exited ? LaunchOutcome::End::kExited : LaunchOutcome::End::kSignalled;
      report.exit_code = exited ? WEXITSTATUS(status) : 0;
      report.signal = exited ? 0 : WTERMSIG(status);
      return report;
    }
    const int64_t left_ns = deadline_ns - MonotonicNs();
    if (left_ns <= 0) {
      report.end = LaunchOutcome::End::kTimedOut;
      return report;
    }
    const int64_t wait_ns = std::min(left_ns, int64_t{3600} * 1'000'000'000);
    const timespec timeout{.tv_sec = wait_ns / 1'000'000'000,
                           .tv_nsec = wait_ns % 1'000'000'000};
    const int signal = sigtimedwait(&waited, nullptr, &timeout);
    if (signal == kParentDied || getppid() != job.parent) {
      report.end = LaunchOutcome::End::kInterrupted;
      return report;
    }
  }
}

[[noreturn]] void Guard(const GuardJob& job) {
  // Before anything can be missed: the terminal's signals go to us, who tell
  // the guard by a signal of its own.
  setpgid(0, 0);
  const sigset_t waited = SetOf({SIGCHLD, kParentDied});
  sigset_t blocked = waited;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    sigaddset(&blocked, signal);
  }
  sigprocmask(SIG_BLOCK, &blocked, nullptr);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, kParentDied);
  if (getppid() != job.parent) _exit(1);
  const int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  int error_pipe[2];
  if (pipe2(error_pipe, O_CLOEXEC) != 0) _exit(1);

  const pid_t guard = getpid();
  const pid_t program = fork();
  if (program == 0) {
    dup2(null_fd, STDIN_FILENO);
    dup2(job.out_fd, STDOUT_FILENO);
    dup2(job.err_fd, STDERR_FILENO);
    ExecProgram(job.argv, job.environment, error_pipe[1], guard);
  }
  Report report{};
  if (program < 0) {
    report.end = LaunchOutcome::End::kNotStarted;
    report.start_errno = errno;
  } else {
    close(error_pipe[1]);
    report = Watch(program, job, waited);
    report.leftovers = ReapAll(program);
    int error_number = 0;
    if (read(error_pipe[0], &error_number, sizeof(error_number)) ==
        sizeof(error_number)) {
      report.end = LaunchOutcome::End::kNotStarted;
      report.start_errno = error_number;
    }
  }
  [[maybe_unused]] const ssize_t told =
      write(job.report_fd, &report, sizeof(report));
  _exit(0);
}

// Our side. -----------------------------------------------------------------

absl::Status Failed(const char* what) {
  return absl::ResourceExhaustedError(std::string("cannot start a launch: ") +
                                      what + ": " +
                                      std::generic_category().message(errno));
}

std::string ReadBack(int fd) {
  std::string text;
  char buffer[16384];
  while (text.size() < kMostOutput) {
    const ssize_t got =
        pread(fd, buffer, sizeof(buffer), static_cast<off_t>(text.size()));
    if (got <= 0) break;
    text.append(buffer, static_cast<size_t>(got));
  }
  return text;
}

std::vector<std::string> Environment(const LaunchSpec& spec) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string name(*entry, std::strcspn(*entry, "="));
    if (!spec.environment.contains(name)) entries.emplace_back(*entry);
  }
  for (const auto& [name, value] : spec.environment) {
    entries.push_back(name + "=" + value);
  }
  return entries;
}

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

// Until the guard has ended; an end signal of ours makes it end its program.
int AwaitGuard(pid_t guard) {
  SignalState& state = Signals();
  sigset_t waited = state.taken;
  sigaddset(&waited, SIGCHLD);
  int interrupted_by = 0;
  while (waitpid(guard, nullptr, WNOHANG) == 0) {
    // A SIGCHLD that came between would wait at most this long.
    const timespec timeout{.tv_sec = 1, .tv_nsec = 0};
    const int signal = sigtimedwait(&waited, nullptr, &timeout);
    if (signal <= 0 || signal == SIGCHLD) continue;
    interrupted_by = state.end_signal = signal;
    kill(guard, kParentDied);
  }
  return interrupted_by;
}

}  // namespace

int PendingEndSignal() {
  SignalState& state = Signals();
  const timespec now{};
  const int signal = sigtimedwait(&state.taken, nullptr, &now);
  if (signal > 0) state.end_signal = signal;
  return state.end_signal;
}

absl::StatusOr<LaunchOutcome> RunProgram(const LaunchSpec& spec) {
  if (const int signal = PendingEndSignal();
      signal != 0 && !spec.also_when_ending) {
    LaunchOutcome outcome;
    outcome.end = LaunchOutcome::End::kInterrupted;
    outcome.signal = signal;
    return outcome;
  }
  std::vector<std::string> argv = spec.argv;
  std::vector<std::string> environment = Environment(spec);
  const Descriptor out(memfd_create("out", MFD_CLOEXEC));
  const Descriptor err(memfd_create("err", MFD_CLOEXEC));
  int report_pipe[2] = {-1, -1};
  if (out.get() < 0 || err.get() < 0 || pipe2(report_pipe, O_CLOEXEC) != 0) {
    return Failed("memory file");
  }
  const Descriptor report_in(report_pipe[0]);
  Descriptor report_out(report_pipe[1]);
  const std::vector<char*> argv_pointers = Pointers(argv);
  const std::vector<char*> environment_pointers = Pointers(environment);
  const GuardJob job{.argv = argv_pointers.data(),
                     .environment = environment_pointers.data(),
                     .timeout_ns = spec.timeout_ns,
                     .out_fd = out.get(),
                     .err_fd = err.get(),
                     .report_fd = report_out.get(),
                     .parent = getpid()};
  LaunchOutcome outcome;
  const int64_t begin_ns = MonotonicNs();
  const pid_t guard = fork();
  if (guard < 0) return Failed("fork");
  if (guard == 0) Guard(job);
  report_out.Close();
  const int interrupted_by = AwaitGuard(guard);
  outcome.elapsed_ns = MonotonicNs() - begin_ns;

  Report report{};
  if (read(report_in.get(), &report, sizeof(report)) != sizeof(report)) {
    return absl::AbortedError("the guard of a launch was killed");
  }
  outcome.end = report.end;
  outcome.exit_code = report.exit_code;
  outcome.signal = report.signal;
  outcome.start_errno = report.start_errno;
  outcome.leftovers = report.leftovers;
  outcome.user_ns = report.user_ns;
  outcome.system_ns = report.system_ns;
  if (interrupted_by != 0 && report.end == LaunchOutcome::End::kInterrupted) {
    outcome.signal = interrupted_by;
  }
  outcome.out = ReadBack(out.get());
  outcome.err = ReadBack(err.get());
  return outcome;
}

}  // namespace hackbench::results
