// SPDX-License-Identifier: MIT
#include "hackbench/experiment_options.h"

#include <absl/status/status.h>
#include <fmt/format.h>

#include <algorithm>

#include "hackbench/suggest.h"
#include "results/hash.h"
#include "results/layout_list.h"
#include "results/schedule.h"
#include "results/store.h"

namespace hackbench {
namespace {

constexpr int64_t kMostBlocks = 100000;
constexpr int64_t kDefaultBudgetNsPerPair = 300'000'000'000;

absl::Status ReadBlocks(const SimpleOptions& options, results::Recipe& recipe) {
  absl::StatusOr<int64_t> low =
      ParseCount("blocks", options.Get("blocks", "6"), 1, kMostBlocks);
  if (!low.ok()) return low.status();
  // Half as many launches in a block need twice the blocks for the same cap.
  const bool pair = recipe.schedule.order == results::Order::kPair;
  if (pair && !options.Has("blocks")) *low *= 2;
  const int64_t otherwise = std::max(*low, int64_t{pair ? 80 : 40});
  const absl::StatusOr<int64_t> high = ParseCount(
      "max-blocks", options.Get("max-blocks", fmt::format("{}", otherwise)),
      *low, kMostBlocks);
  if (!high.ok()) return high.status();
  recipe.min_blocks = *low;
  recipe.max_blocks = *high;
  return absl::OkStatus();
}

absl::Status ReadSchedule(const SimpleOptions& options,
                          results::Recipe& recipe) {
  const absl::StatusOr<results::Order> order =
      results::ParseOrder(options.Get("order", "block4"));
  if (!order.ok()) return order.status();
  recipe.schedule.order = *order;
  recipe.schedule.seed = results::RandomSeed();
  if (options.Has("seed")) {
    const absl::StatusOr<int64_t> seed =
        ParseCount("seed", options.Get("seed"), 0, INT64_MAX);
    if (!seed.ok()) return seed.status();
    recipe.schedule.seed = static_cast<uint64_t>(*seed);
  }
  const absl::StatusOr<int64_t> warmup =
      ParseCount("warmup", options.Get("warmup", "1"), 0, 1000);
  if (!warmup.ok()) return warmup.status();
  recipe.schedule.warmups = *warmup;
  return ReadBlocks(options, recipe);
}

absl::Status ReadShares(const SimpleOptions& options, results::Recipe& recipe) {
  const absl::StatusOr<double> target =
      ParseShare("target-ci", options.Get("target-ci", "1%"));
  if (!target.ok()) return target.status();
  const absl::StatusOr<double> margin =
      ParseShare("margin", options.Get("margin", "1%"));
  if (!margin.ok()) return margin.status();
  recipe.target = *target;
  recipe.margin = *margin;
  return absl::OkStatus();
}

absl::Status ReadTimes(const SimpleOptions& options, results::Recipe& recipe) {
  struct Time {
    const char* name;
    int64_t* to;
  };
  recipe.time_budget_ns = -1;
  for (const Time& time : {Time{"time-budget", &recipe.time_budget_ns},
                           Time{"timeout", &recipe.timeout_ns},
                           Time{"settle", &recipe.settle_ns}}) {
    if (!options.Has(time.name)) continue;
    const absl::StatusOr<int64_t> ns =
        ParseDurationNs(time.name, options.Get(time.name));
    if (!ns.ok()) return ns.status();
    *time.to = *ns;
  }
  return absl::OkStatus();
}

absl::Status ReadFailures(const SimpleOptions& options,
                          results::Recipe& recipe) {
  const absl::StatusOr<int64_t> retries =
      ParseCount("retries", options.Get("retries", "1"), 0, 100);
  if (!retries.ok()) return retries.status();
  recipe.retries = *retries;
  const std::string codes = options.Get("ignore-failure");
  if (codes == "all") recipe.ignore_all = true;
  if (codes.empty() || codes == "all") return absl::OkStatus();
  std::string_view left = codes;
  while (!left.empty()) {
    const size_t comma = std::min(left.find(','), left.size());
    const absl::StatusOr<int64_t> code = ParseCount(
        "ignore-failure", std::string(left.substr(0, comma)), 1, 255);
    if (!code.ok()) return code.status();
    recipe.ignored_exit_codes.insert(static_cast<int>(*code));
    left.remove_prefix(std::min(comma + 1, left.size()));
  }
  return absl::OkStatus();
}

absl::Status ReadShard(const SimpleOptions& options, results::Recipe& recipe,
                       ExperimentRequest& request) {
  if (!options.Has("shard")) return absl::OkStatus();
  const std::string text = options.Get("shard");
  const size_t slash = text.find('/');
  const absl::Status bad = absl::InvalidArgumentError(
      fmt::format("--shard '{}': write I/N, the I-th of N shares", text));
  if (slash == std::string::npos) return bad;
  const auto shards = ParseCount("shard", text.substr(slash + 1), 1, 1000);
  if (!shards.ok()) return bad;
  const auto shard = ParseCount("shard", text.substr(0, slash), 1, *shards);
  if (!shard.ok()) return bad;
  if (!options.Has("seed") && !options.Has("resume")) {
    return absl::InvalidArgumentError(
        "--shard needs --seed: all shares must draw the same plan");
  }
  recipe.schedule.shards = *shards;
  request.shard = *shard - 1;
  // The plan is fixed beforehand: no share sees the others' intervals.
  recipe.max_blocks = recipe.min_blocks;
  return absl::OkStatus();
}

}  // namespace

std::vector<OptionSpec> ExperimentOptionSpecs() {
  return {
      {"order", "NAME", "block4 (random order in blocks), abba, pair or seq"},
      {"blocks", "MIN", "blocks to do at least (6: 12 launches an arm)"},
      {"max-blocks", "MAX", "blocks to do at most (40)"},
      {"target-ci", "SHARE",
       "stop once every interval's half-width is below it (1%)"},
      {"margin", "SHARE",
       "changes below it do not matter (1%, or the noise floor)"},
      {"time-budget", "TIME",
       "start no block that would end later (5m per comparison; 0s: no limit)"},
      {"timeout", "TIME", "end a launch that takes longer"},
      {"warmup", "N", "launches of each arm before, stored apart (1)"},
      {"settle", "TIME", "pause before each launch"},
      {"seed", "N", "of the order; recorded, random when not given"},
      {"retries", "N", "of a launch that fails (1)"},
      {"ignore-failure", "CODES",
       "go on when a launch fails: all, or exit codes by commas"},
      {"setup", "CMD", "shell command once before the first launch"},
      {"prepare", "CMD", "before each launch"},
      {"conclude", "CMD", "after each launch"},
      {"cleanup", "CMD", "once at the end, however it comes"},
      {"metric", "WHAT",
       "name of the metric to judge; for --cmd a regular expression whose "
       "group is the number, or wall"},
      {"metric-name", "NAME", "what --metric REGEX measures (time)"},
      {"metric-unit", "UNIT", "its unit (s)"},
      {"better", "SIDE", "its better side: lower, higher or none (lower)"},
      {"db", "FILE", "where results are stored"},
      {"tag", "NAME", "name the result, as --tag base for @base"},
      {"note", "TEXT", "stored with the result"},
      {"layout", "NAME", "how it is printed; hackbench compare --list-layouts"},
      {"resume", "REF", "go on with an interrupted experiment: last, an id"},
      {"allow-env-change", "", "also in another environment than it began in"},
      {"allow-parallel", "", "even while another experiment measures here"},
      {"shard", "I/N", "run the I-th of N shares of the blocks; needs --seed"},
      {"dry-run", "", "print the plan and stop"},
      {"gate", "", "exit 1 when an arm is slower beyond the margin"},
      {"quiet", "", "no progress"},
      {"help", "", "this text"},
  };
}

std::string DatabasePath(const SimpleOptions& options) {
  return options.Get("db", results::Store::DefaultPath());
}

absl::StatusOr<ExperimentRequest> ReadExperimentOptions(
    const SimpleOptions& options, results::Recipe& recipe) {
  ExperimentRequest request;
  request.db = DatabasePath(options);
  request.tag = options.Get("tag");
  request.layout = options.Get("layout");
  request.resume = options.Get("resume");
  request.quiet = options.Has("quiet");
  request.dry_run = options.Has("dry-run");
  request.gate = options.Has("gate");
  request.allow_environment_change = options.Has("allow-env-change");
  request.allow_parallel = options.Has("allow-parallel");
  request.margin_given = options.Has("margin");

  absl::Status status = ReadSchedule(options, recipe);
  if (status.ok()) status = ReadShares(options, recipe);
  if (status.ok()) status = ReadTimes(options, recipe);
  if (status.ok()) status = ReadFailures(options, recipe);
  if (status.ok()) status = ReadShard(options, recipe, request);
  if (!status.ok()) return status;

  recipe.hooks = {.setup = options.Get("setup"),
                  .prepare = options.Get("prepare"),
                  .conclude = options.Get("conclude"),
                  .cleanup = options.Get("cleanup")};
  recipe.note = options.Get("note");
  recipe.metric.unit = options.Get("metric-unit", "s");
  recipe.metric.better = options.Get("better", "lower");
  if (recipe.metric.better != "lower" && recipe.metric.better != "higher" &&
      recipe.metric.better != "none") {
    return absl::InvalidArgumentError(
        fmt::format("--better '{}': choices are lower, higher and none",
                    recipe.metric.better));
  }
  if (recipe.time_budget_ns < 0) {
    const int64_t arms =
        std::max<int64_t>(2, static_cast<int64_t>(recipe.arms.size()));
    recipe.time_budget_ns = kDefaultBudgetNsPerPair * (arms - 1);
  }
  if (request.layout.empty()) return request;
  std::vector<std::string_view> names;
  for (const results::LayoutEntry& entry : results::kLayoutList) {
    names.push_back(entry.name);
  }
  if (std::find(names.begin(), names.end(), request.layout) == names.end()) {
    return absl::InvalidArgumentError(fmt::format(
        "unknown --layout '{}'{}; choices: hackbench compare --list-layouts",
        request.layout, DidYouMean(request.layout, names)));
  }
  return request;
}

}  // namespace hackbench
