// SPDX-License-Identifier: MIT
#include "results/schema.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>

namespace hackbench::results {
namespace {

constexpr std::string_view kVersion1 = R"sql(
CREATE TABLE meta (
  key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE host (
  host_id TEXT PRIMARY KEY, label TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE env (
  env_id TEXT PRIMARY KEY, host_id TEXT NOT NULL REFERENCES host,
  boot_id TEXT, kernel TEXT, hz TEXT, preempt TEXT,
  json TEXT NOT NULL CHECK (json_valid(json))) STRICT, WITHOUT ROWID;
CREATE TABLE config (
  config_id TEXT PRIMARY KEY,
  json TEXT NOT NULL CHECK (json_valid(json))) STRICT, WITHOUT ROWID;
CREATE TABLE experiment (
  exp_id TEXT PRIMARY KEY, kind TEXT NOT NULL, created_ns INTEGER NOT NULL,
  spec TEXT NOT NULL CHECK (json_valid(spec)), seed INTEGER NOT NULL,
  ord TEXT NOT NULL, tool_version TEXT NOT NULL, note TEXT NOT NULL,
  parent TEXT) STRICT, WITHOUT ROWID;
CREATE INDEX experiment_created ON experiment (created_ns);
CREATE TABLE arm (
  exp_id TEXT NOT NULL REFERENCES experiment, arm INTEGER NOT NULL,
  label TEXT NOT NULL, spec TEXT NOT NULL CHECK (json_valid(spec)),
  PRIMARY KEY (exp_id, arm)) STRICT, WITHOUT ROWID;
CREATE TABLE slot (
  exp_id TEXT NOT NULL REFERENCES experiment, seq INTEGER NOT NULL,
  block INTEGER NOT NULL, pos INTEGER NOT NULL, arm INTEGER NOT NULL,
  role TEXT NOT NULL, shard INTEGER NOT NULL,
  PRIMARY KEY (exp_id, seq),
  FOREIGN KEY (exp_id, arm) REFERENCES arm) STRICT, WITHOUT ROWID;
CREATE TABLE run (
  run_id TEXT PRIMARY KEY, exp_id TEXT NOT NULL, seq INTEGER NOT NULL,
  round INTEGER NOT NULL, attempt INTEGER NOT NULL,
  env_id TEXT NOT NULL REFERENCES env, config_id TEXT REFERENCES config,
  status TEXT NOT NULL, exit_code INTEGER NOT NULL, signal INTEGER NOT NULL,
  started_ns INTEGER NOT NULL, elapsed_ns INTEGER NOT NULL,
  flags TEXT NOT NULL CHECK (json_valid(flags)),
  delta TEXT NOT NULL CHECK (json_valid(delta)),
  message TEXT NOT NULL, record TEXT,
  FOREIGN KEY (exp_id, seq) REFERENCES slot) STRICT, WITHOUT ROWID;
CREATE INDEX run_slot ON run (exp_id, seq, round, attempt, status);
CREATE TABLE metric (
  name TEXT PRIMARY KEY, unit TEXT NOT NULL, better TEXT NOT NULL)
  STRICT, WITHOUT ROWID;
CREATE TABLE sample (
  run_id TEXT NOT NULL REFERENCES run, metric TEXT NOT NULL REFERENCES metric,
  idx INTEGER NOT NULL, value REAL NOT NULL,
  PRIMARY KEY (run_id, metric, idx)) STRICT, WITHOUT ROWID;
CREATE TABLE finish (
  exp_id TEXT NOT NULL REFERENCES experiment, shard INTEGER NOT NULL,
  at_ns INTEGER NOT NULL, reason TEXT NOT NULL, summary TEXT NOT NULL,
  PRIMARY KEY (exp_id, shard)) STRICT, WITHOUT ROWID;
CREATE TABLE tag (
  name TEXT NOT NULL, moved_ns INTEGER NOT NULL, exp_id TEXT NOT NULL,
  PRIMARY KEY (name, moved_ns, exp_id)) STRICT, WITHOUT ROWID;
)sql";

constexpr std::array kMigrations = {kVersion1};

constexpr std::array kTables = {
    TableInfo{"host", "host_id,label"},
    TableInfo{"env", "env_id,host_id,boot_id,kernel,hz,preempt,json"},
    TableInfo{"config", "config_id,json"},
    TableInfo{"metric", "name,unit,better"},
    TableInfo{"experiment",
              "exp_id,kind,created_ns,spec,seed,ord,tool_version,note,parent"},
    TableInfo{"arm", "exp_id,arm,label,spec"},
    TableInfo{"slot", "exp_id,seq,block,pos,arm,role,shard"},
    TableInfo{"run",
              "run_id,exp_id,seq,round,attempt,env_id,config_id,status,"
              "exit_code,signal,started_ns,elapsed_ns,flags,delta,message,"
              "record"},
    TableInfo{"sample", "run_id,metric,idx,value"},
    TableInfo{"finish", "exp_id,shard,at_ns,reason,summary"},
    TableInfo{"tag", "name,moved_ns,exp_id"},
};

// Beside the file under a name that nothing has yet.
absl::Status BackUp(Sqlite& database, int64_t version) {
  const std::string base =
      fmt::format("{}.v{}.backup", database.path(), version);
  std::string path = base;
  for (int i = 1; access(path.c_str(), F_OK) == 0; ++i) {
    path = fmt::format("{}.{}", base, i);
  }
  return database.BackUpTo(path);
}

absl::Status Step(Sqlite& database, std::string_view sql, int64_t to) {
  Transaction transaction(database);
  absl::Status status = transaction.begun();
  // Someone else may have made the step while we waited for the lock.
  if (status.ok()) {
    const absl::StatusOr<int64_t> version =
        database.SelectInt("PRAGMA user_version");
    if (version.ok() && *version >= to) return transaction.Commit();
  }
  if (status.ok()) status = database.Run(std::string(sql));
  if (status.ok()) {
    status = database.Run(fmt::format("PRAGMA user_version = {}", to));
  }
  if (status.ok()) {
    status =
        database.Run(fmt::format("PRAGMA application_id = {}", kApplicationId));
  }
  return status.ok() ? transaction.Commit() : status;
}

}  // namespace

std::span<const std::string_view> Migrations() { return kMigrations; }

std::span<const TableInfo> ResultTables() { return kTables; }

absl::StatusOr<SchemaState> LookAtSchema(
    Sqlite& database, std::span<const std::string_view> steps) {
  const absl::StatusOr<int64_t> application =
      database.SelectInt("PRAGMA application_id");
  if (!application.ok()) return application.status();
  const absl::StatusOr<int64_t> version =
      database.SelectInt("PRAGMA user_version");
  if (!version.ok()) return version.status();
  const absl::StatusOr<int64_t> tables =
      database.SelectInt("SELECT count(*) FROM sqlite_schema");
  if (!tables.ok()) return tables.status();
  if (*application == 0 && *version == 0 && *tables == 0) {
    return SchemaState::kEmpty;
  }
  if (*application != kApplicationId) return SchemaState::kForeign;
  const auto last = static_cast<int64_t>(steps.size());
  if (*version > last) return SchemaState::kNewer;
  return *version < last ? SchemaState::kOlder : SchemaState::kCurrent;
}

absl::Status Migrate(Sqlite& database,
                     std::span<const std::string_view> steps) {
  const absl::StatusOr<SchemaState> state = LookAtSchema(database, steps);
  if (!state.ok()) return state.status();
  if (*state == SchemaState::kForeign) {
    return absl::FailedPreconditionError(
        database.path() +
        " is a database of another program; give another --db");
  }
  const absl::StatusOr<int64_t> version =
      database.SelectInt("PRAGMA user_version");
  if (!version.ok()) return version.status();
  for (auto at = static_cast<size_t>(*version); at < steps.size(); ++at) {
    if (at > 0) {
      absl::Status status = BackUp(database, static_cast<int64_t>(at));
      if (!status.ok()) return status;
    }
    absl::Status status =
        Step(database, steps[at], static_cast<int64_t>(at) + 1);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace hackbench::results
