// SPDX-License-Identifier: MIT
// `hackbench sweep`: every combination of settings, each against its baseline.
#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "hackbench/arm_words.h"
#include "hackbench/command_list.h"
#include "hackbench/experiment_options.h"
#include "hackbench/experiment_session.h"
#include "hackbench/log.h"
#include "hackbench/stdio.h"
#include "results/live_setting.h"
#include "results/sweep_grid.h"

namespace hackbench {
namespace {

constexpr int kExitUsage = 2;
constexpr std::string_view kUsage =
    "usage: hackbench sweep --list VAR=a,b | --scan VAR=MIN..MAX[:STEP|:xF] |\n"
    "                       --live NAME=a,b ... [OPTION]... -- WORKLOAD\n"
    "\n"
    "  hackbench sweep --scan groups=1..16:x2 --list transport=pipe,socketpair "
    "-- -l 100\n"
    "  hackbench sweep --live preempt=none,full -- 10 process 100\n";

std::vector<OptionSpec> Specs() {
  std::vector<OptionSpec> specs = {
      {"list", "VAR=a,b", "an option of a run and its values", true},
      {"scan", "VAR=MIN..MAX[:STEP|:xF]", "whole numbers, by step or factor",
       true},
      {"live", "NAME=a,b",
       "a setting of the running kernel: preempt, base_slice_ns or a path; put "
       "back at the end",
       true},
      {"zip", "", "take the axes in step instead of combining them"},
      {"exclude", "K=V,...", "leave these cells out", true},
      {"baseline", "K=V,...",
       "compare with these cells (first value of the last axis)"},
  };
  const std::vector<OptionSpec> common = ExperimentOptionSpecs();
  specs.insert(specs.end(), common.begin(), common.end());
  return specs;
}

absl::Status AddAxis(absl::StatusOr<results::Axis> axis, bool live,
                     results::SweepGrid& grid) {
  if (!axis.ok()) return axis.status();
  axis->live = live;
  if (live) {
    const absl::StatusOr<std::string> path = results::LivePath(axis->name);
    if (!path.ok()) return path.status();
  }
  grid.axes.push_back(*std::move(axis));
  return absl::OkStatus();
}

absl::StatusOr<results::SweepGrid> ToGrid(const SimpleOptions& options) {
  results::SweepGrid grid;
  grid.zip = options.Has("zip");
  absl::Status status;
  for (const std::string& text : options.All("live")) {
    if (status.ok()) status = AddAxis(results::ParseListAxis(text), true, grid);
  }
  for (const std::string& text : options.All("scan")) {
    if (status.ok()) {
      status = AddAxis(results::ParseScanAxis(text), false, grid);
    }
  }
  for (const std::string& text : options.All("list")) {
    if (status.ok()) {
      status = AddAxis(results::ParseListAxis(text), false, grid);
    }
  }
  for (const std::string& text : options.All("exclude")) {
    if (!status.ok()) break;
    absl::StatusOr<results::Cell> cell = results::ParseSettings(text);
    if (cell.ok()) {
      grid.exclude.push_back(*std::move(cell));
    } else {
      status = cell.status();
    }
  }
  if (status.ok() && options.Has("baseline")) {
    absl::StatusOr<results::Cell> cell =
        results::ParseSettings(options.Get("baseline"));
    if (cell.ok()) {
      grid.baseline = *std::move(cell);
    } else {
      status = cell.status();
    }
  }
  if (!status.ok()) return status;
  return grid;
}

absl::StatusOr<results::Arm> ToArm(const results::SweepGrid& grid,
                                   const results::Cell& cell,
                                   const std::vector<std::string>& workload) {
  results::Cell of_the_run;
  for (const results::Axis& axis : grid.axes) {
    if (!axis.live) of_the_run[axis.name] = cell.at(axis.name);
  }
  absl::StatusOr<results::Arm> arm =
      MakeRunArm(results::CellText(grid, cell), workload, of_the_run);
  if (!arm.ok()) return arm;
  arm->settings = cell;
  for (const results::Axis& axis : grid.axes) {
    if (!axis.live) continue;
    arm->live.push_back({*results::LivePath(axis.name), cell.at(axis.name)});
  }
  return arm;
}

absl::StatusOr<results::Recipe> ToRecipe(const SimpleOptions& options,
                                         ExperimentRequest& request) {
  results::Recipe recipe;
  recipe.kind = "sweep";
  if (!options.operands().empty()) {
    return absl::InvalidArgumentError(
        fmt::format("sweep: '{}' stands before --; the workload follows it",
                    options.operands()[0]));
  }
  if (!options.Has("resume")) {
    const absl::StatusOr<results::SweepGrid> grid = ToGrid(options);
    if (!grid.ok()) return grid.status();
    const auto cells = results::CellsOf(*grid);
    if (!cells.ok()) return cells.status();
    for (const results::Cell& cell : *cells) {
      absl::StatusOr<results::Arm> arm =
          ToArm(*grid, cell, options.after_dashes());
      if (!arm.ok()) return arm.status();
      recipe.arms.push_back(*std::move(arm));
    }
    recipe.baseline = results::BaselinesOf(*grid, *cells);
  }
  recipe.schedule.arms = static_cast<int64_t>(recipe.arms.size());
  recipe.metric.name = options.Get("metric", "time");
  absl::StatusOr<ExperimentRequest> read =
      ReadExperimentOptions(options, recipe);
  if (!read.ok()) return read.status();
  request = *std::move(read);
  return recipe;
}

int Complain(const absl::Status& status) {
  LogError(std::string(status.message()));
  return kExitUsage;
}

}  // namespace

int SweepCommand(Words words) {
  const std::vector<OptionSpec> specs = Specs();
  const absl::StatusOr<SimpleOptions> options =
      ParseSimpleOptions("sweep", specs, words);
  if (!options.ok()) return Complain(options.status());
  if (options->Has("help")) {
    const absl::Status written = WriteStdout(SimpleHelp(kUsage, specs));
    return written.ok() ? 0 : Complain(written);
  }
  ExperimentRequest request;
  absl::StatusOr<results::Recipe> recipe = ToRecipe(*options, request);
  if (!recipe.ok()) return Complain(recipe.status());
  return RunExperiment(request, *std::move(recipe));
}

}  // namespace hackbench
