// SPDX-License-Identifier: MIT
// errno as absl::Status, in the words of the field: "socketpair: Too many open
// files".
#pragma once

#include <absl/status/status.h>

#include <string_view>

namespace hackbench {

absl::Status ErrnoStatus(int error_number, std::string_view what);

// For a task that could not be started: names the limits that give this errno.
absl::Status TaskStartError(int error_number, std::string_view what);

}  // namespace hackbench
