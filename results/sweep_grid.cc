// SPDX-License-Identifier: MIT
#include "results/sweep_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace hackbench::results {
namespace {

constexpr size_t kMostCells = 10000;

std::vector<std::string> Split(std::string_view text, char at) {
  std::vector<std::string> parts;
  for (;;) {
    const size_t end = text.find(at);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<int64_t> WholeNumber(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

absl::StatusOr<Axis> Named(std::string_view text, std::string_view option,
                           std::string_view& values) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return absl::InvalidArgumentError(
        fmt::format("{} '{}': write {} VAR=…", option, text, option));
  }
  values = text.substr(equals + 1);
  return Axis{.name = std::string(text.substr(0, equals))};
}

bool Has(const Cell& cell, const Cell& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& setting) {
    const auto found = cell.find(setting.first);
    return found != cell.end() && found->second == setting.second;
  });
}

absl::Status CheckNamesValues(const SweepGrid& grid, const Cell& cell,
                              std::string_view option) {
  for (const auto& [name, value] : cell) {
    const auto axis =
        std::find_if(grid.axes.begin(), grid.axes.end(),
                     [&, key = name](const Axis& a) { return a.name == key; });
    if (axis == grid.axes.end()) {
      return absl::InvalidArgumentError(
          fmt::format("{}: '{}' is not swept", option, name));
    }
    if (std::find(axis->values.begin(), axis->values.end(), value) ==
        axis->values.end()) {
      return absl::InvalidArgumentError(
          fmt::format("{}: '{}' is no value of {}", option, value, name));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Cell>> Zipped(const SweepGrid& grid) {
  const size_t length = grid.axes.front().values.size();
  std::vector<Cell> cells(length);
  for (const Axis& axis : grid.axes) {
    if (axis.values.size() != length) {
      return absl::InvalidArgumentError(fmt::format(
          "--zip: {} has {} values, {} has {}", grid.axes.front().name, length,
          axis.name, axis.values.size()));
    }
    for (size_t i = 0; i < length; ++i) cells[i][axis.name] = axis.values[i];
  }
  return cells;
}

absl::StatusOr<std::vector<Cell>> Combined(const SweepGrid& grid) {
  std::vector<Cell> cells = {{}};
  for (const Axis& axis : grid.axes) {
    if (cells.size() * axis.values.size() > kMostCells) {
      return absl::InvalidArgumentError(
          fmt::format("more than {} cells", kMostCells));
    }
    std::vector<Cell> longer;
    for (const Cell& cell : cells) {
      for (const std::string& value : axis.values) {
        longer.push_back(cell);
        longer.back()[axis.name] = value;
      }
    }
    cells = std::move(longer);
  }
  return cells;
}

Cell BaselineSettings(const SweepGrid& grid) {
  if (!grid.baseline.empty()) return grid.baseline;
  Cell baseline;
  // In step, one value belongs to one cell: all names of the first.
  for (const Axis& axis : grid.axes) {
    if (grid.zip) baseline[axis.name] = axis.values.front();
  }
  if (!grid.zip) {
    baseline[grid.axes.back().name] = grid.axes.back().values.front();
  }
  return baseline;
}

}  // namespace

absl::StatusOr<Axis> ParseListAxis(std::string_view text) {
  std::string_view values;
  absl::StatusOr<Axis> axis = Named(text, "--list", values);
  if (!axis.ok()) return axis;
  for (std::string& value : Split(values, ',')) {
    if (value.empty()) {
      return absl::InvalidArgumentError(
          fmt::format("--list '{}': a value is empty", text));
    }
    if (std::find(axis->values.begin(), axis->values.end(), value) !=
        axis->values.end()) {
      return absl::InvalidArgumentError(
          fmt::format("--list '{}': {} is there twice", text, value));
    }
    axis->values.push_back(std::move(value));
  }
  return axis;
}

absl::StatusOr<Axis> ParseScanAxis(std::string_view text) {
  std::string_view values;
  absl::StatusOr<Axis> axis = Named(text, "--scan", values);
  if (!axis.ok()) return axis;
  const absl::Status bad = absl::InvalidArgumentError(fmt::format(
      "--scan '{}': write VAR=MIN..MAX, VAR=MIN..MAX:STEP or VAR=MIN..MAX:xF",
      text));
  const size_t dots = values.find("..");
  if (dots == std::string_view::npos) return bad;
  const size_t colon = values.find(':', dots);
  const auto low = WholeNumber(values.substr(0, dots));
  const auto high = WholeNumber(values.substr(
      dots + 2, colon == std::string_view::npos ? colon : colon - dots - 2));
  std::string_view step_text = "1";
  if (colon != std::string_view::npos) step_text = values.substr(colon + 1);
  const bool factor = step_text.starts_with('x');
  if (factor) step_text.remove_prefix(1);
  const auto step = WholeNumber(step_text);
  if (!low || !high || !step || *low > *high) return bad;
  // A step that does not move would never end.
  if (factor ? *step < 2 || *low < 1 : *step < 1) return bad;
  for (int64_t value = *low; value <= *high;) {
    axis->values.push_back(fmt::format("{}", value));
    if (axis->values.size() > kMostCells) {
      return absl::InvalidArgumentError(
          fmt::format("--scan '{}': more than {} values", text, kMostCells));
    }
    // Where the next step would wrap, it is beyond the end as well.
    if (factor ? value > *high / *step : value > *high - *step) break;
    value = factor ? value * *step : value + *step;
  }
  return axis;
}

absl::StatusOr<Cell> ParseSettings(std::string_view text) {
  Cell settings;
  std::string last;
  for (const std::string& part : Split(text, ',')) {
    const size_t equals = part.find('=');
    if (equals == std::string::npos && !last.empty()) {
      settings[last] += "," + part;
      continue;
    }
    if (equals == std::string::npos || equals == 0) {
      return absl::InvalidArgumentError(
          fmt::format("'{}': write key=value,key=value", text));
    }
    last = part.substr(0, equals);
    if (!settings.emplace(last, part.substr(equals + 1)).second) {
      return absl::InvalidArgumentError(
          fmt::format("'{}': {} is there twice", text, last));
    }
  }
  return settings;
}

absl::StatusOr<std::vector<Cell>> CellsOf(const SweepGrid& grid) {
  if (grid.axes.empty()) {
    return absl::InvalidArgumentError(
        "nothing to sweep: give --list, --scan or --live");
  }
  for (size_t i = 0; i < grid.axes.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (grid.axes[i].name == grid.axes[j].name) {
        return absl::InvalidArgumentError(
            fmt::format("{} is swept twice", grid.axes[i].name));
      }
    }
  }
  absl::StatusOr<std::vector<Cell>> cells =
      grid.zip ? Zipped(grid) : Combined(grid);
  if (!cells.ok()) return cells;
  absl::Status status = CheckNamesValues(grid, grid.baseline, "--baseline");
  for (const Cell& exclude : grid.exclude) {
    if (status.ok()) status = CheckNamesValues(grid, exclude, "--exclude");
    std::erase_if(*cells, [&](const Cell& cell) { return Has(cell, exclude); });
  }
  if (!status.ok()) return status;
  if (cells->empty()) {
    return absl::InvalidArgumentError("--exclude leaves nothing to measure");
  }
  return cells;
}

std::vector<int64_t> BaselinesOf(const SweepGrid& grid,
                                 const std::vector<Cell>& cells) {
  const Cell baseline = BaselineSettings(grid);
  std::vector<int64_t> result;
  for (size_t i = 0; i < cells.size(); ++i) {
    Cell wanted = cells[i];
    for (const auto& [name, value] : baseline) wanted[name] = value;
    const auto found = std::find(cells.begin(), cells.end(), wanted);
    result.push_back(found == cells.end()
                         ? static_cast<int64_t>(i)
                         : static_cast<int64_t>(found - cells.begin()));
  }
  return result;
}

std::string CellText(const SweepGrid& grid, const Cell& cell) {
  std::string text;
  for (const Axis& axis : grid.axes) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", axis.name,
                        cell.at(axis.name));
  }
  return text;
}

}  // namespace hackbench::results
