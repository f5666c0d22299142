// SPDX-License-Identifier: MIT
// The manual page and the shell completion, from the same tables as --help, so
// that none of the three can know less than the others.
#pragma once

#include <string>

namespace hackbench {

// hackbench(1), in the man macros.
std::string ManualText();

// For bash, to be sourced.
std::string BashCompletionText();

}  // namespace hackbench
