// SPDX-License-Identifier: MIT
// hackbench-kmalloc-peers: `hackbench kmalloc` linked dynamically, so that it
// can load other allocators. Started by hackbench, not by people.
#include <absl/status/status.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "hackbench/kmalloc_command.h"
#include "hackbench/log.h"
#include "hackbench/stdio.h"

namespace hackbench {
namespace {

constexpr std::string_view kTunables = "GLIBC_TUNABLES";
// jemalloc keeps its thread caches in the static TLS block, which has no room
// for a library that comes later unless told so.
constexpr std::string_view kRoomForTls = "glibc.rtld.optional_static_tls=16384";

// Tunables are read when a process starts, so it starts once more.
void EnsureRoomForTls(char** argv) {
  const char* const tunables = getenv(kTunables.data());
  const std::string before = tunables == nullptr ? "" : tunables;
  if (before.find("optional_static_tls") != std::string::npos) return;
  const std::string with = before.empty()
                               ? std::string(kRoomForTls)
                               : fmt::format("{}:{}", before, kRoomForTls);
  setenv(kTunables.data(), with.c_str(), 1);
  execv("/proc/self/exe", argv);
  LogWarning("cannot start again with room for jemalloc's TLS");
}

absl::StatusOr<LoadedPeer> LoadPeer(const std::string& name) {
  const auto* const known =
      std::find_if(kKnownPeers.begin(), kKnownPeers.end(),
                   [&](const KnownPeer& peer) { return peer.name == name; });
  if (known != kKnownPeers.end() && known->library.empty()) {
    return LoadedPeer{name, {&malloc, &free}};
  }
  const std::string library =
      known == kKnownPeers.end() ? name : std::string(known->library);
  // RTLD_LOCAL: its malloc must not become everybody's.
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return absl::NotFoundError(fmt::format(
        "--peers {}: {}; install it or leave it out", name, dlerror()));
  }
  LoadedPeer peer{name, {}};
  peer.functions.malloc =
      reinterpret_cast<void* (*)(size_t)>(dlsym(handle, "malloc"));
  peer.functions.free =
      reinterpret_cast<void (*)(void*)>(dlsym(handle, "free"));
  if (peer.functions.malloc == nullptr || peer.functions.free == nullptr) {
    return absl::InvalidArgumentError(
        fmt::format("--peers {}: {} has no malloc and free", name, library));
  }
  return peer;
}

absl::StatusOr<std::vector<LoadedPeer>> LoadAll(
    std::span<const std::string> names) {
  std::vector<LoadedPeer> peers;
  for (const std::string& name : names) {
    absl::StatusOr<LoadedPeer> peer = LoadPeer(name);
    if (!peer.ok()) return peer.status();
    peers.push_back(*std::move(peer));
  }
  return peers;
}

}  // namespace
}  // namespace hackbench

int main(int argc, char** argv) {
  hackbench::GuardStandardDescriptors();
  hackbench::EnsureRoomForTls(argv);
  const std::vector<std::string_view> words(argv + (argc > 0 ? 1 : 0),
                                            argv + argc);
  return hackbench::RunKmallocCommand(words, &hackbench::LoadAll);
}
