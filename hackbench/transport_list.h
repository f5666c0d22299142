// SPDX-License-Identifier: MIT
// Every transport, one line each; the order is that of help and of --list.
#pragma once

#include <array>
#include <string_view>

#include "hackbench/fifo_transport.h"
#include "hackbench/futex_transport.h"
#include "hackbench/pipe_transport.h"
#include "hackbench/socketpair_transport.h"
#include "hackbench/tcp_transport.h"
#include "hackbench/transport.h"

namespace hackbench {

inline constexpr std::array kTransportList = {
    MakeTransportEntry<SocketpairTransport>(),
    MakeTransportEntry<PipeTransport>(),
    MakeTransportEntry<TcpTransport>(),
    MakeTransportEntry<FifoTransport>(),
    MakeTransportEntry<FutexTransport>(),
};

// Null for a name that is not in the list.
inline const TransportEntry* FindTransport(std::string_view name) {
  for (const TransportEntry& entry : kTransportList) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace hackbench
