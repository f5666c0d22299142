// SPDX-License-Identifier: MIT
// The tables of a results file, and how older ones become newer.
//
// Rows are only ever added: what changes is derived from what was added. So two
// files merge by taking the rows of both, and no merge or crash loses a result.
// Keys are text that is unique everywhere (content hashes, time-ordered ids),
// numbers only below such a key.
//
//   host, env      machine and environment (results/environment.h), by content
//   config         what was run, as reported by the program itself, by content
//   experiment     the recipe: kind, specification, seed, order
//   arm            its configurations, as asked for
//   slot           the plan: which arm runs where in which block; written
//                  before the first launch of its block
//   run            every launch, failed and warm-up ones too. `round` counts
//                  how often its block was begun: only the last one counts
//   sample         the values of a launch
//   metric         unit and better side
//   finish         an experiment or a shard of it came to its end, and why
//   tag            names; the latest row of a name holds
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "results/sqlite.h"

namespace hackbench::results {

inline constexpr int64_t kApplicationId = 0x48424e43;  // "HBNC"

// The step from version i to i+1 stands at index i.
std::span<const std::string_view> Migrations();

// The tables that hold results, parents before children, and their columns.
struct TableInfo {
  std::string_view name;
  std::string_view columns;  // Separated by commas.
};
std::span<const TableInfo> ResultTables();

// Brings a new or older file to the last version, each step in a transaction of
// its own and after a backup beside the file (FILE.vN.backup) where there was
// something to lose. FailedPrecondition for a file that is not ours.
absl::Status Migrate(Sqlite& database,
                     std::span<const std::string_view> steps = Migrations());

enum class SchemaState { kCurrent, kOlder, kNewer, kEmpty, kForeign };
absl::StatusOr<SchemaState> LookAtSchema(
    Sqlite& database, std::span<const std::string_view> steps = Migrations());

}  // namespace hackbench::results
