// SPDX-License-Identifier: MIT
// Other allocators, measured beside ours in one process and one run, so that
// drift of the machine meets all alike.
//
// They are loaded with dlopen(), which the static program cannot do: it hands
// its words to a helper of the same code, linked dynamically, that stands
// beside it.
#pragma once

#include <absl/status/statusor.h>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "alloc/measure.h"

namespace hackbench {

struct KnownPeer {
  std::string_view name;
  std::string_view library;  // Empty: the C library itself.
};
inline constexpr std::array kKnownPeers = {
    KnownPeer{"glibc", ""},
    KnownPeer{"jemalloc", "libjemalloc.so.2"},
    KnownPeer{"mimalloc", "libmimalloc.so.2"},
    KnownPeer{"tcmalloc", "libtcmalloc_minimal.so.4"},
};

struct LoadedPeer {
  std::string name;
  alloc::PeerFunctions functions;
};

// Only where the program is linked dynamically. NotFound names the package.
using LoadPeers = absl::StatusOr<std::vector<LoadedPeer>> (*)(
    std::span<const std::string> names);

// The name of the helper, in the program's directory or in
// ../libexec/hackbench beside it.
inline constexpr std::string_view kPeersHelper = "hackbench-kmalloc-peers";

// Replaces this process by the helper; returns only the reason why it could
// not.
absl::Status ExecPeersHelper(std::span<const std::string_view> words);

}  // namespace hackbench
