// SPDX-License-Identifier: MIT
// `hackbench kmalloc`: what allocations cost, engine by engine.
#pragma once

#include <span>
#include <string_view>

#include "hackbench/kmalloc_peers.h"

namespace hackbench {

// `load_peers` is null in the static program, which hands a line with --peers
// to the helper. Returns the exit code.
int RunKmallocCommand(std::span<const std::string_view> words,
                      LoadPeers load_peers);

}  // namespace hackbench
