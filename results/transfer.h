// SPDX-License-Identifier: MIT
// Results from file to file: merge, and JSON lines that lose nothing.
//
// A line is {"table": "run", "row": {column: value, …}}; the first one is
// {"schema": "hackbench.results/1", …}. Numbers keep their type: a real always
// has a point or an exponent. Everything that comes in is checked like an
// unknown's: names of tables and columns, types, references, size.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <functional>
#include <istream>
#include <string>

#include "results/store.h"

namespace hackbench::results {

struct TransferCounts {
  int64_t added = 0;
  int64_t present = 0;  // Already there, equal.
};

// Adds everything of the file `from`. A row whose key is there with another
// content is an error (AlreadyExists), and then nothing is added.
absl::StatusOr<TransferCounts> Merge(Store& into, const std::string& from);

// Calls `write` with each line and its newline. All experiments, or one with
// what it refers to.
absl::Status ExportJsonLines(
    Store& store, const std::string& exp_id,
    const std::function<absl::Status(std::string_view line)>& write);

// One transaction: all or nothing. The error names the line.
absl::StatusOr<TransferCounts> ImportJsonLines(Store& store, std::istream& in);

// Removes an experiment with all its launches, and environments and
// configurations that nothing refers to any more.
absl::Status Remove(Store& store, const std::string& exp_id);

}  // namespace hackbench::results
