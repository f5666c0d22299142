// SPDX-License-Identifier: MIT
#include "results/test_store.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "results/hash.h"
#include "results/transfer.h"

namespace hackbench::results {
namespace {

const Environment& TestEnvironment() {
  static const Environment environment = [] {
    Environment made;
    made.Add({"host", "test-host", "made up"});
    made.Add({"kernel.boot_id", "boot-1", "made up"});
    made.Add({"kernel.release", "6.1.0", "made up"});
    made.Add({"kernel.hz", std::nullopt, "made up"});
    return made;
  }();
  return environment;
}

void Must(const absl::Status& status) {
  if (!status.ok()) std::abort();
}

}  // namespace

StoredRun TestRun(const std::string& exp_id, int64_t seq,
                  const TestLaunch& launch) {
  StoredRun run;
  run.id = RandomKey();
  run.exp_id = exp_id;
  run.seq = seq;
  run.round = launch.round;
  run.attempt = launch.attempt;
  run.env_id = TestEnvironment().Id();
  run.config_json = "{\"groups\":10}";
  run.status = launch.status;
  run.started_ns = WallClockNs();
  run.elapsed_ns = 5;
  if (launch.status == "ok") run.samples = {{"time", 0, launch.value}};
  return run;
}

absl::Status AddTestRun(Store& store, const std::string& exp_id, int64_t seq,
                        const TestLaunch& launch) {
  return store.AddRun(TestRun(exp_id, seq, launch));
}

std::string FillStore(Store& store, const TestFill& fill) {
  Must(store.AddEnvironment(TestEnvironment()));
  Must(store.AddMetric({"time", "s", "lower"}));
  Recipe recipe;
  recipe.kind = fill.kind;
  recipe.schedule.arms = fill.arms;
  recipe.schedule.warmups = 0;
  recipe.baseline.assign(static_cast<size_t>(fill.arms), 0);
  std::vector<StoredArm> arms;
  for (int64_t i = 0; i < fill.arms; ++i) {
    Arm arm;
    arm.label = std::string(1, static_cast<char>('A' + i % 26));
    arm.settings = {{"lock", arm.label + std::to_string(i)}};
    arm.argv = {"program", arm.label};
    arms.push_back({i, arm.label, ToJson(arm)});
  }
  std::vector<StoredSlot> slots;
  for (int64_t block = 0; block < fill.blocks + fill.planned; ++block) {
    for (const StoredSlot& slot : BlockSlots(recipe.schedule, block, 0)) {
      slots.push_back(slot);
    }
  }
  const int64_t created_ns =
      fill.created_ns == 0 ? WallClockNs() : fill.created_ns;
  StoredExperiment experiment{.id = TimeOrderedId(created_ns / 1'000'000),
                              .kind = fill.kind,
                              .created_ns = created_ns,
                              .spec = ToJson(recipe),
                              .order = "block4"};
  Must(store.AddExperiment(experiment, arms, slots));
  for (const StoredSlot& slot : slots) {
    if (slot.block >= fill.blocks) continue;
    const double wobble = 1 + 0.001 * static_cast<double>(slot.seq % 3);
    Must(AddTestRun(store, experiment.id, slot.seq,
                    {.value = wobble * (slot.arm == 1 ? fill.ratio : 1)}));
  }
  return experiment.id;
}

std::string DumpOf(Store& store) {
  std::vector<std::string> lines;
  Must(ExportJsonLines(store, "", [&](std::string_view line) {
    lines.emplace_back(line);
    return absl::OkStatus();
  }));
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace hackbench::results
