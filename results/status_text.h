// SPDX-License-Identifier: MIT
// A status' message as std::string: Abseil's own string_view is a type of its
// own in Debian 12, which fmt does not know.
#pragma once

#include <absl/status/status.h>

#include <string>

namespace hackbench::results {

inline std::string Message(const absl::Status& status) {
  return std::string(status.message());
}

}  // namespace hackbench::results
