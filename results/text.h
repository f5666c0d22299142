// SPDX-License-Identifier: MIT
// Figures as text: percent with a sign, durations, columns. Never through a
// locale, so a decimal point is a point everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hackbench::results {

// 0.0361 is "+3.6 %".
std::string PercentText(double fraction);

// "0:41", "2:10", "1:02:03".
std::string DurationText(int64_t ns);

// Four significant digits and no exponent where it can be helped.
std::string FigureText(double value);

// "<0.001", "0.013": never 0.
std::string PText(double p);

// Columns with two blanks between them; the first `left` ones flush left. No
// blanks at the ends of lines.
std::string Columns(const std::vector<std::vector<std::string>>& rows,
                    size_t left = 1);

// Width on a terminal, for UTF-8 text without wide characters.
size_t DisplayWidth(std::string_view text);

}  // namespace hackbench::results
