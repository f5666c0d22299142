// SPDX-License-Identifier: MIT
#include "hackbench/experiment_session.h"

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "hackbench/log.h"
#include "hackbench/stdio.h"
#include "hackbench/unique_fd.h"
#include "results/analysis.h"
#include "results/experiment.h"
#include "results/hash.h"
#include "results/layout_list.h"
#include "results/noise_floor.h"
#include "results/text.h"

namespace hackbench {
namespace {

constexpr int kExitRegression = 1;
constexpr int kExitFailed = 2;
constexpr int kExitUndecided = 3;
constexpr int kExitSignalBase = 128;

int Complain(const absl::Status& status) {
  LogError(std::string(status.message()));
  return kExitFailed;
}

// An abstract socket address: the kernel frees it however we end.
absl::StatusOr<UniqueFd> ClaimMachine() {
  constexpr std::string_view kName = "hackbench-experiment";
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, kName.data(), kName.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                           kName.size());
  if (!fd.valid() ||
      bind(fd.get(), reinterpret_cast<sockaddr*>(&address), size) == 0) {
    return fd;
  }
  return absl::UnavailableError(
      "another experiment measures on this machine, and each would disturb the "
      "other; wait for it, or --allow-parallel");
}

std::string ProgressText(const results::Progress& progress,
                         const results::Recipe& recipe) {
  std::string text =
      fmt::format("block {} of {}-{}  run {}", progress.block,
                  progress.min_blocks, progress.max_blocks, progress.launches);
  for (size_t i = 0; i < progress.means.size() && i < 4; ++i) {
    if (!std::isnan(progress.means[i])) {
      text += fmt::format("  {} {}", recipe.arms[i].label,
                          results::FigureText(progress.means[i]));
    }
  }
  // No word of verdict before the end: nobody should stop by eye on a star.
  if (progress.interim && progress.interim->interval) {
    text += fmt::format("  diff {} ±{:.1f} %",
                        results::PercentText(progress.interim->effect),
                        100 * *progress.interim->HalfWidth());
  }
  return text + fmt::format("  eta {}-{}",
                            results::DurationText(progress.remaining_min_ns),
                            results::DurationText(progress.remaining_max_ns));
}

class ProgressLine {
 public:
  explicit ProgressLine(bool quiet)
      : on_(!quiet && isatty(STDERR_FILENO) == 1) {}
  ~ProgressLine() { Clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Show(const std::string& text) {
    if (!on_) return;
    Write("\r\033[K" + text);
    shown_ = true;
  }
  void Clear() {
    if (shown_) Write("\r\033[K");
    shown_ = false;
  }

 private:
  static void Write(const std::string& text) {
    [[maybe_unused]] const ssize_t done =
        write(STDERR_FILENO, text.data(), text.size());
  }

  bool on_;
  bool shown_ = false;
};

// The margin is never below what two equal arms differ by here.
absl::Status RaiseMarginToFloor(results::Store& store,
                                const ExperimentRequest& request,
                                results::Recipe& recipe) {
  const auto floor = results::FindNoiseFloor(
      store, results::HostId(),
      results::FloorKey(recipe.arms[static_cast<size_t>(recipe.baseline[0])]));
  if (!floor.ok()) return floor.status();
  if (!*floor || (*floor)->floor <= recipe.margin) return absl::OkStatus();
  const std::string text = fmt::format(
      "the noise floor of this workload is {:.1f} % ({} A/A "
      "experiments)",
      100 * (*floor)->floor, (*floor)->experiments);
  if (request.margin_given) {
    LogWarning(text + fmt::format(", above the margin of {:.1f} %",
                                  100 * recipe.margin));
    return absl::OkStatus();
  }
  LogFigure(text + ": taken as the margin");
  recipe.margin = (*floor)->floor;
  return absl::OkStatus();
}

std::string PlanText(const results::Recipe& recipe) {
  std::string text = fmt::format(
      "{} arms, {} to {} blocks of {} launches, {} to {} in all with warm-ups; "
      "order {}, seed {}\n",
      recipe.arms.size(), recipe.min_blocks, recipe.max_blocks,
      recipe.schedule.BlockSize(),
      recipe.min_blocks * recipe.schedule.BlockSize() +
          recipe.schedule.warmups * recipe.schedule.arms,
      recipe.max_blocks * recipe.schedule.BlockSize() +
          recipe.schedule.warmups * recipe.schedule.arms,
      results::OrderName(recipe.schedule.order), recipe.schedule.seed);
  for (size_t i = 0; i < recipe.arms.size(); ++i) {
    const results::Arm& arm = recipe.arms[i];
    text += fmt::format("  {}: {}", arm.label, results::SettingsText(arm));
    if (recipe.baseline[i] != static_cast<int64_t>(i)) {
      text += fmt::format(
          "  (against {})",
          recipe.arms[static_cast<size_t>(recipe.baseline[i])].label);
    }
    text += "\n";
  }
  return text;
}

std::string OrderText(const results::Recipe& recipe) {
  std::string text;
  for (int64_t block = 0; block < recipe.min_blocks; ++block) {
    text += fmt::format("  block {}:", block + 1);
    for (const results::StoredSlot& slot :
         results::BlockSlots(recipe.schedule, block, recipe.min_blocks)) {
      text += " " + recipe.arms[static_cast<size_t>(slot.arm)].label;
    }
    text += "\n";
  }
  return text;
}

const results::LayoutEntry& FindLayout(const std::string& name,
                                       const std::string& kind) {
  const std::string wanted = !name.empty()     ? name
                             : kind == "sweep" ? "sweep"
                                               : "native";
  for (const results::LayoutEntry& entry : results::kLayoutList) {
    if (entry.name == wanted) return entry;
  }
  return results::kLayoutList.front();
}

int GateCode(const results::Report& report) {
  bool undecided = false;
  for (const results::ComparisonRow& row : report.rows) {
    if (row.result.verdict == results::Verdict::kSlower) return kExitRegression;
    undecided |= row.result.verdict == results::Verdict::kUndecided;
  }
  return undecided ? kExitUndecided : 0;
}

int PrintReport(results::Store& store, const ExperimentRequest& request,
                const std::string& exp_id, const std::string& kind) {
  // A share's blocks are no comparison before the merge.
  if (request.shard >= 0) return 0;
  const absl::StatusOr<results::Report> report =
      results::AnalyseExperiment(store, exp_id, {});
  if (!report.ok()) return Complain(report.status());
  const absl::StatusOr<std::string> text =
      FindLayout(request.layout, kind).format(*report);
  if (!text.ok()) return Complain(text.status());
  const absl::Status written = WriteStdout(*text);
  if (!written.ok()) return Complain(written);
  return request.gate ? GateCode(*report) : 0;
}

int ExitCodeOf(const results::ExperimentEnd& end, results::Store& store,
               const ExperimentRequest& request, const std::string& kind) {
  using Why = results::ExperimentEnd::Why;
  if (end.why == Why::kComplete) {
    return PrintReport(store, request, end.exp_id, kind);
  }
  LogError(
      fmt::format("stopped: {}; {} planned launches left, everything "
                  "until then is stored; hackbench {} --resume {}",
                  end.reason, end.slots_left, kind == "sweep" ? "sweep" : "ab",
                  end.exp_id));
  return end.why == Why::kInterrupted ? kExitSignalBase + end.signal
                                      : kExitFailed;
}

absl::StatusOr<results::Store> OpenStore(const ExperimentRequest& request) {
  absl::StatusOr<results::Store> store =
      results::Store::Open(request.db, results::Store::Access::kWrite);
  if (store.ok()) {
    for (const std::string& warning : store->warnings()) LogWarning(warning);
  }
  return store;
}

results::ExperimentOptions Callbacks(const ExperimentRequest& request,
                                     const results::Recipe& recipe,
                                     ProgressLine& line) {
  return {.on_progress =
              [&](const results::Progress& progress) {
                line.Show(ProgressText(progress, recipe));
              },
          .on_warning =
              [&](const std::string& text) {
                line.Clear();
                LogWarning(text);
              },
          .on_note =
              [&](const std::string& text) {
                line.Clear();
                if (!request.quiet) LogFigure(text);
              },
          .shard = request.shard,
          .allow_environment_change = request.allow_environment_change};
}

absl::StatusOr<results::ExperimentEnd> Execute(results::Store& store,
                                               const ExperimentRequest& request,
                                               results::Recipe& recipe) {
  // A file that may not grow is an error to report, not a death.
  signal(SIGXFSZ, SIG_IGN);
  ProgressLine line(request.quiet);
  results::ExperimentOptions options = Callbacks(request, recipe, line);
  if (request.resume.empty()) {
    absl::Status status = RaiseMarginToFloor(store, request, recipe);
    if (!status.ok()) return status;
    if (!request.quiet) {
      std::string plan = PlanText(recipe);
      plan.pop_back();  // The log ends its line itself.
      LogFigure(plan);
    }
    return results::ExperimentRunner(store, recipe, options).Start();
  }
  const absl::StatusOr<std::string> exp_id = store.Resolve(request.resume);
  if (!exp_id.ok()) return exp_id.status();
  const auto experiment = store.Experiment(*exp_id);
  if (!experiment.ok()) return experiment.status();
  absl::StatusOr<results::Recipe> stored =
      results::RecipeFromJson(experiment->spec);
  if (!stored.ok()) return stored.status();
  const auto arms = store.Arms(*exp_id);
  if (!arms.ok()) return arms.status();
  for (const results::StoredArm& arm : *arms) {
    stored->arms.push_back({.label = arm.label});
  }
  recipe = *std::move(stored);
  return results::ExperimentRunner::Resume(store, *exp_id, options);
}

}  // namespace

int RunExperiment(const ExperimentRequest& request, results::Recipe recipe) {
  if (request.dry_run) {
    const absl::Status written =
        WriteStdout(PlanText(recipe) + OrderText(recipe));
    return written.ok() ? 0 : Complain(written);
  }
  absl::StatusOr<UniqueFd> claim = UniqueFd();
  if (!request.allow_parallel) claim = ClaimMachine();
  if (!claim.ok()) return Complain(claim.status());
  absl::StatusOr<results::Store> store = OpenStore(request);
  if (!store.ok()) return Complain(store.status());
  const absl::StatusOr<results::ExperimentEnd> end =
      Execute(*store, request, recipe);
  if (!end.ok()) return Complain(end.status());
  if (!request.tag.empty()) {
    absl::Status status = store->AddTag(request.tag, end->exp_id);
    if (!status.ok()) return Complain(status);
  }
  return ExitCodeOf(*end, *store, request, recipe.kind);
}

int RunNoiseFloor(const ExperimentRequest& request,
                  const results::Recipe& recipe, int64_t count) {
  ExperimentRequest each = request;
  for (int64_t i = 0; i < count; ++i) {
    results::Recipe again = recipe;
    again.schedule.seed += static_cast<uint64_t>(i);
    if (const int code = RunExperiment(each, std::move(again))) return code;
  }
  if (request.dry_run) return 0;
  absl::StatusOr<results::Store> store = OpenStore(request);
  if (!store.ok()) return Complain(store.status());
  const auto floor = results::FindNoiseFloor(*store, results::HostId(),
                                             results::FloorKey(recipe.arms[0]));
  if (!floor.ok()) return Complain(floor.status());
  const std::string text =
      *floor ? fmt::format("noise floor {:.2f} % from {} A/A experiments\n",
                           100 * (*floor)->floor, (*floor)->experiments)
             : fmt::format(
                   "no noise floor yet: it takes {} A/A experiments of "
                   "this workload, --aa --repeat {}\n",
                   results::kFewestAa, results::kFewestAa);
  const absl::Status written = WriteStdout(text);
  return written.ok() ? 0 : Complain(written);
}

}  // namespace hackbench
