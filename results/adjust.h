// SPDX-License-Identifier: MIT
// P-values of a family of tests, adjusted for their number: Holm (1979) where a
// single false alarm is dear, Benjamini and Hochberg (1995) where a share of
// false ones among the findings is acceptable.
#pragma once

#include <span>
#include <vector>

namespace hackbench::results {

enum class Adjust { kHolm, kBenjaminiHochberg, kNone };

// In the order given. Reject where the adjusted value is below alpha.
std::vector<double> AdjustP(std::span<const double> p, Adjust method);

}  // namespace hackbench::results
