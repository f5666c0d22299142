// SPDX-License-Identifier: MIT
#include "alloc/corruption.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

namespace hackbench::alloc {

void ReportCorruption(const char* what, uint64_t where) {
  fprintf(stderr, "hackbench: BUG in the arena: %s (at %#" PRIx64 ")\n", what,
          where);
  std::abort();
}

}  // namespace hackbench::alloc
