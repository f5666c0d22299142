// SPDX-License-Identifier: MIT
// `hackbench show`: one result, its launches, plan or environment.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "hackbench/command_list.h"
#include "hackbench/result_command.h"
#include "results/analysis.h"
#include "results/layout_list.h"
#include "results/recipe.h"
#include "results/text.h"

namespace hackbench {
namespace {

using results::RunRow;
using results::Store;

constexpr std::array kSpecs = {
    OptionSpec{"runs", "", "every launch, also those that do not count"},
    OptionSpec{"plan", "", "the planned slots and what became of them"},
    OptionSpec{"env", "", "the environment of the first launch"},
    OptionSpec{"recipe", "", "the stored recipe and arms, as JSON"},
    kDbOption,
    kHelpOption,
};

std::vector<std::string> Labels(const std::vector<results::StoredArm>& arms) {
  std::vector<std::string> labels;
  for (const results::StoredArm& arm : arms) labels.push_back(arm.label);
  return labels;
}

std::string LabelOf(const std::vector<std::string>& labels, int64_t arm) {
  return arm >= 0 && arm < static_cast<int64_t>(labels.size())
             ? labels[static_cast<size_t>(arm)]
             : "?";
}

absl::StatusOr<std::string> RunsText(Store& store, const std::string& exp_id) {
  const auto experiment = store.Experiment(exp_id);
  if (!experiment.ok()) return experiment.status();
  const auto recipe = results::RecipeFromJson(experiment->spec);
  const std::string metric = recipe.ok() ? recipe->metric.name : "time";
  const auto arms = store.Arms(exp_id);
  if (!arms.ok()) return arms.status();
  const auto runs = store.Runs(exp_id);
  if (!runs.ok()) return runs.status();
  const auto samples = store.Samples(exp_id, metric);
  if (!samples.ok()) return samples.status();
  const std::vector<std::string> labels = Labels(*arms);
  std::vector<std::vector<std::string>> lines = {
      {"BLOCK", "POS", "ARM", "ROLE", "TRY", "STATUS", metric, "FLAGS",
       "COUNTS", "MESSAGE"}};
  for (const RunRow& run : *runs) {
    const auto found = samples->find(run.run_id);
    std::string values;
    if (found != samples->end()) {
      for (const double value : found->second) {
        if (!values.empty()) values += ',';
        values += results::FigureText(value);
      }
    }
    const bool counts =
        run.role == "measure" && run.status == "ok" && !run.superseded;
    lines.push_back({run.block < 0 ? "-" : fmt::format("{}", run.block + 1),
                     fmt::format("{}", run.pos + 1), LabelOf(labels, run.arm),
                     run.role, fmt::format("{}", run.attempt + 1), run.status,
                     values, run.flags == "[]" ? "" : run.flags,
                     counts ? "yes" : "no", run.message});
  }
  return results::Columns(lines, lines[0].size());
}

absl::StatusOr<std::string> PlanText(Store& store, const std::string& exp_id) {
  const auto arms = store.Arms(exp_id);
  if (!arms.ok()) return arms.status();
  const auto slots = store.Slots(exp_id);
  if (!slots.ok()) return slots.status();
  const auto runs = store.Runs(exp_id);
  if (!runs.ok()) return runs.status();
  std::map<int64_t, std::string> state;
  for (const RunRow& run : *runs) {
    if (!run.superseded) state[run.seq] = run.status;
  }
  const std::vector<std::string> labels = Labels(*arms);
  std::vector<std::vector<std::string>> lines = {
      {"SEQ", "BLOCK", "POS", "ARM", "ROLE", "SHARD", "STATE"}};
  for (const results::StoredSlot& slot : *slots) {
    const auto found = state.find(slot.seq);
    lines.push_back({fmt::format("{}", slot.seq), fmt::format("{}", slot.block),
                     fmt::format("{}", slot.pos), LabelOf(labels, slot.arm),
                     slot.role, fmt::format("{}", slot.shard + 1),
                     found == state.end() ? "pending" : found->second});
  }
  return results::Columns(lines, lines[0].size());
}

absl::StatusOr<std::string> EnvText(Store& store, const std::string& exp_id) {
  const auto runs = store.Runs(exp_id);
  if (!runs.ok()) return runs.status();
  if (runs->empty()) return absl::NotFoundError("nothing has run yet");
  const auto environment = store.LoadEnvironment(runs->front().env_id);
  if (!environment.ok()) return environment.status();
  std::vector<std::vector<std::string>> lines;
  for (const results::EnvironmentField& field : environment->fields()) {
    lines.push_back({field.name, field.value.value_or("unknown"),
                     fmt::format("({})", field.source)});
  }
  return results::Columns(lines, 3);
}

absl::StatusOr<std::string> RecipeText(Store& store,
                                       const std::string& exp_id) {
  const auto experiment = store.Experiment(exp_id);
  if (!experiment.ok()) return experiment.status();
  const auto arms = store.Arms(exp_id);
  if (!arms.ok()) return arms.status();
  nlohmann::ordered_json json = {
      {"id", exp_id},
      {"recipe",
       nlohmann::ordered_json::parse(experiment->spec, nullptr, false)},
      {"arms", nlohmann::ordered_json::array()}};
  for (const results::StoredArm& arm : *arms) {
    json["arms"].push_back(
        nlohmann::ordered_json::parse(arm.spec, nullptr, false));
  }
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

}  // namespace

int ShowCommand(Words words) {
  return RunResultCommand(
      "show", "usage: hackbench show [REF] [OPTION]...\n", kSpecs, words,
      Store::Access::kRead,
      [](const SimpleOptions& options,
         Store& store) -> absl::StatusOr<std::string> {
        const auto reference = OneOperand(options, "last");
        if (!reference.ok()) return reference.status();
        const auto exp_id = store.Resolve(*reference);
        if (!exp_id.ok()) return exp_id.status();
        if (options.Has("runs")) return RunsText(store, *exp_id);
        if (options.Has("plan")) return PlanText(store, *exp_id);
        if (options.Has("env")) return EnvText(store, *exp_id);
        if (options.Has("recipe")) return RecipeText(store, *exp_id);
        const auto report = results::AnalyseExperiment(store, *exp_id, {});
        if (!report.ok()) return report.status();
        const auto experiment = store.Experiment(*exp_id);
        const bool sweep = experiment.ok() && experiment->kind == "sweep";
        return results::kLayoutList[sweep ? 1 : 0].format(*report);
      });
}

}  // namespace hackbench
