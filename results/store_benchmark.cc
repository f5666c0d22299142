// SPDX-License-Identifier: MIT
// A results file of ten thousand launches: how long it takes to list them, to
// show one experiment and to compare its arms, each from opening the file.
#include <benchmark/benchmark.h>

#include "results/analysis.h"
#include "results/test_directory.h"
#include "results/test_store.h"

namespace hackbench::results {
namespace {

constexpr int64_t kExperiments = 50;
constexpr int64_t kBlocks = 50;  // Of two arms: 200 launches each.

const std::string& BigFile() {
  static const TestDirectory directory;
  static const std::string path = [] {
    std::string made = directory.File("big.db");
    absl::StatusOr<Store> store = Store::Open(made, Store::Access::kWrite);
    // Only the filling: what is measured reads.
    store->database().Run("PRAGMA synchronous = OFF").IgnoreError();
    for (int64_t i = 0; i < kExperiments; ++i) {
      FillStore(*store, {.blocks = kBlocks, .ratio = 1.01});
    }
    return made;
  }();
  return path;
}

void ListAll(benchmark::State& state) {
  const std::string& path = BigFile();
  for (auto _ : state) {
    absl::StatusOr<Store> store = Store::Open(path, Store::Access::kRead);
    const auto rows = store->List();
    if (rows->size() != kExperiments) state.SkipWithError("rows are missing");
  }
}

void ShowRuns(benchmark::State& state) {
  const std::string& path = BigFile();
  for (auto _ : state) {
    absl::StatusOr<Store> store = Store::Open(path, Store::Access::kRead);
    const auto runs = store->Runs(*store->Resolve("last"));
    if (runs->size() != 4 * kBlocks) state.SkipWithError("runs are missing");
  }
}

void Compare(benchmark::State& state) {
  const std::string& path = BigFile();
  for (auto _ : state) {
    absl::StatusOr<Store> store = Store::Open(path, Store::Access::kRead);
    const auto report = AnalyseExperiment(*store, *store->Resolve("last"), {});
    if (report->rows.size() != 1) state.SkipWithError("the row is missing");
  }
}

// What one launch costs to store, on the disk when it returns.
void AddOneRun(benchmark::State& state) {
  const TestDirectory directory;
  absl::StatusOr<Store> store =
      Store::Open(directory.File("r.db"), Store::Access::kWrite);
  const std::string id = FillStore(*store, {.blocks = 1});
  int64_t attempt = 0;
  for (auto _ : state) {
    if (!AddTestRun(*store, id, 0, {.attempt = ++attempt}).ok()) {
      state.SkipWithError("not stored");
    }
  }
}

BENCHMARK(ListAll)->Unit(benchmark::kMillisecond);
BENCHMARK(ShowRuns)->Unit(benchmark::kMillisecond);
BENCHMARK(Compare)->Unit(benchmark::kMillisecond);
BENCHMARK(AddOneRun)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hackbench::results

BENCHMARK_MAIN();
