// SPDX-License-Identifier: MIT
// Runs a recipe: plan rows first, then warm-ups, then block after block, each
// launch stored before the next begins, until the intervals are narrow enough
// or a cap is reached. Never until a p-value is small: that would find effects
// where there are none.
//
// Killed at any moment, it can be resumed: blocks that are whole stay, a block
// that was cut is run again as a whole (its earlier launches are kept, and no
// longer counted), so that the launches of a block are always close in time.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "results/comparison.h"
#include "results/environment.h"
#include "results/live_setting.h"
#include "results/recipe.h"
#include "results/store.h"
#include "results/subprocess.h"

namespace hackbench::results {

// After each launch, for a line on the terminal.
struct Progress {
  int64_t block = 0;  // From 1; 0 while warming up.
  int64_t min_blocks = 0;
  int64_t max_blocks = 0;
  int64_t launches = 0;
  std::string label = {};          // Of the arm that ran.
  std::vector<double> means = {};  // Of the arms, NaN before their first.
  std::optional<Comparison> interim = {};  // Second arm against first.
  int64_t remaining_min_ns = 0;            // To the minimum of blocks,
  int64_t remaining_max_ns = 0;            // to the cap.
};

struct ExperimentOptions {
  std::function<void(const Progress&)> on_progress = [](const Progress&) {};
  std::function<void(const std::string&)> on_warning = [](const std::string&) {
  };
  std::function<void(const std::string&)> on_note = [](const std::string&) {};
  int64_t shard = -1;  // All of them.
  bool allow_environment_change = false;
};

struct ExperimentEnd {
  enum class Why { kComplete, kFailed, kInterrupted };
  Why why = Why::kComplete;
  std::string exp_id = {};
  std::string reason = {};  // "target reached", "signal 2", …
  int signal = 0;
  int64_t slots_left = 0;
};

class ExperimentRunner {
 public:
  ExperimentRunner(Store& store, Recipe recipe, ExperimentOptions options);
  ~ExperimentRunner();

  absl::StatusOr<ExperimentEnd> Start();

  // Goes on with what `exp_id` left; the recipe comes from the store.
  static absl::StatusOr<ExperimentEnd> Resume(Store& store,
                                              const std::string& exp_id,
                                              ExperimentOptions options);

 private:
  // Nothing: go on. A value: the experiment ends so.
  using MaybeEnd = absl::StatusOr<std::optional<ExperimentEnd>>;

  absl::StatusOr<ExperimentEnd> Go();
  MaybeEnd Warmups();
  MaybeEnd Blocks();
  MaybeEnd RunBlock(int64_t block);
  MaybeEnd RunSlot(const StoredSlot& slot, int64_t round);
  absl::Status Measure(const StoredSlot& slot, int64_t round, int64_t attempt,
                       StoredRun& run);
  absl::Status RunHook(const std::string& command, const StoredSlot* slot);
  absl::Status ApplyLive(const Arm& arm);
  absl::Status LookAtEnvironment();
  absl::Status LoadWhatIsThere();
  absl::Status CheckEnvironmentUnchanged();
  bool MayFail(const StoredRun& run) const;
  bool IsMine(int64_t block) const;
  std::string StopReason(int64_t block) const;
  std::optional<Comparison> Interim(int64_t arm) const;
  void Report(int64_t block, const std::string& label);
  int64_t BlockNs() const;
  int64_t SlotsLeft();
  absl::StatusOr<ExperimentEnd> Finish(ExperimentEnd end);
  ExperimentEnd End(ExperimentEnd::Why why, std::string reason, int signal = 0);

  Store& store_;
  Recipe recipe_;
  ExperimentOptions options_;
  std::string exp_id_;
  OutputReader reader_;
  LiveSettings live_;
  std::string env_id_;
  int64_t begin_ns_ = 0;
  int64_t launches_ = 0;
  // By block, then arm: the values of the metric.
  std::map<int64_t, std::map<int64_t, std::vector<double>>> values_;
  std::map<int64_t, int64_t> rounds_;  // Of blocks that were begun.
  std::map<int64_t, bool> warmed_;     // By seq.
  std::optional<Comparison> interim_;  // After the last whole block.
  std::vector<int64_t> launch_ns_;     // Elapsed, of complete launches.
};

}  // namespace hackbench::results
