// SPDX-License-Identifier: MIT
#include "results/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hackbench::results {

std::string PercentText(double fraction) {
  const double percent = 100 * fraction;
  // What rounds to nothing has no sign.
  if (std::abs(percent) < 0.05) return "0.0 %";
  return fmt::format("{:+.1f} %", percent);
}

std::string DurationText(int64_t ns) {
  const int64_t s = (ns + 500'000'000) / 1'000'000'000;
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string FigureText(double value) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  constexpr int kDigits = 4;
  const int magnitude =
      static_cast<int>(std::floor(std::log10(std::abs(value))));
  if (magnitude < -6 || magnitude > 12) return fmt::format("{:.3e}", value);
  return fmt::format("{:.{}f}", value, std::max(0, kDigits - 1 - magnitude));
}

std::string PText(double p) {
  if (p < 0.001) return "<0.001";
  return fmt::format("{:.{}f}", p, p < 0.1 ? 3 : 2);
}

size_t DisplayWidth(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string Columns(const std::vector<std::vector<std::string>>& rows,
                    size_t left) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    // A row of one cell is a headline and bounds nothing.
    if (row.size() == 1) continue;
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], DisplayWidth(row[i]));
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const size_t width = DisplayWidth(row[i]);
      const std::string pad(widths[i] > width ? widths[i] - width : 0, ' ');
      if (i > 0) line += "  ";
      line += i < left ? row[i] + pad : pad + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace hackbench::results
