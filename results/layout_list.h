// SPDX-License-Identifier: MIT
// Every layout, one line each.
#pragma once

#include <array>

#include "results/layout.h"

namespace hackbench::results {

absl::StatusOr<std::string> FormatNative(const Report& report);
absl::StatusOr<std::string> FormatSweep(const Report& report);
absl::StatusOr<std::string> FormatMmtests(const Report& report);
absl::StatusOr<std::string> FormatLkp(const Report& report);
absl::StatusOr<std::string> FormatBenchstat(const Report& report);
absl::StatusOr<std::string> FormatPerfStat(const Report& report);
absl::StatusOr<std::string> FormatSiewior2019(const Report& report);
absl::StatusOr<std::string> FormatCapper2014(const Report& report);
absl::StatusOr<std::string> FormatMarkdown(const Report& report);
absl::StatusOr<std::string> FormatCsv(const Report& report);
absl::StatusOr<std::string> FormatJson(const Report& report);

inline constexpr std::array kLayoutList = {
    LayoutEntry{"native", "a block per metric: spread, effect, verdict",
                FormatNative},
    LayoutEntry{"sweep", "a line per cell, a column per arm", FormatSweep},
    LayoutEntry{"mmtests", "Min, Amean, Stddev, CoeffVar, Max; + is better",
                FormatMmtests},
    LayoutEntry{"lkp", "%stddev %change %stddev, fail:runs; + is more",
                FormatLkp},
    LayoutEntry{"benchstat", "old, new, delta; ~ where nothing was found",
                FormatBenchstat},
    LayoutEntry{"perf-stat", "mean ( +- standard error ) per arm",
                FormatPerfStat},
    LayoutEntry{"siewior-2019", "lock by preemption model, a block per HZ",
                FormatSiewior2019},
    LayoutEntry{"capper-2014", "mean and standard deviation per arm",
                FormatCapper2014},
    LayoutEntry{"md", "a Markdown table", FormatMarkdown},
    LayoutEntry{"csv", "a line per row, RFC 4180", FormatCsv},
    LayoutEntry{"json", "one object, for scripts", FormatJson},
};

}  // namespace hackbench::results
