// SPDX-License-Identifier: MIT
#include "results/noise_floor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "results/analysis.h"
#include "results/hash.h"

namespace hackbench::results {
namespace {

constexpr double kNormal95 = 1.959963984540054;

}  // namespace

std::optional<double> FloorOf(std::span<const AaDifference> differences) {
  if (differences.size() < kFewestAa) return std::nullopt;
  std::vector<double> effects;
  double squared_errors = 0;
  for (const AaDifference& difference : differences) {
    effects.push_back(difference.effect);
    squared_errors += difference.standard_error * difference.standard_error;
  }
  const double stddev = Summarise(effects).stddev;
  const double excess =
      stddev * stddev -
      squared_errors / static_cast<double>(differences.size());
  return kNormal95 * std::sqrt(std::max(0.0, excess));
}

std::string FloorKey(const Arm& arm) {
  return ContentKey(fmt::format("{}", fmt::join(arm.argv, "\n")));
}

absl::StatusOr<std::optional<NoiseFloor>> FindNoiseFloor(
    Store& store, const std::string& host_id, const std::string& arm_key) {
  std::vector<std::string> ids;
  NoiseFloor floor;
  absl::Status status = store.database().Select(
      "SELECT exp_id, max(created_ns) FROM experiment e JOIN finish USING "
      "(exp_id) WHERE kind = 'aa' AND EXISTS (SELECT 1 FROM run r JOIN env "
      "USING (env_id) WHERE r.exp_id = e.exp_id AND host_id = ?) GROUP BY "
      "exp_id",
      {host_id}, [&](const SqlRow& row) {
        ids.push_back(row.Text(0));
        floor.newest_ns = std::max(floor.newest_ns, row.Int(1));
      });
  if (!status.ok()) return status;
  std::vector<AaDifference> differences;
  for (const std::string& id : ids) {
    const absl::StatusOr<std::vector<StoredArm>> arms = store.Arms(id);
    if (!arms.ok()) return arms.status();
    const absl::StatusOr<Arm> arm = arms->empty()
                                        ? absl::StatusOr<Arm>(Arm{})
                                        : ArmFromJson(arms->front().spec);
    if (!arm.ok() || FloorKey(*arm) != arm_key) continue;
    const absl::StatusOr<Report> report = AnalyseExperiment(store, id, {});
    if (!report.ok() || report->rows.empty()) continue;
    const Comparison& row = report->rows.front().result;
    const std::optional<double> half = row.HalfWidth();
    if (half) differences.push_back({row.effect, *half / kNormal95});
  }
  const std::optional<double> value = FloorOf(differences);
  if (!value) return std::optional<NoiseFloor>();
  floor.floor = *value;
  floor.experiments = static_cast<int64_t>(differences.size());
  return std::optional(floor);
}

}  // namespace hackbench::results
