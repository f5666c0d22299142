// SPDX-License-Identifier: MIT
// An anonymous pipe. Dominated by the pipe's mutex and its wait queue, so weak
// as a pure scheduler test.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <climits>

#include "hackbench/system_error.h"
#include "hackbench/transport.h"

namespace hackbench {

class PipeTransport final : public Transport {
 public:
  static constexpr std::string_view kName = "pipe";
  static constexpr std::string_view kSummary = "anonymous pipe";
  static constexpr TransportTraits kTraits{.atomic_bytes = PIPE_BUF,
                                           .model = MessageModel::kPipe};

  explicit PipeTransport(const TransportOptions&) {}

  absl::Status Open(Channel& channel) override {
    int fds[2];
    if (pipe(fds) != 0) return ErrnoStatus(errno, "pipe");
    channel = {.read_fd = fds[0], .write_fd = fds[1]};
    return absl::OkStatus();
  }
};

}  // namespace hackbench
