// SPDX-License-Identifier: MIT
#include "hackbench/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace hackbench {
namespace {

// Optimal string alignment: insertions, deletions, substitutions and swaps of
// neighbours, each letter touched once.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> rows(a.size() + 1,
                                        std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        rows[i][j] = i + j;
        continue;
      }
      const size_t substitute =
          rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      rows[i][j] =
          std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, substitute});
      const bool swapped =
          i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[a.size()][b.size()];
}

}  // namespace

std::string_view NearestName(std::string_view word,
                             std::span<const std::string_view> choices) {
  std::string_view nearest;
  // A third of the letters may be wrong: "tiket" finds "ticket", "x" nothing.
  size_t best = std::max(word.size() / 3, size_t{1}) + 1;
  for (const std::string_view choice : choices) {
    const size_t distance = EditDistance(word, choice);
    if (distance < best && distance < word.size()) {
      best = distance;
      nearest = choice;
    }
  }
  return nearest;
}

std::string DidYouMean(std::string_view word,
                       std::span<const std::string_view> choices) {
  const std::string_view nearest = NearestName(word, choices);
  return nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest);
}

}  // namespace hackbench
