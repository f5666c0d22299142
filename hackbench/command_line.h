// SPDX-License-Identifier: MIT
// Words to options: getopt_long's habits (unique prefixes, bundled letters,
// operands anywhere, order kept so that the last one wins) over our option
// table. The only file of a run that includes Boost.Program_options.
#pragma once

#include <absl/status/statusor.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hackbench/option_table.h"

namespace hackbench {

struct Argument {
  const OptionRow* row = nullptr;  // Null for an operand.
  std::string value;               // The operand, or the option's value.
};

// InvalidArgument for an unknown or ambiguous option, a missing value, or a
// value where none belongs.
absl::StatusOr<std::vector<Argument>> ReadCommandLine(
    Spelling spelling, std::span<const std::string_view> words);

}  // namespace hackbench
