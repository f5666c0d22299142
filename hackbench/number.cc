// SPDX-License-Identifier: MIT
#include "hackbench/number.h"

#include <charconv>
#include <limits>
#include <system_error>

namespace hackbench {

std::optional<ParsedNumber> ParseNumber(std::string_view text) {
  const size_t start = text.find_first_not_of(" \t\n\v\f\r");
  if (start == std::string_view::npos) return std::nullopt;
  text.remove_prefix(start);
  // from_chars takes '-' but not '+'.
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') {
    text.remove_prefix(1);
  }

  ParsedNumber number;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number.value);
  if (error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    number.overflow = true;
    number.value = text[0] == '-' ? std::numeric_limits<int64_t>::min()
                                  : std::numeric_limits<int64_t>::max();
  }
  number.rest = std::string_view(stop, static_cast<size_t>(end - stop));
  return number;
}

}  // namespace hackbench
