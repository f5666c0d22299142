// SPDX-License-Identifier: MIT
// The last line of `perf stat -r`, one per arm. Its ± is the standard error of
// the mean, whatever its manual says.
#include <fmt/format.h>

#include <cmath>

#include "results/layout_list.h"

namespace hackbench::results {

absl::StatusOr<std::string> FormatPerfStat(const Report& report) {
  std::string text;
  for (const ArmSummary& arm : report.arms) {
    const Summary& s = arm.summary;
    const double error =
        100 * s.cov / std::sqrt(static_cast<double>(std::max<size_t>(s.n, 1)));
    const bool time = arm.metric == "time" || arm.metric == "wall";
    text += fmt::format(
        " Performance counter stats for '{}' ({} runs):\n\n{:>19.9f} {:<18} ( "
        "+- {:5.2f}% )\n\n",
        arm.label, s.n, s.mean, time ? "seconds time elapsed" : arm.metric,
        error);
  }
  return text +
         "+-: standard error of the mean; two that do not overlap are "
         "no test, see the verdicts\n" +
         NotesText(report);
}

}  // namespace hackbench::results
