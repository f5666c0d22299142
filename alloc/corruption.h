// SPDX-License-Identifier: MIT
// What the allocator does when its own structures contradict each other: says
// so and aborts. A wrong number is worse than a crash.
#pragma once

#include <cstdint>

namespace hackbench::alloc {

// `where` is an address or a page number.
[[noreturn, gnu::noinline, gnu::cold]] void ReportCorruption(const char* what,
                                                             uint64_t where);

}  // namespace hackbench::alloc
