// SPDX-License-Identifier: MIT
// `hackbench ab`: two or more configurations, or programs, launched in turns
// and judged.
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
#include "results/sweep_grid.h"

namespace hackbench {
namespace {

constexpr int kExitUsage = 2;
constexpr std::string_view kUsage =
    "usage: hackbench ab --a \"k=v,...\" --b \"k=v,...\" [OPTION]... -- "
    "WORKLOAD\n"
    "       hackbench ab --cmd-a CMD --cmd-b CMD [OPTION]...\n"
    "       hackbench ab --aa [--repeat 10] [OPTION]... -- WORKLOAD\n"
    "\n"
    "  hackbench ab --a transport=pipe --b transport=socketpair -- 10 process "
    "100\n"
    "  hackbench ab --cmd-a '/usr/bin/hackbench -g 4' --cmd-b 'hackbench -g "
    "4'\n";

std::vector<OptionSpec> Specs() {
  std::vector<OptionSpec> specs = {
      {"a", "K=V,...", "settings of arm A, the baseline, on top of WORKLOAD"},
      {"b", "K=V,...", "settings of arm B"},
      {"arm", "K=V,...", "settings of a further arm: C, D, ...", true},
      {"cmd-a", "CMD", "arm A is this program"},
      {"cmd-b", "CMD", "arm B is this program"},
      {"cmd", "CMD", "a further program: C, D, ...", true},
      {"aa", "", "two equal arms: what this machine calls a difference"},
      {"repeat", "K", "with --aa: so many experiments, for a noise floor"},
  };
  const std::vector<OptionSpec> common = ExperimentOptionSpecs();
  specs.insert(specs.end(), common.begin(), common.end());
  return specs;
}

// A, B, ... Z, AA, ...
std::string LabelOf(size_t index) {
  std::string label(1, static_cast<char>('A' + index % 26));
  return index < 26 ? label : LabelOf(index / 26 - 1) + label;
}

absl::Status AddArm(absl::StatusOr<results::Arm> arm, results::Recipe& recipe) {
  if (!arm.ok()) return arm.status();
  for (const results::Arm& other : recipe.arms) {
    if (recipe.kind != "aa" && other.settings == arm->settings) {
      return absl::InvalidArgumentError(fmt::format(
          "arms {} and {} are equal; --aa is the way to measure the noise",
          other.label, arm->label));
    }
  }
  recipe.arms.push_back(*std::move(arm));
  return absl::OkStatus();
}

absl::Status AddCommandArms(const SimpleOptions& options,
                            results::Recipe& recipe) {
  if (!options.Has("cmd-a") || !options.Has("cmd-b")) {
    return absl::InvalidArgumentError("--cmd-a and --cmd-b go together");
  }
  if (options.Has("a") || options.Has("b") || options.Has("arm") ||
      !options.after_dashes().empty()) {
    return absl::InvalidArgumentError(
        "--cmd-a and --cmd-b are whole commands; --a, --b and a workload after "
        "-- have no place beside them");
  }
  std::vector<std::string> commands = {options.Get("cmd-a"),
                                       options.Get("cmd-b")};
  for (const std::string& more : options.All("cmd")) commands.push_back(more);
  for (const std::string& command : commands) {
    absl::Status status =
        AddArm(MakeCommandArm(LabelOf(recipe.arms.size()), command), recipe);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status AddRunArms(const SimpleOptions& options, results::Recipe& recipe) {
  std::vector<std::string> settings = {options.Get("a"), options.Get("b")};
  for (const std::string& more : options.All("arm")) settings.push_back(more);
  for (const std::string& text : settings) {
    results::Cell cell;
    if (!text.empty()) {
      absl::StatusOr<results::Cell> parsed = results::ParseSettings(text);
      if (!parsed.ok()) return parsed.status();
      cell = *std::move(parsed);
    }
    absl::Status status = AddArm(
        MakeRunArm(LabelOf(recipe.arms.size()), options.after_dashes(), cell),
        recipe);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status AddArms(const SimpleOptions& options, results::Recipe& recipe) {
  const bool commands = options.Has("cmd-a") || options.Has("cmd-b");
  if (options.Has("aa")) {
    recipe.kind = "aa";
    if (options.Has("a") || options.Has("b") || options.Has("cmd-b")) {
      return absl::InvalidArgumentError(
          "--aa takes one workload after --, or one --cmd-a");
    }
    for (const char* const label : {"A1", "A2"}) {
      absl::Status status =
          AddArm(commands ? MakeCommandArm(label, options.Get("cmd-a"))
                          : MakeRunArm(label, options.after_dashes(), {}),
                 recipe);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }
  if (options.Has("repeat")) {
    return absl::InvalidArgumentError("--repeat belongs to --aa");
  }
  if (commands) return AddCommandArms(options, recipe);
  if (!options.Has("a") && !options.Has("b")) {
    return absl::InvalidArgumentError(
        "nothing to compare: give --a and --b, --cmd-a and --cmd-b, or --aa; "
        "hackbench ab --help shows how");
  }
  return AddRunArms(options, recipe);
}

// --metric is a name for our own records, a regular expression for others.
void ReadMetric(const SimpleOptions& options, results::Recipe& recipe) {
  const std::string text = options.Get("metric");
  recipe.metric.name = options.Get("metric-name", "time");
  if (text.empty()) return;
  if (text == "wall" || recipe.arms[0].prints_record) {
    recipe.metric.name = text;
  } else {
    recipe.metric.regex = text;
  }
}

absl::StatusOr<results::Recipe> ToRecipe(const SimpleOptions& options,
                                         ExperimentRequest& request) {
  results::Recipe recipe;
  recipe.kind = "ab";
  if (!options.operands().empty()) {
    return absl::InvalidArgumentError(
        fmt::format("ab: '{}' stands before --; the workload follows it",
                    options.operands()[0]));
  }
  if (!options.Has("resume")) {
    absl::Status status = AddArms(options, recipe);
    if (!status.ok()) return status;
  } else {
    recipe.arms.resize(2);  // The store has them.
  }
  recipe.schedule.arms = static_cast<int64_t>(recipe.arms.size());
  recipe.baseline.assign(recipe.arms.size(), 0);
  absl::StatusOr<ExperimentRequest> read =
      ReadExperimentOptions(options, recipe);
  if (!read.ok()) return read.status();
  request = *std::move(read);
  ReadMetric(options, recipe);
  const auto reader = results::OutputReader::Make(recipe.metric);
  if (!reader.ok()) return reader.status();
  return recipe;
}

int Complain(const absl::Status& status) {
  LogError(std::string(status.message()));
  return kExitUsage;
}

}  // namespace

int AbCommand(Words words) {
  const std::vector<OptionSpec> specs = Specs();
  const absl::StatusOr<SimpleOptions> options =
      ParseSimpleOptions("ab", specs, words);
  if (!options.ok()) return Complain(options.status());
  if (options->Has("help")) {
    const absl::Status written = WriteStdout(SimpleHelp(kUsage, specs));
    return written.ok() ? 0 : Complain(written);
  }
  ExperimentRequest request;
  absl::StatusOr<results::Recipe> recipe = ToRecipe(*options, request);
  if (!recipe.ok()) return Complain(recipe.status());
  if (!options->Has("repeat")) {
    return RunExperiment(request, *std::move(recipe));
  }
  const absl::StatusOr<int64_t> count =
      ParseCount("repeat", options->Get("repeat"), 1, 1000);
  if (!count.ok()) return Complain(count.status());
  return RunNoiseFloor(request, *recipe, *count);
}

}  // namespace hackbench
