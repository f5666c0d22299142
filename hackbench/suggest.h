// SPDX-License-Identifier: MIT
// "did you mean": the choice nearest to a mistyped word.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hackbench {

// The nearest of `choices` by edit distance, or nothing ("") when none is near
// enough to be a slip of the fingers.
std::string_view NearestName(std::string_view word,
                             std::span<const std::string_view> choices);

// " (did you mean 'ticket'?)", or "" when nothing is near.
std::string DidYouMean(std::string_view word,
                       std::span<const std::string_view> choices);

}  // namespace hackbench
