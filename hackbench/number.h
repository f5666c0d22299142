// SPDX-License-Identifier: MIT
// Whole numbers as people type them on a hackbench command line.
//
// The old programs read numbers with atoi: "1e3" is 1, "2.5" is 2 and
// 4294967297 wraps to 1, all without a word. ParseNumber keeps every digit,
// never wraps, and hands back what followed the digits so that the caller can
// warn (`hackbench -g 1x`) or refuse (`--strict`).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hackbench {

struct ParsedNumber {
  int64_t value = 0;      // Saturated when `overflow`.
  bool overflow = false;  // More digits than int64_t holds.
  std::string_view rest;  // What follows the digits; empty for a clean number.
};

// Reads optional blanks, a sign and digits, as atoi does. Nothing when there is
// no digit.
std::optional<ParsedNumber> ParseNumber(std::string_view text);

}  // namespace hackbench
