// SPDX-License-Identifier: MIT
// An AF_UNIX stream socketpair: the classic hackbench transport.
#pragma once

#include <sys/socket.h>

#include <cerrno>

#include "hackbench/system_error.h"
#include "hackbench/transport.h"

namespace hackbench {

class SocketpairTransport final : public Transport {
 public:
  static constexpr std::string_view kName = "socketpair";
  static constexpr std::string_view kSummary = "AF_UNIX stream socketpair";
  // One socket buffer, queued in one step, holds up to 32 KiB beside its head
  // page.
  static constexpr TransportTraits kTraits{
      .atomic_bytes = 32768, .model = MessageModel::kSocket, .two_way = true};

  explicit SocketpairTransport(const TransportOptions&) {}

  absl::Status Open(Channel& channel) override {
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0) {
      return ErrnoStatus(errno, "socketpair");
    }
    channel = {.read_fd = fds[0], .write_fd = fds[1]};
    return absl::OkStatus();
  }
};

}  // namespace hackbench
