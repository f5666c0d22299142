// SPDX-License-Identifier: MIT
// What a run costs beside what it times. `fixed` is a whole run of two tasks
// and one message; `setup` is the time until all tasks are ready, taken for
// every program as its whole run less the time it reports. The counter `ratio`
// is the median of ours / rt-tests', pair by pair.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "hackbench/timed_command.h"

namespace hackbench {
namespace {

void BM_fixed(benchmark::State& state) {
  const std::string command = OurHackbench() + " -g 1 -f 1 -l 1";
  for (auto _ : state) {
    state.SetIterationTime(TimeCommand(command).wall_s);
  }
}
BENCHMARK(BM_fixed)->UseManualTime()->Unit(benchmark::kMillisecond);

double SetupSeconds(const std::string& program, int64_t groups) {
  const CommandTimes times =
      TimeCommand(program + " -l 1 -g " + std::to_string(groups));
  return times.wall_s - times.reported_s;
}

void BM_setup(benchmark::State& state) {
  const std::string peer = PeerHackbench();
  std::vector<double> ratios;
  for (auto _ : state) {
    const double ours = SetupSeconds(OurHackbench(), state.range(0));
    state.SetIterationTime(ours);
    if (peer.empty()) continue;
    ratios.push_back(ours / SetupSeconds(peer, state.range(0)));
  }
  state.counters["tasks"] = static_cast<double>(40 * state.range(0));
  if (ratios.empty()) return;
  std::sort(ratios.begin(), ratios.end());
  state.counters["ratio"] = ratios[ratios.size() / 2];
}
BENCHMARK(BM_setup)->Arg(1)->Arg(100)->UseManualTime()->Unit(
    benchmark::kMillisecond);

}  // namespace
}  // namespace hackbench

BENCHMARK_MAIN();
