// SPDX-License-Identifier: MIT
// The lines that scripts parse, to the byte, and the figures behind options.
#pragma once

#include <string>

#include "hackbench/launch.h"
#include "hackbench/plan.h"

namespace hackbench {

// What goes to stdout before the first task exists; may be empty.
std::string HeaderText(const RunPlan& plan);

// What goes to stdout after a complete launch. Milliseconds are cut, not
// rounded, as all peers do.
std::string ResultText(const RunPlan& plan, const LaunchResult& result);

// --timing work, for stderr.
std::string TimingText(const LaunchResult& result);

// --latency, for stderr.
std::string LatencyText(const Histogram& latency);

// perf's first line, which its driver prints before it reads the options.
std::string PerfBannerText();

}  // namespace hackbench
