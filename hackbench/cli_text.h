// SPDX-License-Identifier: MIT
// Command lines and outputs as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hackbench::cli {

using Argv = std::vector<std::string>;  // Without the program's name.

// Splits at blanks: Split("-g 1 -l 2").
Argv Split(std::string_view words);

// The text with what differs from run to run replaced: the time by T in the
// lines of all three grammars, process ids by N.
std::string Mask(const std::string& text);

// Whether the whole text matches (ECMAScript).
bool Matches(const std::string& text, const std::string& pattern);

// Group 1 of the first match in each line that has one.
std::vector<std::string> ExtractByLine(const std::string& text,
                                       const std::string& pattern);

}  // namespace hackbench::cli
