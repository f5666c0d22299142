// SPDX-License-Identifier: MIT
#include "results/adjust.h"

#include <algorithm>
#include <numeric>

namespace hackbench::results {
namespace {

std::vector<size_t> Ascending(std::span<const double> p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t x, size_t y) { return p[x] < p[y]; });
  return order;
}

std::vector<double> Holm(std::span<const double> p) {
  std::vector<double> adjusted(p.size());
  double so_far = 0;
  size_t rank = 0;
  for (const size_t i : Ascending(p)) {
    so_far = std::max(so_far, p[i] * static_cast<double>(p.size() - rank++));
    adjusted[i] = std::min(1.0, so_far);
  }
  return adjusted;
}

std::vector<double> BenjaminiHochberg(std::span<const double> p) {
  std::vector<double> adjusted(p.size());
  std::vector<size_t> order = Ascending(p);
  double so_far = 1;
  for (size_t rank = order.size(); rank > 0; --rank) {
    const size_t i = order[rank - 1];
    so_far = std::min(so_far, p[i] * static_cast<double>(p.size()) /
                                  static_cast<double>(rank));
    adjusted[i] = so_far;
  }
  return adjusted;
}

}  // namespace

std::vector<double> AdjustP(std::span<const double> p, Adjust method) {
  switch (method) {
    case Adjust::kHolm:
      return Holm(p);
    case Adjust::kBenjaminiHochberg:
      return BenjaminiHochberg(p);
    case Adjust::kNone:
      break;
  }
  return {p.begin(), p.end()};
}

}  // namespace hackbench::results
