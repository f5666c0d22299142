// SPDX-License-Identifier: MIT
// One results file: $XDG_DATA_HOME/hackbench/results.db unless told otherwise.
// A launch is stored in one transaction that is on the disk when Add returns
// (write-ahead log, synchronous=FULL), so a crash at any moment loses at most
// the launch that was running.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/environment.h"
#include "results/sqlite.h"

namespace hackbench::results {

struct StoredExperiment {
  std::string id = {};
  std::string kind = {};  // "ab", "aa", "sweep", "import"
  int64_t created_ns = 0;
  std::string spec = "{}";  // JSON: the whole recipe.
  int64_t seed = 0;
  std::string order = {};
  std::string tool_version = HACKBENCH_VERSION;
  std::string note = {};
  std::optional<std::string> parent = {};
};

struct StoredArm {
  int64_t index = 0;
  std::string label = {};
  std::string spec = "{}";  // JSON: settings and command.
};

struct StoredSlot {
  int64_t seq = 0;
  int64_t block = 0;  // -1 for warm-ups.
  int64_t pos = 0;    // Within the block.
  int64_t arm = 0;
  std::string role = "measure";  // or "warmup"
  int64_t shard = 0;

  bool operator==(const StoredSlot&) const = default;
};

struct StoredSample {
  std::string metric = {};
  int64_t index = 0;
  double value = 0;
};

struct StoredMetric {
  std::string name = {};
  std::string unit = {};
  std::string better = "lower";  // "higher", "none"
};

struct StoredRun {
  std::string id = {};
  std::string exp_id = {};
  int64_t seq = 0;
  int64_t round = 0;
  int64_t attempt = 0;
  std::string env_id = {};
  std::optional<std::string> config_json = {};  // What the program says it ran.
  std::string status =
      {};  // "ok", "failed", "timeout", "mismatch", "interrupted"
  int64_t exit_code = 0;
  int64_t signal = 0;
  int64_t started_ns = 0;
  int64_t elapsed_ns = 0;
  std::string flags = "[]";
  std::string delta = "{}";
  std::string message = {};
  std::optional<std::string> record = {};
  std::vector<StoredSample> samples = {};
};

// A launch as comparisons see it: those of the last round of each block, the
// attempt that counts.
struct RunRow {
  std::string run_id = {};
  int64_t seq = 0;
  int64_t block = 0;
  int64_t pos = 0;
  int64_t arm = 0;
  std::string role = {};
  int64_t attempt = 0;
  std::string status = {};
  int64_t exit_code = 0;
  int64_t signal = 0;
  int64_t started_ns = 0;
  int64_t elapsed_ns = 0;
  std::string flags = {};
  std::string env_id = {};
  std::string config_id = {};
  std::string message = {};
  bool superseded = false;  // Of an earlier round, or retried.
};

struct ExperimentRow {
  StoredExperiment experiment;
  int64_t when_ns = 0;  // Created, or first launched.
  std::string tag = {};
  std::string host = {};
  std::string kernel = {};
  int64_t arms = 0;
  int64_t ok = 0;
  int64_t failed = 0;
  int64_t pending = 0;
  bool finished = false;
  std::string summary = {};
};

class Store {
 public:
  enum class Access { kRead, kWrite };

  // kWrite creates the file and its directory, and brings an older file up to
  // date. Warnings for people (no write-ahead log here, …) go to warnings().
  static absl::StatusOr<Store> Open(const std::string& path, Access access);
  static std::string DefaultPath();

  const std::vector<std::string>& warnings() const { return warnings_; }
  Sqlite& database() { return database_; }

  // Experiment, arms and the first slots at once.
  absl::Status AddExperiment(const StoredExperiment& experiment,
                             const std::vector<StoredArm>& arms,
                             const std::vector<StoredSlot>& slots);
  absl::Status AddSlots(const std::string& exp_id,
                        const std::vector<StoredSlot>& slots);
  absl::Status AddEnvironment(const Environment& environment);
  absl::Status AddMetric(const StoredMetric& metric);
  absl::Status AddRun(const StoredRun& run);
  absl::Status AddFinish(const std::string& exp_id, int64_t shard,
                         const std::string& reason, const std::string& summary);
  absl::Status AddTag(const std::string& name, const std::string& exp_id);

  // "last", "last~2", "@tag", or a prefix of an id that is unique.
  absl::StatusOr<std::string> Resolve(const std::string& reference);
  absl::StatusOr<StoredExperiment> Experiment(const std::string& exp_id);
  absl::StatusOr<std::vector<StoredArm>> Arms(const std::string& exp_id);
  absl::StatusOr<std::vector<StoredSlot>> Slots(const std::string& exp_id);
  absl::StatusOr<std::vector<RunRow>> Runs(const std::string& exp_id);
  // run_id to the values of one metric, in their order.
  absl::StatusOr<std::map<std::string, std::vector<double>>> Samples(
      const std::string& exp_id, const std::string& metric);
  absl::StatusOr<std::vector<StoredMetric>> Metrics(const std::string& exp_id);
  absl::StatusOr<Environment> LoadEnvironment(const std::string& env_id);
  absl::StatusOr<std::string> ConfigJson(const std::string& config_id);
  // Newest first.
  absl::StatusOr<std::vector<ExperimentRow>> List(const std::string& kind = "",
                                                  const std::string& tag = "");
  absl::StatusOr<bool> IsFinished(const std::string& exp_id, int64_t shard);

 private:
  explicit Store(Sqlite database) : database_(std::move(database)) {}

  Sqlite database_;
  std::vector<std::string> warnings_ = {};
};

// Nanoseconds since 1970, for records; durations use the monotonic clock.
int64_t WallClockNs();

}  // namespace hackbench::results
