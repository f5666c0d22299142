// SPDX-License-Identifier: MIT
#include "hackbench/run_command.h"

#include <absl/status/status.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "hackbench/help.h"
#include "hackbench/launch.h"
#include "hackbench/limits.h"
#include "hackbench/log.h"
#include "hackbench/placement.h"
#include "hackbench/plan.h"
#include "hackbench/report.h"
#include "hackbench/run_parser.h"
#include "hackbench/run_record.h"
#include "hackbench/stdio.h"
#include "hackbench/user_report.h"
#include "results/summary.h"

namespace hackbench {
namespace {

constexpr int kExitFailed = 1;
constexpr int kExitTimedOut = 124;
constexpr int kExitSignalBase = 128;

int Complain(const absl::Status& status, int exit_code) {
  LogError(std::string(status.message()));
  return exit_code;
}

int ExitCodeOf(const LaunchResult& result) {
  switch (result.outcome()) {
    case Outcome::kDone:
      return 0;
    case Outcome::kInterrupted:
      return kExitSignalBase + result.failure.signal;
    case Outcome::kTimedOut:
      return kExitTimedOut;
    case Outcome::kFailed:
      break;
  }
  return kExitFailed;
}

// One invocation, after its command line has been understood.
class RunSession {
 public:
  explicit RunSession(RunPlan plan) : plan_(std::move(plan)) {}

  int Run() {
    if (StdoutWasClosed()) {
      LogError("stdout is closed, so the result would be lost");
      return kExitFailed;
    }
    if (!plan_.options.record.empty()) {
      absl::Status status = records_.Open(plan_.options.record);
      if (!status.ok()) return Complain(status, kExitFailed);
    }
    absl::Status status = CheckLimits(plan_);
    if (status.ok()) {
      status = ApplyPlacement(plan_.options,
                              plan_.affinity ? &*plan_.affinity : nullptr);
    }
    if (!status.ok()) return Refuse(status);
    return RunLaunches();
  }

 private:
  bool prints_lines() const { return plan_.options.record != "-"; }

  int Refuse(const absl::Status& status) {
    const absl::Status recorded = records_.Append(MakeRefusal(
        plan_, std::string(status.message()), UtcNow(), kExitFailed));
    if (!recorded.ok()) LogError(std::string(recorded.message()));
    return Complain(status, kExitFailed);
  }

  int RunLaunches() {
    SignalGate signals;
    Launcher launcher(plan_, signals);
    absl::Status status = launcher.Prepare();
    if (!status.ok()) return Refuse(status);

    int exit_code = 0;
    const int64_t launches = plan_.options.warmup + plan_.options.repeat;
    for (int64_t i = 0; i < launches && exit_code == 0; ++i) {
      const bool is_warmup = i < plan_.options.warmup;
      const LaunchRole role{is_warmup,
                            is_warmup ? i : i - plan_.options.warmup};
      exit_code = RunOne(launcher, role);
    }
    // Threads of a failed launch end with the process, now.
    if (launcher.left_threads()) _exit(exit_code);
    if (times_s_.size() > 1) {
      LogFigure(results::ToText(results::Summarise(times_s_)));
    }
    return exit_code;
  }

  int RunOne(Launcher& launcher, LaunchRole role) {
    if (prints_lines() && !role.is_warmup) {
      absl::Status status = WriteStdout(HeaderText(plan_));
      if (!status.ok()) return Complain(status, kExitFailed);
    }
    std::string started_utc = UtcNow();
    const LaunchResult result = launcher.Run();
    int exit_code = ExitCodeOf(result);
    if (result.done) {
      exit_code = Report(result, role);
    } else {
      LogError(result.failure.message);
    }
    absl::Status status = records_.Append(
        MakeRecord(plan_, result, role, std::move(started_utc), exit_code));
    if (!status.ok()) return Complain(status, kExitFailed);
    return exit_code;
  }

  int Report(const LaunchResult& result, LaunchRole role) {
    if (role.is_warmup) return 0;
    times_s_.push_back(static_cast<double>(result.total_ns) / 1e9);
    if (plan_.options.timing_work) LogFigure(TimingText(result));
    if (result.latency != nullptr) LogFigure(LatencyText(*result.latency));
    if (result.user) ReportUserPlane(result);
    if (!prints_lines()) return 0;
    absl::Status status = WriteStdout(ResultText(plan_, result));
    return status.ok() ? 0 : Complain(status, kExitFailed);
  }

  void ReportUserPlane(const LaunchResult& result) {
    std::vector<std::string> lines;
    if (plan_.options.stats) {
      lines = StatsText(
          plan_, *result.user, result.messages,
          result.use.voluntary_switches + result.use.involuntary_switches);
    }
    if (plan_.options.phases) {
      const std::vector<std::string> steps = PhasesText(*result.user);
      lines.insert(lines.end(), steps.begin(), steps.end());
    }
    for (const std::string& line : lines) LogFigure(line);
    const std::string warning = FaultWarning(plan_, result);
    if (!warning.empty()) LogWarning(warning);
  }

  RunPlan plan_;
  results::RecordFile records_;
  std::vector<double> times_s_;
};

int Print(const std::string& text) {
  absl::Status status = WriteStdout(text);
  return status.ok() ? 0 : Complain(status, kExitFailed);
}

// Options that ask for a text instead of a run. Nothing when there is none.
std::optional<int> PrintWhatWasAskedFor(const RunOptions& options) {
  if (options.help) {
    return Print(HelpText(
        options.grammar == Grammar::kPerf ? kPerfSpelling : kRtTestsSpelling));
  }
  if (options.version) return Print(VersionText());
  if (options.list.empty()) return std::nullopt;
  absl::StatusOr<std::string> text = ListText(options.list);
  if (!text.ok()) {
    return Complain(text.status(), UsageExitCode(options.grammar));
  }
  return Print(*text);
}

}  // namespace

int RunCommand(const ParsedRun& run) {
  const RunOptions& options = run.options;
  SetLogLevel(options.log_level);
  if (const std::optional<int> done = PrintWhatWasAskedFor(options)) {
    return *done;
  }
  absl::StatusOr<RunPlan> plan = MakePlan(options);
  if (!plan.ok()) {
    return Complain(plan.status(), UsageExitCode(options.grammar));
  }
  if (!run.doubts.empty()) {
    LogWarning(fmt::format("{}; running as: {}", fmt::join(run.doubts, "; "),
                           EffectiveCommandLine(options)));
  }
  if (!plan->warning.empty()) LogWarning(plan->warning);
  return RunSession(*std::move(plan)).Run();
}

}  // namespace hackbench
