// SPDX-License-Identifier: MIT
#include "hackbench/lock_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "hackbench/number.h"
#include "hackbench/suggest.h"

namespace hackbench {

std::vector<std::string_view> SplitByCommas(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

absl::StatusOr<int64_t> ReadCount(std::string_view option,
                                  std::string_view text, int64_t least,
                                  int64_t most) {
  const auto number = ParseNumber(text);
  if (!number || number->overflow || !number->rest.empty() ||
      number->value < least || number->value > most) {
    return absl::InvalidArgumentError(
        fmt::format("{} '{}' is no count; give a whole number from {} to {}",
                    option, text, least, most));
  }
  return number->value;
}

absl::Status CheckName(std::string_view what, std::string_view name,
                       const std::vector<std::string_view>& known,
                       std::string_view where_listed) {
  if (std::find(known.begin(), known.end(), name) != known.end()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      fmt::format("unknown {} '{}'{}; choices: {}", what, name,
                  DidYouMean(name, known), where_listed));
}

}  // namespace hackbench
