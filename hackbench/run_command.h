// SPDX-License-Identifier: MIT
// The run itself: warm-ups and repetitions of one plan, their lines, figures
// and records.
#pragma once

#include "hackbench/options.h"

namespace hackbench {

// The exit code: 0 done, 1 failed, 124 by the watchdog, 128+n by signal n, and
// the grammar's own for usage.
int RunCommand(const ParsedRun& run);

}  // namespace hackbench
