// SPDX-License-Identifier: MIT
#include "hackbench/atomics_command.h"

#include <string>

#include "hackbench/atomics_options.h"
#include "hackbench/atomics_report.h"
#include "hackbench/atomics_run.h"
#include "hackbench/log.h"
#include "hackbench/stdio.h"

namespace hackbench {
namespace {

constexpr int kExitUsage = 2;

std::string Answer(const AtomicsOptions& options) {
  if (options.help) return AtomicsHelp();
  if (options.list) return FormatAtomicsList(MeasureCpuFacts());
  return FormatAtomicsTable(MeasureAtomics(options), options.format);
}

}  // namespace

int AtomicsCommand(std::span<const std::string_view> words) {
  const absl::StatusOr<AtomicsOptions> options = ParseAtomicsOptions(words);
  if (!options.ok()) {
    LogError(std::string(options.status().message()));
    return kExitUsage;
  }
  const absl::Status written = WriteStdout(Answer(*options));
  if (written.ok()) return 0;
  LogError(std::string(written.message()));
  return 1;
}

}  // namespace hackbench
