// SPDX-License-Identifier: MIT
#include "hackbench/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace hackbench {
namespace {

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row.back();
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
