// SPDX-License-Identifier: MIT
#include "hackbench/system_error.h"

#include <fmt/format.h>

#include <system_error>

namespace hackbench {

absl::Status ErrnoStatus(int error_number, std::string_view what) {
  return absl::Status(
      absl::ErrnoToStatusCode(error_number),
      fmt::format("{}: {}", what,
                  std::generic_category().message(error_number)));
}

}  // namespace hackbench
