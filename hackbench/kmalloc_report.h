// SPDX-License-Identifier: MIT
// What `hackbench kmalloc` prints.
#pragma once

#include <string>

#include "hackbench/kmalloc_run.h"

namespace hackbench {

std::string FormatKmallocTable(const KmallocTable& table);

}  // namespace hackbench
