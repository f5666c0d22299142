// SPDX-License-Identifier: MIT
// Ours against rt-tests' hackbench on the same command line, run in turns. The
// counter `ratio` is the median of ours / theirs pair by pair, so it holds when
// the machine's speed drifts; near 1 means that times compare one to one.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "hackbench/timed_command.h"

namespace hackbench {
namespace {

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void ComparePair(benchmark::State& state, const std::string& arguments) {
  const std::string peer = PeerHackbench();
  if (peer.empty()) {
    state.SkipWithError("the peer of package rt-tests is not installed");
    return;
  }
  std::vector<double> ratios;
  bool ours_first = false;
  for (auto _ : state) {
    CommandTimes ours;
    CommandTimes theirs;
    ours_first = !ours_first;
    if (ours_first) ours = TimeCommand(OurHackbench() + arguments);
    theirs = TimeCommand(peer + arguments);
    if (!ours_first) ours = TimeCommand(OurHackbench() + arguments);
    if (ours.reported_s <= 0 || theirs.reported_s <= 0) {
      state.SkipWithError("a run reported no time");
      return;
    }
    ratios.push_back(ours.reported_s / theirs.reported_s);
    state.SetIterationTime(ours.reported_s);
  }
  state.counters["ratio"] = Median(ratios);
  state.counters["pairs"] = static_cast<double>(ratios.size());
}

struct Case {
  const char* name;
  const char* options;
};

constexpr Case kCases[] = {
    {"process_socket", " -P"},
    {"process_pipe", " -P -p"},
    {"thread_socket", " -T"},
    {"thread_pipe", " -T -p"},
};

int Register() {
  for (const Case& one : kCases) {
    for (const int groups : {10, 100}) {
      const std::string arguments =
          std::string(one.options) + " -g " + std::to_string(groups);
      benchmark::RegisterBenchmark(
          ("parity/" + std::string(one.name) + "/" + std::to_string(groups))
              .c_str(),
          [arguments](benchmark::State& state) {
            ComparePair(state, arguments);
          })
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond)
          ->MinTime(groups == 10 ? 15 : 60);
    }
  }
  // Short enough for every build: that the comparison itself works.
  benchmark::RegisterBenchmark(
      "smoke",
      [](benchmark::State& state) { ComparePair(state, " -g 1 -l 200"); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1);
  return 0;
}

[[maybe_unused]] const int kRegistered = Register();

}  // namespace
}  // namespace hackbench

BENCHMARK_MAIN();
