// SPDX-License-Identifier: MIT
// What `hackbench atomics` prints: the table in four formats, what differs from
// the published numbers, and --list.
#pragma once

#include <string>

#include "hackbench/atomics_run.h"

namespace hackbench {

std::string FormatAtomicsTable(const AtomicsTable& table, TableFormat format);
std::string FormatAtomicsList(const CpuFacts& facts);

}  // namespace hackbench
