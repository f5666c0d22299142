// SPDX-License-Identifier: MIT
#include "results/live_setting.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "results/small_file.h"

namespace hackbench::results {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kNames =
    {{{"preempt", "/sys/kernel/debug/sched/preempt"},
      {"base_slice_ns", "/sys/kernel/debug/sched/base_slice_ns"},
      {"features", "/sys/kernel/debug/sched/features"},
      {"autogroup", "/proc/sys/kernel/sched_autogroup_enabled"},
      {"thp", "/sys/kernel/mm/transparent_hugepage/enabled"}}};

// 0, or the errno.
int WriteOnce(const char* path, std::string_view value) {
  const int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return errno;
  const ssize_t done = write(fd, value.data(), value.size());
  const int error_number = errno;
  // Some settings are judged only when the file is closed.
  const bool closed = close(fd) == 0;
  if (done != static_cast<ssize_t>(value.size())) return error_number;
  return closed ? 0 : errno;
}

absl::Status Refused(const std::string& path, int error_number) {
  std::string text = fmt::format("--live {}: {}", path,
                                 std::generic_category().message(error_number));
  if (error_number == EACCES || error_number == EPERM) {
    text += "; it needs root";
  } else if (error_number == ENOENT && path.starts_with("/sys/kernel/debug/")) {
    text +=
        "; as root: mount -t debugfs none /sys/kernel/debug (and a kernel "
        "with PREEMPT_DYNAMIC for sched/preempt)";
  } else if (error_number == EROFS) {
    text += "; the file system is mounted read-only, as in most containers";
  }
  return absl::PermissionDeniedError(text);
}

// Waits until every writer of the pipe is gone, or one says that all is well.
[[noreturn]] void Keep(int read_fd,
                       const std::map<std::string, std::string>& found) {
  setsid();
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  char said = 0;
  ssize_t got = -1;
  do {
    got = read(read_fd, &said, 1);
  } while (got < 0 && errno == EINTR);
  if (got != 1) {
    for (const auto& [path, value] : found) WriteOnce(path.c_str(), value);
  }
  _exit(0);
}

}  // namespace

absl::StatusOr<std::string> LivePath(std::string_view name) {
  if (name.starts_with('/')) return std::string(name);
  for (const auto& [known, path] : kNames) {
    if (known == name) return std::string(path);
  }
  return absl::InvalidArgumentError(fmt::format(
      "--live '{}': give a path, or preempt, base_slice_ns, features, "
      "autogroup or thp",
      name));
}

absl::StatusOr<std::string> ReadLive(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return Refused(path, errno);
  close(fd);
  std::string text = ReadSmallFile(path);
  while (text.ends_with('\n')) text.pop_back();
  for (const auto& [open, close] : {std::pair('[', ']'), std::pair('(', ')')}) {
    const size_t begin = text.find(open);
    const size_t end = text.find(close, begin);
    if (begin != std::string::npos && end != std::string::npos) {
      return text.substr(begin + 1, end - begin - 1);
    }
  }
  return text;
}

LiveSettings::~LiveSettings() { Restore().IgnoreError(); }

absl::Status LiveSettings::Begin(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    absl::StatusOr<std::string> value = ReadLive(path);
    if (!value.ok()) return value.status();
    if (const int error_number = WriteOnce(path.c_str(), *value)) {
      return Refused(path, error_number);
    }
    found_[path] = *value;
  }
  now_ = found_;
  if (found_.empty()) return absl::OkStatus();
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) return Refused("pipe", errno);
  keeper_ = fork();
  if (keeper_ < 0) return Refused("fork", errno);
  if (keeper_ == 0) {
    close(fds[1]);
    Keep(fds[0], found_);
  }
  close(fds[0]);
  keeper_pipe_ = fds[1];
  return absl::OkStatus();
}

absl::Status LiveSettings::Apply(const LiveValue& setting) {
  const auto now = now_.find(setting.path);
  if (now == now_.end()) {
    return absl::InternalError("a live setting that was not begun: " +
                               setting.path);
  }
  if (now->second == setting.value) return absl::OkStatus();
  if (const int error_number = WriteOnce(setting.path.c_str(), setting.value)) {
    return absl::InvalidArgumentError(
        fmt::format("--live {}={}: {}", setting.path, setting.value,
                    std::generic_category().message(error_number)));
  }
  const absl::StatusOr<std::string> back = ReadLive(setting.path);
  if (!back.ok()) return back.status();
  if (*back != setting.value) {
    return absl::FailedPreconditionError(
        fmt::format("--live {}={}: reads back as '{}'", setting.path,
                    setting.value, *back));
  }
  now->second = setting.value;
  return absl::OkStatus();
}

absl::Status LiveSettings::Restore() {
  absl::Status status;
  for (const auto& [path, value] : found_) {
    if (now_[path] == value) continue;
    if (const int error_number = WriteOnce(path.c_str(), value)) {
      status = absl::UnavailableError(
          fmt::format("{} could not be set back to '{}': {}", path, value,
                      std::generic_category().message(error_number)));
    } else {
      now_[path] = value;
    }
  }
  if (keeper_ > 0) {
    // Where it did not work here, the keeper tries again.
    if (status.ok()) {
      [[maybe_unused]] const ssize_t told = write(keeper_pipe_, "x", 1);
    }
    close(keeper_pipe_);
    waitpid(keeper_, nullptr, 0);
    keeper_ = -1;
  }
  found_.clear();
  return status;
}

}  // namespace hackbench::results
