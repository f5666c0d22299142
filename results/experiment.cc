// SPDX-License-Identifier: MIT
#include "results/experiment.h"

#include <absl/status/status.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "results/hash.h"
#include "results/run_delta.h"
#include "results/text.h"

namespace hackbench::results {
namespace {

constexpr int64_t kNsPerS = 1'000'000'000;

int64_t MonotonicNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * kNsPerS + now.tv_nsec;
}

void Sleep(int64_t ns) {
  timespec left{.tv_sec = ns / kNsPerS, .tv_nsec = ns % kNsPerS};
  while (nanosleep(&left, &left) != 0) {
  }
}

double Mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

std::string FlagsJson(const std::vector<std::string>& flags) {
  if (flags.empty()) return "[]";
  return fmt::format("[\"{}\"]", fmt::join(flags, "\",\""));
}

// The id of a plan that is shared out: the same wherever the recipe is, so that
// the shards' files merge into one experiment.
std::string SharedId(const Recipe& recipe) {
  std::string content = ToJson(recipe);
  for (const Arm& arm : recipe.arms) content += ToJson(arm);
  std::string id = ContentKey(content);
  std::transform(id.begin(), id.end(), id.begin(),
                 [](char c) { return c >= 'a' ? char(c - 'a' + 'A') : c; });
  return id;
}

}  // namespace

ExperimentRunner::ExperimentRunner(Store& store, Recipe recipe,
                                   ExperimentOptions options)
    : store_(store),
      recipe_(std::move(recipe)),
      options_(std::move(options)),
      reader_(*OutputReader::Make({})) {}

ExperimentRunner::~ExperimentRunner() = default;

absl::StatusOr<ExperimentEnd> ExperimentRunner::Start() {
  const bool shared = recipe_.schedule.shards > 1;
  const int64_t now_ns = WallClockNs();
  exp_id_ = shared ? SharedId(recipe_) : TimeOrderedId(now_ns / 1'000'000);
  StoredExperiment experiment{
      .id = exp_id_,
      .kind = recipe_.kind,
      // A shared experiment has no one time of creation.
      .created_ns = shared ? 0 : now_ns,
      .spec = ToJson(recipe_),
      .seed = static_cast<int64_t>(recipe_.schedule.seed),
      .order = std::string(OrderName(recipe_.schedule.order)),
      .note = recipe_.note};
  std::vector<StoredArm> arms;
  for (size_t i = 0; i < recipe_.arms.size(); ++i) {
    arms.push_back({static_cast<int64_t>(i), recipe_.arms[i].label,
                    ToJson(recipe_.arms[i])});
  }
  std::vector<StoredSlot> slots;
  for (int64_t shard = 0; shard < recipe_.schedule.shards; ++shard) {
    const std::vector<StoredSlot> more = WarmupSlots(recipe_.schedule, shard);
    slots.insert(slots.end(), more.begin(), more.end());
  }
  for (int64_t block = 0; block < recipe_.min_blocks; ++block) {
    const std::vector<StoredSlot> more =
        BlockSlots(recipe_.schedule, block, recipe_.min_blocks);
    slots.insert(slots.end(), more.begin(), more.end());
  }
  if (shared && store_.Experiment(exp_id_).ok()) {
    return absl::AlreadyExistsError(
        fmt::format("this plan is in {} already; go on with --resume {}",
                    store_.database().path(), exp_id_));
  }
  absl::Status status = store_.AddExperiment(experiment, arms, slots);
  if (!status.ok()) return status;
  return Go();
}

absl::StatusOr<ExperimentEnd> ExperimentRunner::Resume(
    Store& store, const std::string& exp_id, ExperimentOptions options) {
  const absl::StatusOr<StoredExperiment> stored = store.Experiment(exp_id);
  if (!stored.ok()) return stored.status();
  absl::StatusOr<Recipe> recipe = RecipeFromJson(stored->spec);
  if (!recipe.ok()) return recipe.status();
  const absl::StatusOr<std::vector<StoredArm>> arms = store.Arms(exp_id);
  if (!arms.ok()) return arms.status();
  for (const StoredArm& stored_arm : *arms) {
    absl::StatusOr<Arm> arm = ArmFromJson(stored_arm.spec);
    if (!arm.ok()) return arm.status();
    recipe->arms.push_back(*std::move(arm));
  }
  if (static_cast<int64_t>(recipe->arms.size()) != recipe->schedule.arms ||
      recipe->baseline.size() != recipe->arms.size()) {
    return absl::InvalidArgumentError(
        "the stored arms do not fit the recipe; it cannot be resumed");
  }
  ExperimentRunner runner(store, *std::move(recipe), std::move(options));
  runner.exp_id_ = exp_id;
  const int64_t shard = std::max(int64_t{0}, runner.options_.shard);
  const absl::StatusOr<bool> finished = store.IsFinished(exp_id, shard);
  if (!finished.ok()) return finished.status();
  if (*finished) {
    return ExperimentEnd{.exp_id = exp_id, .reason = "was complete already"};
  }
  absl::Status status = runner.LoadWhatIsThere();
  if (status.ok()) status = runner.CheckEnvironmentUnchanged();
  if (!status.ok()) return status;
  return runner.Go();
}

absl::Status ExperimentRunner::LoadWhatIsThere() {
  const absl::StatusOr<std::vector<RunRow>> runs = store_.Runs(exp_id_);
  if (!runs.ok()) return runs.status();
  const auto samples = store_.Samples(exp_id_, recipe_.metric.name);
  if (!samples.ok()) return samples.status();
  absl::Status status = store_.database().Select(
      "SELECT block, max(round) FROM run r JOIN slot s ON s.exp_id = r.exp_id "
      "AND s.seq = r.seq WHERE r.exp_id = ? AND block >= 0 GROUP BY block",
      {exp_id_}, [&](const SqlRow& row) { rounds_[row.Int(0)] = row.Int(1); });
  if (!status.ok()) return status;
  for (const RunRow& run : *runs) {
    if (run.role == "warmup") warmed_[run.seq] |= run.status == "ok";
    if (run.role == "warmup" || run.superseded || run.status != "ok") continue;
    const auto found = samples->find(run.run_id);
    if (found == samples->end()) continue;
    values_[run.block][run.arm].push_back(Mean(found->second));
  }
  // A block that was cut counts for nothing, unless launches may fail.
  std::erase_if(values_, [&](const auto& block) {
    size_t launches = 0;
    for (const auto& [arm, values] : block.second) launches += values.size();
    const size_t whole =
        BlockSlots(recipe_.schedule, block.first, recipe_.min_blocks).size();
    return launches < whole;
  });
  return absl::OkStatus();
}

absl::Status ExperimentRunner::CheckEnvironmentUnchanged() {
  const absl::StatusOr<std::string> last = store_.database().SelectText(
      "SELECT env_id FROM run WHERE exp_id = ? ORDER BY started_ns DESC LIMIT "
      "1",
      {exp_id_});
  if (!last.ok()) return absl::OkStatus();  // Nothing has run yet.
  const absl::StatusOr<Environment> before = store_.LoadEnvironment(*last);
  if (!before.ok()) return before.status();
  Environment now = Environment::Read();
  std::string text;
  for (const EnvironmentDifference& difference : Diff(*before, now)) {
    text += fmt::format("\n  {}: {} -> {}", difference.name, difference.a,
                        difference.b);
  }
  if (text.empty() || options_.allow_environment_change) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      "the environment is not the one that the experiment began in:" + text +
      "\n--allow-env-change goes on in new blocks all the same");
}

absl::StatusOr<ExperimentEnd> ExperimentRunner::Go() {
  absl::StatusOr<OutputReader> reader = OutputReader::Make(recipe_.metric);
  if (!reader.ok()) return reader.status();
  reader_ = *std::move(reader);
  for (const StoredMetric& metric : reader_.Metrics()) {
    absl::Status status = store_.AddMetric(metric);
    if (!status.ok()) return status;
  }
  std::set<std::string> paths;
  for (const Arm& arm : recipe_.arms) {
    for (const LiveValue& value : arm.live) paths.insert(value.path);
  }
  absl::Status status = live_.Begin({paths.begin(), paths.end()});
  if (status.ok()) status = LookAtEnvironment();
  if (status.ok()) status = RunHook(recipe_.hooks.setup, nullptr);
  if (!status.ok()) return status;
  begin_ns_ = MonotonicNs();

  MaybeEnd end = Warmups();
  if (end.ok() && !*end) end = Blocks();
  absl::Status cleaned = RunHook(recipe_.hooks.cleanup, nullptr);
  const absl::Status restored = live_.Restore();
  if (!end.ok()) return end.status();
  if (!restored.ok()) return restored;
  if (!cleaned.ok()) options_.on_warning(std::string(cleaned.message()));
  return Finish(**end);
}

absl::StatusOr<ExperimentEnd> ExperimentRunner::Finish(ExperimentEnd end) {
  end.exp_id = exp_id_;
  end.slots_left = SlotsLeft();
  if (end.why != ExperimentEnd::Why::kComplete) return end;
  std::string summary;
  for (size_t arm = 0; arm < recipe_.arms.size() && recipe_.arms.size() < 4;
       ++arm) {
    if (recipe_.baseline[arm] == static_cast<int64_t>(arm)) continue;
    std::optional<Comparison> row = Interim(static_cast<int64_t>(arm));
    if (!row) continue;
    Comparison* family[] = {&*row};
    Judge(family, Adjust::kHolm);
    summary += fmt::format("{}{} {} {}", summary.empty() ? "" : ", ",
                           recipe_.arms[arm].label, VerdictWord(*row),
                           PercentText(row->effect));
  }
  absl::Status status = store_.AddFinish(
      exp_id_, std::max(int64_t{0}, options_.shard), end.reason, summary);
  if (!status.ok()) return status;
  return end;
}

ExperimentEnd ExperimentRunner::End(ExperimentEnd::Why why, std::string reason,
                                    int signal) {
  return {.why = why, .reason = std::move(reason), .signal = signal};
}

absl::Status ExperimentRunner::LookAtEnvironment() {
  const Environment environment = Environment::Read();
  const std::string id = environment.Id();
  if (id == env_id_) return absl::OkStatus();
  absl::Status status = store_.AddEnvironment(environment);
  if (!status.ok()) return status;
  const bool has_live =
      std::any_of(recipe_.arms.begin(), recipe_.arms.end(),
                  [](const Arm& arm) { return !arm.live.empty(); });
  // Live settings change it between launches, as declared.
  if (!env_id_.empty() && !has_live) {
    const absl::StatusOr<Environment> before = store_.LoadEnvironment(env_id_);
    std::string names;
    if (before.ok()) {
      for (const EnvironmentDifference& difference :
           Diff(*before, environment)) {
        names += " " + difference.name;
      }
    }
    options_.on_warning("the environment changed while measuring:" + names);
  }
  env_id_ = id;
  return absl::OkStatus();
}

bool ExperimentRunner::IsMine(int64_t block) const {
  return options_.shard < 0 ||
         block % recipe_.schedule.shards == options_.shard;
}

ExperimentRunner::MaybeEnd ExperimentRunner::Warmups() {
  const int64_t first = options_.shard < 0 ? 0 : options_.shard;
  const int64_t last =
      options_.shard < 0 ? recipe_.schedule.shards - 1 : options_.shard;
  for (int64_t shard = first; shard <= last; ++shard) {
    for (const StoredSlot& slot : WarmupSlots(recipe_.schedule, shard)) {
      if (warmed_[slot.seq]) continue;
      MaybeEnd end = RunSlot(slot, WallClockNs());
      if (!end.ok() || *end) return end;
    }
  }
  if (!launch_ns_.empty()) {
    const int64_t block = BlockNs();
    options_.on_note(fmt::format(
        "predicted: {} to {} blocks of {}, {} to {}", recipe_.min_blocks,
        recipe_.max_blocks, recipe_.schedule.BlockSize(),
        DurationText(recipe_.min_blocks * block),
        DurationText(recipe_.time_budget_ns > 0
                         ? std::max(recipe_.min_blocks * block,
                                    std::min(recipe_.max_blocks * block,
                                             recipe_.time_budget_ns))
                         : recipe_.max_blocks * block)));
  }
  return std::nullopt;
}

ExperimentRunner::MaybeEnd ExperimentRunner::Blocks() {
  if (recipe_.schedule.order == Order::kSeq) {
    if (!values_.contains(0)) {
      MaybeEnd end = RunBlock(0);
      if (!end.ok() || *end) return end;
    }
    return End(ExperimentEnd::Why::kComplete, "planned launches done");
  }
  for (int64_t block = 0;; ++block) {
    if (block >= recipe_.min_blocks) {
      const std::string reason = StopReason(block);
      if (!reason.empty()) return End(ExperimentEnd::Why::kComplete, reason);
      absl::Status status = store_.AddSlots(
          exp_id_, BlockSlots(recipe_.schedule, block, recipe_.min_blocks));
      if (!status.ok()) return status;
    }
    if (values_.contains(block) || !IsMine(block)) continue;
    MaybeEnd end = RunBlock(block);
    if (!end.ok() || *end) return end;
  }
}

std::string ExperimentRunner::StopReason(int64_t block) const {
  // A share is fixed: the intervals are known only after the merge.
  if (options_.shard >= 0) return "share done";
  if (block >= recipe_.max_blocks) return "maximum of blocks";
  bool narrow = true;
  for (size_t arm = 0; arm < recipe_.arms.size(); ++arm) {
    if (recipe_.baseline[arm] == static_cast<int64_t>(arm)) continue;
    const std::optional<Comparison> row = Interim(static_cast<int64_t>(arm));
    const std::optional<double> half =
        row ? row->HalfWidth() : std::optional<double>();
    narrow = narrow && half && *half <= recipe_.target;
  }
  if (narrow) return "target of the interval reached";
  if (recipe_.time_budget_ns > 0 &&
      MonotonicNs() - begin_ns_ + BlockNs() > recipe_.time_budget_ns) {
    return "time budget";
  }
  return "";
}

ExperimentRunner::MaybeEnd ExperimentRunner::RunBlock(int64_t block) {
  absl::Status status = LookAtEnvironment();
  if (!status.ok()) return status;
  const auto before = rounds_.find(block);
  const int64_t round = before == rounds_.end() ? 0 : before->second + 1;
  rounds_[block] = round;
  values_.erase(block);
  for (const StoredSlot& slot :
       BlockSlots(recipe_.schedule, block, recipe_.min_blocks)) {
    MaybeEnd end = RunSlot(slot, round);
    if (!end.ok() || *end) {
      values_.erase(block);
      return end;
    }
  }
  values_[block];  // Also where every launch failed.
  if (recipe_.arms.size() > 1) interim_ = Interim(1);
  return std::nullopt;
}

ExperimentRunner::MaybeEnd ExperimentRunner::RunSlot(const StoredSlot& slot,
                                                     int64_t round) {
  const Arm& arm = recipe_.arms[static_cast<size_t>(slot.arm)];
  for (int64_t attempt = 0;; ++attempt) {
    if (const int signal = PendingEndSignal()) {
      return End(ExperimentEnd::Why::kInterrupted,
                 fmt::format("signal {}", signal), signal);
    }
    StoredRun run;
    absl::Status status = Measure(slot, round, attempt, run);
    if (!status.ok()) return status;
    ++launches_;
    if (run.status == "interrupted") {
      return End(ExperimentEnd::Why::kInterrupted,
                 fmt::format("signal {}", run.signal),
                 static_cast<int>(run.signal));
    }
    if (run.status == "ok") break;
    // What was misread once is misread again.
    const bool again = attempt < recipe_.retries && run.status != "mismatch";
    options_.on_warning(fmt::format("{}: {}{}", arm.label, run.message,
                                    again ? "; trying again" : ""));
    if (again) continue;
    if (MayFail(run)) break;
    return End(ExperimentEnd::Why::kFailed,
               fmt::format("{}: {}", arm.label, run.message));
  }
  Report(slot.block + 1, arm.label);
  return std::nullopt;
}

bool ExperimentRunner::MayFail(const StoredRun& run) const {
  if (run.status == "mismatch") return false;
  return recipe_.ignore_all ||
         recipe_.ignored_exit_codes.contains(static_cast<int>(run.exit_code));
}

absl::Status ExperimentRunner::Measure(const StoredSlot& slot, int64_t round,
                                       int64_t attempt, StoredRun& run) {
  const Arm& arm = recipe_.arms[static_cast<size_t>(slot.arm)];
  absl::Status status = ApplyLive(arm);
  if (status.ok()) status = RunHook(recipe_.hooks.prepare, &slot);
  if (!status.ok()) return status;
  if (recipe_.settle_ns > 0) Sleep(recipe_.settle_ns);
  RunDelta delta;
  ReadLoad(delta);
  const Counters before = ReadCounters();
  run.started_ns = WallClockNs();
  const absl::StatusOr<LaunchOutcome> outcome =
      RunProgram({.argv = arm.argv, .timeout_ns = recipe_.timeout_ns});
  if (!outcome.ok()) return outcome.status();
  delta.counters = Subtract(ReadCounters(), before);

  Reading reading = reader_.Read(arm, *outcome);
  std::vector<std::string> flags = Flags(delta);
  if (outcome->leftovers > 0) flags.emplace_back("left processes behind");
  run.id = RandomKey();
  run.exp_id = exp_id_;
  run.seq = slot.seq;
  run.round = round;
  run.attempt = attempt;
  run.env_id = env_id_;
  run.config_json = std::move(reading.config_json);
  run.status = reading.status;
  run.exit_code = outcome->exit_code;
  run.signal = outcome->signal;
  run.elapsed_ns = outcome->elapsed_ns;
  run.flags = FlagsJson(flags);
  run.delta = ToJson(delta);
  run.message = reading.message;
  run.record = reading.record;
  for (const auto& [metric, values] : reading.values) {
    for (size_t i = 0; i < values.size(); ++i) {
      run.samples.push_back({metric, static_cast<int64_t>(i), values[i]});
    }
  }
  status = store_.AddRun(run);
  if (!status.ok()) return status;
  if (run.status == "ok") {
    launch_ns_.push_back(outcome->elapsed_ns);
    const auto found = reading.values.find(recipe_.metric.name);
    if (slot.block >= 0 && found != reading.values.end()) {
      values_[slot.block][slot.arm].push_back(Mean(found->second));
    }
  }
  return RunHook(recipe_.hooks.conclude, &slot);
}

absl::Status ExperimentRunner::ApplyLive(const Arm& arm) {
  bool changed = false;
  for (const LiveValue& value : arm.live) {
    absl::Status status = live_.Apply(value);
    if (!status.ok()) return status;
    changed = true;
  }
  if (!changed) return absl::OkStatus();
  // The declared change belongs to the launch's environment, without a word.
  const Environment environment = Environment::Read();
  env_id_ = environment.Id();
  return store_.AddEnvironment(environment);
}

absl::Status ExperimentRunner::RunHook(const std::string& command,
                                       const StoredSlot* slot) {
  if (command.empty()) return absl::OkStatus();
  // The hook of the end belongs to every end.
  LaunchSpec spec{.argv = {"/bin/sh", "-c", command},
                  .also_when_ending = slot == nullptr};
  if (slot != nullptr) {
    spec.environment = {
        {"HACKBENCH_ARM", recipe_.arms[static_cast<size_t>(slot->arm)].label},
        {"HACKBENCH_BLOCK", fmt::format("{}", slot->block)},
        {"HACKBENCH_SLOT", fmt::format("{}", slot->seq)}};
  }
  const absl::StatusOr<LaunchOutcome> outcome = RunProgram(spec);
  if (!outcome.ok()) return outcome.status();
  if (outcome->end == LaunchOutcome::End::kInterrupted ||
      (outcome->end == LaunchOutcome::End::kExited &&
       outcome->exit_code == 0)) {
    return absl::OkStatus();
  }
  return absl::AbortedError(
      fmt::format("the hook '{}' failed: exit code {}, signal {}: {}", command,
                  outcome->exit_code, outcome->signal, outcome->err));
}

std::optional<Comparison> ExperimentRunner::Interim(int64_t arm) const {
  const int64_t base = recipe_.baseline[static_cast<size_t>(arm)];
  std::vector<Block> blocks;
  for (const auto& [block, arms] : values_) {
    const auto a = arms.find(base);
    const auto b = arms.find(arm);
    if (a == arms.end() || b == arms.end()) continue;
    blocks.push_back({a->second, b->second});
  }
  JudgeOptions options{.margin = recipe_.margin, .seed = recipe_.schedule.seed};
  if (recipe_.metric.better == "higher") options.better = Better::kHigher;
  if (recipe_.metric.better == "none") options.better = Better::kNone;
  absl::StatusOr<Comparison> row = ComparePaired(blocks, options);
  if (!row.ok()) return std::nullopt;
  return *std::move(row);
}

int64_t ExperimentRunner::BlockNs() const {
  if (launch_ns_.empty()) return 0;
  int64_t sum = 0;
  for (const int64_t ns : launch_ns_) sum += ns;
  return sum / static_cast<int64_t>(launch_ns_.size()) *
         recipe_.schedule.BlockSize();
}

void ExperimentRunner::Report(int64_t block, const std::string& label) {
  Progress progress{.block = block,
                    .min_blocks = recipe_.min_blocks,
                    .max_blocks = recipe_.max_blocks,
                    .launches = launches_,
                    .label = label};
  for (size_t arm = 0; arm < recipe_.arms.size(); ++arm) {
    double sum = 0;
    double count = 0;
    for (const auto& [number, arms] : values_) {
      const auto found = arms.find(static_cast<int64_t>(arm));
      if (found == arms.end()) continue;
      for (const double value : found->second) sum += value;
      count += static_cast<double>(found->second.size());
    }
    progress.means.push_back(
        count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN());
  }
  progress.interim = interim_;
  const int64_t left = BlockNs();
  progress.remaining_min_ns =
      std::max(int64_t{0}, recipe_.min_blocks - block) * left;
  progress.remaining_max_ns =
      std::max(int64_t{0}, recipe_.max_blocks - block) * left;
  options_.on_progress(progress);
}

int64_t ExperimentRunner::SlotsLeft() {
  const absl::StatusOr<int64_t> left = store_.database().SelectInt(
      "SELECT count(*) FROM slot s WHERE exp_id = ?1 AND role = 'measure' AND "
      "NOT EXISTS (SELECT 1 FROM run r WHERE r.exp_id = ?1 AND r.seq = s.seq "
      "AND r.status = 'ok')",
      {exp_id_});
  return left.value_or(0);
}

}  // namespace hackbench::results
