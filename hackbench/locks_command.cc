// SPDX-License-Identifier: MIT
// `hackbench locks`: what the locks of sync/lock_list.h cost, alone, against
// one another and with more tasks than CPUs.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "atomics/pin.h"
#include "hackbench/command_list.h"
#include "hackbench/lock_torture.h"
#include "hackbench/locks_options.h"
#include "hackbench/locks_report.h"
#include "hackbench/log.h"
#include "hackbench/stdio.h"

namespace hackbench {
namespace {

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
constexpr int kExitDeadline = 124;

int Fail(const absl::Status& status, int code) {
  LogError(std::string(status.message()));
  return code;
}

int Print(const std::string& text, int code) {
  const absl::Status written = WriteStdout(text);
  return written.ok() ? code : Fail(written, kExitFailed);
}

bool Wants(const LocksOptions& options, LockMode mode) {
  return std::find(options.modes.begin(), options.modes.end(), mode) !=
         options.modes.end();
}

// Never silently: such a run says something about the scheduler only.
void WarnOfPureSpin(const LocksOptions& options) {
  const size_t cpus = atomics::AllowedCpus().size();
  const uint32_t most =
      *std::max_element(options.tasks.begin(), options.tasks.end());
  if (most <= cpus) return;
  std::string names;
  for (const LockEntry* entry : options.locks) {
    if (!entry->traits.pure_spin) continue;
    names.append(names.empty() ? "" : ", ").append(entry->name);
  }
  if (names.empty()) return;
  LogWarning(fmt::format(
      "pure spin oversubscribed ({}): expected to collapse with {} tasks on {} "
      "CPUs; each run ends after {} s",
      names, most, cpus, options.deadline_ns / 1'000'000'000));
}

int Torture(const LocksOptions& options) {
  const absl::StatusOr<std::vector<TortureRow>> rows = TortureLocks(options);
  if (!rows.ok()) return Fail(rows.status(), kExitFailed);
  const bool passed =
      std::all_of(rows->begin(), rows->end(),
                  [](const TortureRow& row) { return row.Passed(); });
  return Print(FormatTorture(*rows), passed ? 0 : kExitFailed);
}

int ExitCodeOf(const std::vector<LadderRow>& rows) {
  int code = 0;
  for (const LadderRow& row : rows) {
    if (row.wrong != 0) return kExitFailed;
    if (row.completed != row.runs) code = kExitDeadline;
  }
  return code;
}

absl::Status Measure(const LocksOptions& options, LocksReport& report) {
  if (Wants(options, LockMode::kUncontended)) {
    report.uncontended = MeasureUncontended(options);
  }
  if (Wants(options, LockMode::kContended)) {
    auto table = MeasureContended(options, /*readers=*/false);
    if (!table.ok()) return table.status();
    report.contended = *std::move(table);
  }
  if (Wants(options, LockMode::kReadWrite)) {
    auto table = MeasureContended(options, /*readers=*/true);
    if (!table.ok()) return table.status();
    report.shared = *std::move(table);
  }
  if (Wants(options, LockMode::kOversubscribed)) {
    WarnOfPureSpin(options);
    auto rows = MeasureLadder(options);
    if (!rows.ok()) return rows.status();
    report.ladder = *std::move(rows);
  }
  return absl::OkStatus();
}

}  // namespace

int LocksCommand(Words words) {
  const absl::StatusOr<LocksOptions> options = ParseLocksOptions(words);
  if (!options.ok()) return Fail(options.status(), kExitUsage);
  if (options->help) return Print(LocksHelp(), 0);
  if (options->list) return Print(FormatLockList(), 0);
  if (options->torture_seconds > 0) return Torture(*options);
  LocksReport report;
  const absl::Status status = Measure(*options, report);
  if (!status.ok()) return Fail(status, kExitFailed);
  return Print(FormatLocks(report, *options), ExitCodeOf(report.ladder));
}

}  // namespace hackbench
