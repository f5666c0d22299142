// SPDX-License-Identifier: MIT
// A named pipe, reached through the file system as programs reach it, and
// unlinked as soon as both ends are open. Uses TMPDIR, or /tmp.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <string>

#include "hackbench/system_error.h"
#include "hackbench/transport.h"
#include "hackbench/unique_fd.h"

namespace hackbench {

class FifoTransport final : public Transport {
 public:
  static constexpr std::string_view kName = "fifo";
  static constexpr std::string_view kSummary = "named pipe in TMPDIR";
  static constexpr TransportTraits kTraits{.atomic_bytes = PIPE_BUF};

  explicit FifoTransport(const TransportOptions&) {}

  absl::Status Open(Channel& channel) override {
    const std::string path = NextPath();
    if (mkfifo(path.c_str(), 0600) != 0) {
      return ErrnoStatus(errno, fmt::format("mkfifo {}", path));
    }
    const absl::Status status = OpenBothEnds(path, channel);
    unlink(path.c_str());
    return status;
  }

 private:
  static std::string NextPath() {
    static int serial = 0;  // Channels are opened by main's one thread.
    const char* directory = std::getenv("TMPDIR");
    if (directory == nullptr || *directory == '\0') directory = "/tmp";
    return fmt::format("{}/hackbench-{}-{}", directory, getpid(), serial++);
  }

  static absl::Status OpenBothEnds(const std::string& path, Channel& channel) {
    // Without O_NONBLOCK the open would wait for a writer.
    UniqueFd reader(open(path.c_str(), O_RDONLY | O_NONBLOCK));
    if (!reader.valid())
      return ErrnoStatus(errno, fmt::format("open {}", path));
    UniqueFd writer(open(path.c_str(), O_WRONLY));
    if (!writer.valid())
      return ErrnoStatus(errno, fmt::format("open {}", path));
    if (fcntl(reader.get(), F_SETFL, 0) != 0) {
      return ErrnoStatus(errno, fmt::format("fcntl {}", path));
    }
    channel = {.read_fd = reader.release(), .write_fd = writer.release()};
    return absl::OkStatus();
  }
};

}  // namespace hackbench
