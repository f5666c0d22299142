// SPDX-License-Identifier: MIT
// Which program this call is: the first word, or the name it was called by,
// decides between the old grammars and the commands.
#pragma once

#include <span>
#include <string_view>

namespace hackbench {

// `program` is argv[0], `words` the rest. Returns the exit code.
int Dispatch(std::string_view program, std::span<const std::string_view> words);

}  // namespace hackbench
