// SPDX-License-Identifier: MIT
// The command line of `hackbench atomics`.
#pragma once

#include <absl/status/statusor.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "atomics/measure.h"

namespace hackbench {

enum class TableFormat { kText, kJson, kCsv, kMarkdown };

struct AtomicsOptions {
  // In the order of the list, without the zero point.
  std::vector<const atomics::VariantEntry*> variants;
  TableFormat format = TableFormat::kText;
  int repetitions = 31;
  // One or two of the allowed ones; the first does the measuring.
  std::vector<int> cpus;
  bool list = false;
  bool help = false;
};

// InvalidArgument with a message for people: what was asked, why not, what to
// do.
absl::StatusOr<AtomicsOptions> ParseAtomicsOptions(
    std::span<const std::string_view> words);

std::string AtomicsHelp();

}  // namespace hackbench
