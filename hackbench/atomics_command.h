// SPDX-License-Identifier: MIT
// `hackbench atomics`: what one atomic operation costs on this machine, in
// every way atomics/atomic_list.h knows.
#pragma once

#include <span>
#include <string_view>

namespace hackbench {

// `words` are those after `atomics`. 0 done, 1 the run failed, 2 usage.
int AtomicsCommand(std::span<const std::string_view> words);

}  // namespace hackbench
