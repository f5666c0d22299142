// SPDX-License-Identifier: MIT
// Help and lists, all from the option table and the lists of parts.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

#include "hackbench/option_table.h"

namespace hackbench {

// Everything there is to say in one spelling's terms.
std::string HelpText(Spelling spelling);

std::string VersionText();

// The parts of one kind ("transports"), with their summaries.
absl::StatusOr<std::string> ListText(std::string_view what);

}  // namespace hackbench
