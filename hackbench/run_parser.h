// SPDX-License-Identifier: MIT
// A run's command line in any of its spellings: the classic
// `100 process 1000`, rt-tests' options, both mixed, and perf's.
//
// Lenient where the meaning is safe, as the scripts in the field need: the
// doubt is recorded and said, and `--strict` turns it into an error. What
// cannot run (zero, negative, overflow, no number) is InvalidArgument.
#pragma once

#include <absl/status/statusor.h>

#include <span>
#include <string>
#include <string_view>

#include "hackbench/options.h"

namespace hackbench {

// Classic and rt-tests. Options that rt-tests knows select its output lines,
// operands alone the classic one. `grammar` as given stays when it is kCommand
// (`hackbench run`).
absl::StatusOr<ParsedRun> ParseRun(std::span<const std::string_view> words,
                                   Grammar grammar = Grammar::kRtTests);

// What follows `sched messaging`, or `perf-bench-sched-messaging`.
absl::StatusOr<ParsedRun> ParsePerfRun(std::span<const std::string_view> words);

// The run as rt-tests options, for messages: "-g 10 -f 20 -l 100 -s 64 -P".
std::string EffectiveCommandLine(const RunOptions& options);

// The exit code of a usage error: 1 for the old grammars, 129 for perf's, 2
// for ours.
int UsageExitCode(Grammar grammar);

}  // namespace hackbench
