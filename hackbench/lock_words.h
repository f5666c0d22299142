// SPDX-License-Identifier: MIT
// What the option words of the lock commands have in common.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace hackbench {

std::vector<std::string_view> SplitByCommas(std::string_view text);

// A whole number from `least` to `most`, or an error that names `option`.
absl::StatusOr<int64_t> ReadCount(std::string_view option,
                                  std::string_view text, int64_t least,
                                  int64_t most);

// OK when `name` is one of `known`; otherwise an error with the nearest one.
absl::Status CheckName(std::string_view what, std::string_view name,
                       const std::vector<std::string_view>& known,
                       std::string_view where_listed);

}  // namespace hackbench
