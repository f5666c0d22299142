// SPDX-License-Identifier: MIT
// A TCP connection over loopback, Nagle's algorithm on unless --nodelay. The
// stream has no message borders for its writers: several senders may be mixed
// at any byte when the socket buffer is full.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>

#include "hackbench/system_error.h"
#include "hackbench/transport.h"
#include "hackbench/unique_fd.h"

namespace hackbench {

class TcpTransport final : public Transport {
 public:
  static constexpr std::string_view kName = "tcp";
  static constexpr std::string_view kSummary = "TCP over 127.0.0.1";
  static constexpr TransportTraits kTraits{
      .atomic_bytes = 0, .extra_descriptors = 1, .has_nodelay = true};

  explicit TcpTransport(const TransportOptions& options)
      : nodelay_(options.nodelay) {}

  absl::Status Open(Channel& channel) override {
    // A listener per channel, as rt-tests has: each brings a port of its own,
    // so long series of runs do not exhaust the ephemeral ones.
    sockaddr_in address{};
    UniqueFd listener;
    absl::Status status = Listen(listener, address);
    if (!status.ok()) return status;

    UniqueFd writer(socket(AF_INET, SOCK_STREAM, 0));
    if (!writer.valid()) return ErrnoStatus(errno, "socket");
    // Loopback completes the handshake without accept().
    if (connect(writer.get(), AsSockaddr(address), sizeof(address)) != 0) {
      return ErrnoStatus(errno, "connect to 127.0.0.1");
    }
    if (nodelay_) {
      constexpr int kOn = 1;
      if (setsockopt(writer.get(), IPPROTO_TCP, TCP_NODELAY, &kOn,
                     sizeof(kOn)) != 0) {
        return ErrnoStatus(errno, "setsockopt TCP_NODELAY");
      }
    }
    UniqueFd reader;
    status = AcceptFrom(listener.get(), writer.get(), reader);
    if (!status.ok()) return status;
    channel = {.read_fd = reader.release(), .write_fd = writer.release()};
    return absl::OkStatus();
  }

 private:
  static sockaddr* AsSockaddr(sockaddr_in& address) {
    return reinterpret_cast<sockaddr*>(&address);
  }

  static absl::Status Listen(UniqueFd& listener, sockaddr_in& address) {
    listener.reset(socket(AF_INET, SOCK_STREAM, 0));
    if (!listener.valid()) return ErrnoStatus(errno, "socket");
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    if (bind(listener.get(), AsSockaddr(address), length) != 0) {
      return ErrnoStatus(errno, "bind to 127.0.0.1");
    }
    if (listen(listener.get(), 1) != 0) return ErrnoStatus(errno, "listen");
    if (getsockname(listener.get(), AsSockaddr(address), &length) != 0) {
      return ErrnoStatus(errno, "getsockname");
    }
    return absl::OkStatus();
  }

  // Accepts until it has the writer's own connection: any local process may
  // connect to the port.
  static absl::Status AcceptFrom(int listener, int writer, UniqueFd& reader) {
    sockaddr_in own{};
    socklen_t length = sizeof(own);
    if (getsockname(writer, AsSockaddr(own), &length) != 0) {
      return ErrnoStatus(errno, "getsockname");
    }
    for (;;) {
      sockaddr_in peer{};
      length = sizeof(peer);
      reader.reset(accept(listener, AsSockaddr(peer), &length));
      if (!reader.valid()) return ErrnoStatus(errno, "accept");
      if (peer.sin_port == own.sin_port &&
          peer.sin_addr.s_addr == own.sin_addr.s_addr) {
        return absl::OkStatus();
      }
    }
  }

  bool nodelay_;
};

}  // namespace hackbench
