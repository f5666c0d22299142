// SPDX-License-Identifier: MIT
// The reports of the debug engine, in the manner of SLUB's: what is wrong with
// which object of which cache, the bytes in question, who allocated and who
// freed it.
#pragma once

#include <string>
#include <string_view>

#include "alloc/debug_object.h"

namespace hackbench::alloc {

struct DebugFinding {
  std::string_view what;        // "Right Redzone overwritten"
  const char* where = nullptr;  // The first wrong byte; may be null.
  uint8_t expected = 0;
};

std::string DebugReport(const Cache& cache, const DebugObject& object,
                        const DebugFinding& finding);

// Where reports go; stderr unless a test says otherwise.
inline void (*debug_report_sink)(const std::string& report) = nullptr;

void EmitDebugReport(const std::string& report);

}  // namespace hackbench::alloc
