// SPDX-License-Identifier: MIT
#include "results/analysis.h"

#include <absl/status/status.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "results/confounders.h"
#include "results/quantile.h"
#include "results/recipe.h"
#include "results/status_text.h"
#include "results/text.h"

namespace hackbench::results {
namespace {

constexpr size_t kFewestBoots = 5;

double Mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(values.size());
}

Better ToBetter(const std::string& text) {
  if (text == "higher") return Better::kHigher;
  return text == "none" ? Better::kNone : Better::kLower;
}

// One experiment, read once for all metrics.
struct Loaded {
  Side side;
  Recipe recipe = {};
  StoredExperiment experiment = {};
  std::vector<Arm> arms = {};
  std::vector<RunRow> runs = {};
  std::vector<StoredMetric> metrics = {};
  std::map<std::string, std::string> boots = {};  // By env_id.
};

absl::StatusOr<Loaded> Load(const Side& side) {
  Loaded loaded{.side = side};
  Store& store = *side.store;
  absl::StatusOr<StoredExperiment> experiment = store.Experiment(side.exp_id);
  if (!experiment.ok()) return experiment.status();
  absl::StatusOr<Recipe> recipe = RecipeFromJson(experiment->spec);
  if (!recipe.ok()) return recipe.status();
  absl::StatusOr<std::vector<StoredArm>> arms = store.Arms(side.exp_id);
  if (!arms.ok()) return arms.status();
  for (const StoredArm& stored : *arms) {
    absl::StatusOr<Arm> arm = ArmFromJson(stored.spec);
    if (!arm.ok()) return arm.status();
    loaded.arms.push_back(*std::move(arm));
  }
  absl::StatusOr<std::vector<RunRow>> runs = store.Runs(side.exp_id);
  if (!runs.ok()) return runs.status();
  absl::StatusOr<std::vector<StoredMetric>> metrics =
      store.Metrics(side.exp_id);
  if (!metrics.ok()) return metrics.status();
  loaded.recipe = *std::move(recipe);
  loaded.experiment = *std::move(experiment);
  loaded.runs = *std::move(runs);
  loaded.metrics = *std::move(metrics);
  for (const RunRow& run : loaded.runs) {
    if (run.arm < 0 || run.arm >= static_cast<int64_t>(loaded.arms.size())) {
      return absl::DataLossError("a launch belongs to no arm");
    }
    loaded.boots.try_emplace(run.env_id);
  }
  for (auto& [env_id, boot] : loaded.boots) {
    const auto text = store.database().SelectText(
        "SELECT coalesce(boot_id, '') FROM env WHERE env_id = ?", {env_id});
    boot = text.value_or("");
  }
  return loaded;
}

absl::StatusOr<std::vector<ArmData>> DataOf(const Loaded& loaded,
                                            const std::string& metric) {
  const auto samples = loaded.side.store->Samples(loaded.side.exp_id, metric);
  if (!samples.ok()) return samples.status();
  std::vector<ArmData> data(loaded.arms.size());
  for (size_t i = 0; i < data.size(); ++i) {
    data[i].arm = loaded.arms[i];
    data[i].label =
        loaded.side.label.empty() ? loaded.arms[i].label : loaded.side.label;
    if (!loaded.side.label.empty() && data.size() > 1) {
      data[i].label += " " + loaded.arms[i].label;
    }
  }
  for (const RunRow& run : loaded.runs) {
    if (run.role != "measure") continue;
    ArmData& arm = data[static_cast<size_t>(run.arm)];
    ++arm.launches;
    if (run.status != "ok") ++arm.failed;
    if (run.status != "ok" || run.superseded) continue;
    const auto found = samples->find(run.run_id);
    if (found == samples->end()) continue;
    const double value = Mean(found->second);
    arm.values.push_back(value);
    arm.observations.push_back({run.started_ns, run.pos, value});
    if (run.flags == "[]") arm.unflagged.push_back(value);
    arm.by_block[run.block].push_back(value);
    arm.by_boot[loaded.boots.at(run.env_id)].push_back(value);
    arm.env_ids.insert(run.env_id);
    if (!run.config_id.empty()) arm.config_ids.insert(run.config_id);
  }
  return data;
}

std::vector<double> BootMeans(const ArmData& arm) {
  std::vector<double> means;
  for (const auto& [boot, values] : arm.by_boot) means.push_back(Mean(values));
  return means;
}

// Settings that both have, with the same value.
std::string CommonSettings(const Arm& a, const Arm& b) {
  std::string text;
  for (const auto& [key, value] : a.settings) {
    const auto found = b.settings.find(key);
    if (found == b.settings.end() || found->second != value) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value);
  }
  return text;
}

void NoteOutliers(const ArmData& arm, std::vector<std::string>& notes) {
  const std::vector<bool> far = FlagFarOut(arm.values);
  const auto count = std::count(far.begin(), far.end(), true);
  if (count > 0) {
    notes.push_back(
        fmt::format("{}: {} of {} launches far out (3 IQR and MAD): kept",
                    arm.label, count, arm.values.size()));
  }
}

void NoteFlagged(const ArmData& a, const ArmData& b, ComparisonRow& row) {
  const size_t flagged = a.values.size() - a.unflagged.size() +
                         b.values.size() - b.unflagged.size();
  if (flagged == 0) return;
  std::string text = fmt::format(
      "{} launches flagged (steal, throttling, swap, leftovers): kept",
      flagged);
  const absl::StatusOr<Comparison> without =
      CompareUnpaired(a.unflagged, b.unflagged, row.result.options);
  if (without.ok()) {
    text += "; without them " + PercentText(without->effect);
    if (without->interval) {
      text += fmt::format(" [{:+.1f}, {:+.1f}] unpaired",
                          100 * without->interval->low,
                          100 * without->interval->high);
    }
  }
  row.notes.push_back(std::move(text));
}

void NoteFailures(ComparisonRow& row) {
  if (row.failed_a == row.failed_b) return;
  row.notes.push_back(fmt::format(
      "fail:runs {}:{} against {}:{}: what survived is a biased choice",
      row.failed_a, row.launches_a, row.failed_b, row.launches_b));
}

void NoteTail(ComparisonRow& row) {
  const std::optional<double> half = row.result.HalfWidth();
  constexpr double kRounding = 1e-9;
  const double apart = std::abs(row.result.mean_effect - row.result.effect);
  if (!half || apart <= *half + kRounding) {
    return;
  }
  row.notes.push_back(fmt::format(
      "the mean moved by {}, the bulk by {}: look at the tail",
      PercentText(row.result.mean_effect), PercentText(row.result.effect)));
}

struct Pair {
  const ArmData* a;
  const ArmData* b;
  Store* store_a;
  Store* store_b;
  bool same_blocks;
};

absl::StatusOr<ComparisonRow> MakeRow(const Pair& pair,
                                      const StoredMetric& metric,
                                      JudgeOptions judge) {
  const ArmData& a = *pair.a;
  const ArmData& b = *pair.b;
  judge.better = ToBetter(metric.better);
  ComparisonRow row{.metric = metric,
                    .a = a.label,
                    .b = b.label,
                    .cell = CommonSettings(a.arm, b.arm)};
  row.failed_a = a.failed;
  row.failed_b = b.failed;
  row.launches_a = a.launches;
  row.launches_b = b.launches;
  const absl::StatusOr<Confounders> confounders =
      FindConfounders(*pair.store_a, a, *pair.store_b, b);
  if (!confounders.ok()) return confounders.status();
  row.confounded = confounders->names;

  absl::StatusOr<Comparison> result;
  if (pair.same_blocks) {
    std::vector<Block> blocks;
    for (const auto& [block, values] : a.by_block) {
      const auto other = b.by_block.find(block);
      if (other != b.by_block.end()) blocks.push_back({values, other->second});
    }
    result = ComparePaired(blocks, judge);
  } else if (confounders->needs_boot) {
    result = CompareUnpaired(BootMeans(a), BootMeans(b), judge);
    row.notes.push_back("the arms are different kernels: the unit is the boot");
    const size_t boots = std::min(a.by_boot.size(), b.by_boot.size());
    if (result.ok() && boots < kFewestBoots) {
      result = CompareUnpaired(a.values, b.values, judge);
      if (result.ok()) {
        result->why_none = fmt::format(
            "{} boots on a side are too few, descriptive only", boots);
      }
    }
  } else {
    result = CompareUnpaired(a.values, b.values, judge);
    row.notes.push_back("unpaired: drift between the two is not controlled");
  }
  if (!result.ok()) return result.status();
  row.result = *std::move(result);
  NoteOutliers(a, row.notes);
  NoteOutliers(b, row.notes);
  NoteFlagged(a, b, row);
  NoteFailures(row);
  NoteTail(row);
  return row;
}

void AddArms(const std::vector<ArmData>& data, const std::string& metric,
             Report& report) {
  for (const ArmData& arm : data) {
    if (arm.values.empty()) continue;
    report.arms.push_back({arm.label, arm.arm.settings, metric,
                           Summarise(arm.values), arm.failed, arm.launches});
  }
}

absl::StatusOr<std::vector<StoredMetric>> ChooseMetrics(
    const Loaded& loaded, const AnalysisOptions& options) {
  std::vector<std::string> wanted = options.metrics;
  if (wanted.empty()) wanted = {loaded.recipe.metric.name};
  std::vector<StoredMetric> chosen;
  std::string known;
  for (const StoredMetric& metric : loaded.metrics) {
    known += (known.empty() ? "" : ", ") + metric.name;
    if (wanted[0] == "all" ||
        std::find(wanted.begin(), wanted.end(), metric.name) != wanted.end()) {
      chosen.push_back(metric);
    }
  }
  if (chosen.empty() || (wanted[0] != "all" && chosen.size() < wanted.size())) {
    if (known.empty()) {
      return absl::NotFoundError(loaded.side.exp_id +
                                 " has no complete launch yet");
    }
    return absl::NotFoundError(
        fmt::format("no metric '{}' in {}; there are: {}",
                    fmt::join(wanted, ","), loaded.side.exp_id, known));
  }
  return chosen;
}

void JudgeAll(Report& report) {
  std::vector<Comparison*> family;
  for (ComparisonRow& row : report.rows) family.push_back(&row.result);
  Judge(family, report.adjust);
  report.footnotes.push_back(fmt::format(
      "family: {} {}, {}", family.size(), family.size() == 1 ? "test" : "tests",
      report.adjust == Adjust::kHolm ? "adjusted by Holm"
      : report.adjust == Adjust::kBenjaminiHochberg
          ? "adjusted by Benjamini and Hochberg"
          : "not adjusted for their number"));
  if (report.adjust == Adjust::kNone && family.size() > 1) {
    report.footnotes.push_back(
        "unadjusted: about one row in twenty is a false alarm");
  }
}

JudgeOptions ToJudge(const AnalysisOptions& options, const Report& report,
                     const Recipe& recipe) {
  return {.confidence = options.confidence,
          .alpha = options.alpha,
          .margin = report.margin,
          .seed = recipe.schedule.seed};
}

std::string DesignLine(const Loaded& loaded) {
  int64_t ok = 0;
  int64_t failed = 0;
  std::set<int64_t> blocks;
  for (const RunRow& run : loaded.runs) {
    if (run.role != "measure") continue;
    ++(run.status == "ok" ? ok : failed);
    blocks.insert(run.block);
  }
  std::string reason = "not finished";
  loaded.side.store->database()
      .Select("SELECT reason FROM finish WHERE exp_id = ?",
              {loaded.side.exp_id},
              [&](const SqlRow& row) { reason = row.Text(0); })
      .IgnoreError();
  return fmt::format(
      "design {} {} of {}, order {}, seed {}, {} warm-up each, {} ok / {} "
      "failed, stopped: {}",
      blocks.size(), blocks.size() == 1 ? "block" : "blocks",
      loaded.recipe.schedule.BlockSize(),
      OrderName(loaded.recipe.schedule.order), loaded.recipe.schedule.seed,
      loaded.recipe.schedule.warmups, ok, failed, reason);
}

std::string EnvironmentLine(const Loaded& loaded) {
  if (loaded.runs.empty()) return "";
  const absl::StatusOr<Environment> environment =
      loaded.side.store->LoadEnvironment(loaded.runs.front().env_id);
  if (!environment.ok()) return "";
  const auto text = [&](std::string_view name) {
    return environment->Get(name).value_or("unknown");
  };
  const bool verified = environment->Get("kernel.preempt_verified") == "yes";
  return fmt::format("{}  HZ={}  preempt={}{}", text("kernel.release"),
                     text("kernel.hz"), text("kernel.preempt"),
                     verified ? "" : " (not verified)");
}

}  // namespace

absl::StatusOr<Report> AnalyseExperiment(Store& store,
                                         const std::string& exp_id,
                                         const AnalysisOptions& options) {
  const absl::StatusOr<Loaded> loaded = Load({&store, exp_id, ""});
  if (!loaded.ok()) return loaded.status();
  const auto metrics = ChooseMetrics(*loaded, options);
  if (!metrics.ok()) return metrics.status();
  const Recipe& recipe = loaded->recipe;
  Report report;
  report.title = fmt::format("{}  {}", recipe.kind, exp_id);
  report.alpha = options.alpha;
  report.margin = options.margin.value_or(recipe.margin);
  report.adjust = options.adjust.value_or(
      recipe.kind == "sweep" ? Adjust::kBenjaminiHochberg : Adjust::kHolm);
  report.header = {EnvironmentLine(*loaded)};
  if (loaded->arms.size() <= 6) {
    for (const Arm& arm : loaded->arms) {
      report.header.push_back(
          fmt::format("arm {}  {}", arm.label, SettingsText(arm)));
    }
  }
  report.header.push_back(DesignLine(*loaded));
  for (const StoredMetric& metric : *metrics) {
    const absl::StatusOr<std::vector<ArmData>> data =
        DataOf(*loaded, metric.name);
    if (!data.ok()) return data.status();
    AddArms(*data, metric.name, report);
    std::vector<std::vector<Observation>> observations;
    for (const ArmData& arm : *data) observations.push_back(arm.observations);
    for (const std::string& hint : SessionHints(observations)) {
      report.footnotes.push_back("hint  " + hint);
    }
    for (size_t i = 0; i < data->size(); ++i) {
      if (i >= recipe.baseline.size() || recipe.baseline[i] < 0 ||
          recipe.baseline[i] >= static_cast<int64_t>(data->size())) {
        return absl::DataLossError("an arm has no baseline");
      }
      const auto base = static_cast<size_t>(recipe.baseline[i]);
      if (base == i) continue;
      const bool blocks = recipe.schedule.order != Order::kSeq;
      absl::StatusOr<ComparisonRow> row =
          MakeRow({&(*data)[base], &(*data)[i], &store, &store, blocks}, metric,
                  ToJudge(options, report, recipe));
      if (!row.ok()) {
        report.footnotes.push_back(fmt::format(
            "{} {}: {}", metric.name, (*data)[i].label, Message(row.status())));
        continue;
      }
      report.rows.push_back(*std::move(row));
    }
  }
  JudgeAll(report);
  return report;
}

absl::StatusOr<Report> AnalyseSides(const std::vector<Side>& sides,
                                    const AnalysisOptions& options) {
  std::vector<Loaded> loaded;
  for (const Side& side : sides) {
    absl::StatusOr<Loaded> one = Load(side);
    if (!one.ok()) return one.status();
    loaded.push_back(*std::move(one));
  }
  const auto metrics = ChooseMetrics(loaded.front(), options);
  if (!metrics.ok()) return metrics.status();
  Report report;
  report.title = "compare";
  report.alpha = options.alpha;
  report.margin = options.margin.value_or(loaded.front().recipe.margin);
  report.adjust = options.adjust.value_or(Adjust::kHolm);
  for (const Loaded& one : loaded) {
    report.header.push_back(fmt::format("{}: {} {}  {}", one.side.label,
                                        one.recipe.kind, one.side.exp_id,
                                        EnvironmentLine(one)));
  }
  for (const StoredMetric& metric : *metrics) {
    std::vector<std::vector<ArmData>> data;
    for (const Loaded& one : loaded) {
      absl::StatusOr<std::vector<ArmData>> arms = DataOf(one, metric.name);
      if (!arms.ok()) return arms.status();
      AddArms(*arms, metric.name, report);
      data.push_back(*std::move(arms));
    }
    for (size_t side = 1; side < data.size(); ++side) {
      const bool single = data[0].size() == 1 && data[side].size() == 1;
      for (const ArmData& a : data[0]) {
        for (const ArmData& b : data[side]) {
          const bool match = single || (a.arm.label == b.arm.label &&
                                        a.arm.settings == b.arm.settings);
          if (!match) continue;
          absl::StatusOr<ComparisonRow> row =
              MakeRow({&a, &b, sides[0].store, sides[side].store, false},
                      metric, ToJudge(options, report, loaded[0].recipe));
          if (!row.ok()) {
            report.footnotes.push_back(fmt::format(
                "{} {}: {}", metric.name, b.label, Message(row.status())));
            continue;
          }
          report.rows.push_back(*std::move(row));
        }
      }
    }
  }
  if (report.rows.empty()) {
    return absl::InvalidArgumentError(
        "the two sides have no arm in common (same label and settings) with "
        "complete launches");
  }
  JudgeAll(report);
  return report;
}

std::string Explain(const ComparisonRow& row, const Report& report) {
  const Comparison& c = row.result;
  std::string text =
      fmt::format("{} of {} against {}:\n", row.metric.name, row.b, row.a);
  if (c.paired) {
    text += fmt::format(
        "  {} and {} were launched {} and {} times in {} blocks, mixed within "
        "each. Each launch is one observation. Values are compared on a "
        "logarithmic scale: each is set against the centre of its block, all "
        "are ranked, and the rank sum of {} is held against what relabelling "
        "launches inside the blocks would give ({}).\n",
        row.a, row.b, c.a.n, c.b.n, c.blocks, row.b,
        c.p_is_exact ? "all ways counted"
                     : fmt::format("{} random ways", kDraws));
  } else {
    text += fmt::format(
        "  {} and {} were not launched in common blocks ({} and {} values), so "
        "a drift of the machine between them looks like an effect. The larger "
        "p-value of Welch's test on logarithms and of Mann and Whitney's is "
        "used.\n",
        row.a, row.b, c.a.n, c.b.n);
  }
  text += fmt::format("  The typical ratio (Hodges and Lehmann) is {}",
                      PercentText(c.effect));
  if (c.interval) {
    text +=
        fmt::format("; with {:.0f} % confidence it lies from {} to {}",
                    100 * c.options.confidence, PercentText(c.interval->low),
                    PercentText(c.interval->high));
  }
  text += fmt::format(
      ".\n  p = {}, adjusted for {} rows {}; below {:.2f} the difference is "
      "real. Whether it matters is another question: below the margin of "
      "{:.1f} % it does not.\n  verdict: {}\n",
      PText(c.p), c.family, PText(c.p_adjusted), report.alpha,
      100 * report.margin, VerdictText(c));
  if (c.verdict == Verdict::kUndecided && c.why_none.empty()) {
    const size_t more = BlocksToReach(c, report.margin);
    if (more > 0 && c.paired) {
      text += fmt::format(
          "  about {} more blocks would narrow the interval to ±{:.1f} %\n",
          more, 100 * report.margin);
    }
  }
  return text;
}

}  // namespace hackbench::results
