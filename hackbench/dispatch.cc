// SPDX-License-Identifier: MIT
#include "hackbench/dispatch.h"

#include <absl/status/statusor.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "hackbench/command_list.h"
#include "hackbench/layout.h"
#include "hackbench/log.h"
#include "hackbench/number.h"
#include "hackbench/report.h"
#include "hackbench/run_command.h"
#include "hackbench/run_parser.h"
#include "hackbench/stdio.h"
#include "hackbench/suggest.h"

namespace hackbench {
namespace {

// Before anything is printed. Not where stdout is closed, which the second
// start could no longer tell.
void FixLayoutFor(const absl::StatusOr<ParsedRun>& run) {
  if (run.ok() && run->options.mode == Mode::kProcess && !StdoutWasClosed()) {
    FixLayout();
  }
}

int RunParsed(const absl::StatusOr<ParsedRun>& run, Grammar grammar) {
  FixLayoutFor(run);
  if (run.ok()) return RunCommand(*run);
  LogError(std::string(run.status().message()));
  return UsageExitCode(grammar);
}

const CommandEntry* FindCommand(std::string_view name) {
  const auto* const found = std::find_if(
      kCommandList.begin(), kCommandList.end(),
      [&](const CommandEntry& entry) { return entry.name == name; });
  return found == kCommandList.end() ? nullptr : found;
}

// perf's options may also stand before `sched messaging`, as in
// `perf bench --format=simple sched messaging`.
const std::string_view* FindPerfWords(Words words) {
  constexpr std::array<std::string_view, 2> kPerfWords = {"sched", "messaging"};
  const auto found = std::search(words.begin(), words.end(), kPerfWords.begin(),
                                 kPerfWords.end());
  return found == words.end() ? nullptr : &*found;
}

int PerfRun(Words words) {
  absl::StatusOr<ParsedRun> run = ParsePerfRun(words);
  FixLayoutFor(run);
  // perf's driver prints this before the options are read, so also on errors.
  const bool plain =
      !run.ok() || (!run->options.simple_format && run->options.record != "-" &&
                    !run->options.help);
  if (plain) {
    absl::Status status = WriteStdout(PerfBannerText());
    if (!status.ok()) {
      LogError(std::string(status.message()));
      return 1;
    }
  }
  return RunParsed(run, Grammar::kPerf);
}

// A word in first place that is neither a run nor a command.
int UnknownWord(std::string_view word) {
  std::vector<std::string_view> names = {"process", "thread"};
  for (const CommandEntry& entry : kCommandList) names.push_back(entry.name);
  LogError(
      fmt::format("'{}' is neither a number of groups nor a command{}; "
                  "hackbench --help shows both",
                  word, DidYouMean(word, names)));
  return UsageExitCode(Grammar::kClassic);
}

std::string_view BaseName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

int ExplicitRunCommand(Words words) {
  return RunParsed(ParseRun(words, Grammar::kCommand), Grammar::kCommand);
}

int PerfCommand(Words words) {
  if (words.empty() || words.front() != "messaging") {
    LogError("sched knows one suite: hackbench sched messaging");
    return UsageExitCode(Grammar::kPerf);
  }
  return PerfRun(words.subspan(1));
}

int Dispatch(std::string_view program, Words words) {
  const std::string_view name = BaseName(program);
  if (name.starts_with("perf-bench-sched")) {
    const bool has_suite = !words.empty() && words.front() == "messaging";
    return PerfRun(has_suite ? words.subspan(1) : words);
  }
  if (const std::string_view* perf = FindPerfWords(words)) {
    // The two words go, what stood before and after them stays.
    std::vector<std::string_view> rest(words.begin(), words.end());
    const auto at = rest.begin() + (perf - words.data());
    rest.erase(at, at + 2);
    return PerfRun(rest);
  }
  if (words.empty()) return RunParsed(ParseRun(words), Grammar::kRtTests);

  const std::string_view first = words.front();
  if (const CommandEntry* command = FindCommand(first)) {
    return command->run(words.subspan(1));
  }
  const bool is_run = first.starts_with('-') || first.empty() ||
                      first == "process" || first == "thread" ||
                      ParseNumber(first).has_value();
  if (!is_run) return UnknownWord(first);
  return RunParsed(ParseRun(words), Grammar::kRtTests);
}

}  // namespace hackbench
