// SPDX-License-Identifier: MIT
// The cells of a sweep from its axes: --list VAR=a,b, --scan VAR=1..64:x2,
// combined with each other, or in step (--zip), less what --exclude names.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hackbench::results {

struct Axis {
  std::string name = {};
  std::vector<std::string> values = {};
  bool live = false;  // A setting of the running kernel, not of the program.
};

using Cell = std::map<std::string, std::string>;

// "VAR=a,b,c". InvalidArgument for no value, a repeated one or no name.
absl::StatusOr<Axis> ParseListAxis(std::string_view text);

// "VAR=MIN..MAX", "VAR=MIN..MAX:STEP", "VAR=MIN..MAX:xFACTOR"; whole numbers,
// both ends included where the steps meet them.
absl::StatusOr<Axis> ParseScanAxis(std::string_view text);

// "k=v,k=v". A comma that no "k=" follows belongs to the value: "cpus=0,2".
absl::StatusOr<Cell> ParseSettings(std::string_view text);

struct SweepGrid {
  std::vector<Axis> axes = {};
  bool zip = false;
  std::vector<Cell> exclude = {};  // A cell that has all of one of them goes.
  Cell baseline = {};              // Empty: the first value of the last axis.
};

// The cells in order: the last axis moves fastest. InvalidArgument when axes
// share a name, lengths differ under --zip, an exclusion or the baseline names
// what is not there, or nothing is left.
absl::StatusOr<std::vector<Cell>> CellsOf(const SweepGrid& grid);

// For each cell the index of the one it is compared with: the one that has the
// baseline's values and is equal otherwise. A cell without one has itself.
std::vector<int64_t> BaselinesOf(const SweepGrid& grid,
                                 const std::vector<Cell>& cells);

// "groups=10 alloc=pool", in the order of the axes.
std::string CellText(const SweepGrid& grid, const Cell& cell);

}  // namespace hackbench::results
