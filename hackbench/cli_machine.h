// SPDX-License-Identifier: MIT
// What the machine and the build let a test do.
#pragma once

#include <sys/types.h>

namespace hackbench::cli {

// Whether the program under test runs through $HACKBENCH_EMULATOR.
bool IsEmulated();
// Whether the program under test reserves terabytes of shadow memory.
bool IsSanitized();
// A user that has no process yet, or 0 when this process may not become one.
uid_t FreshUid();

}  // namespace hackbench::cli
