// SPDX-License-Identifier: MIT
#include "results/store.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "results/hash.h"
#include "results/schema.h"

namespace hackbench::results {
namespace {

// What to do stands beside what happened.
absl::Status Explain(const absl::Status& status, const std::string& path) {
  const std::string text(status.message());
  switch (status.code()) {
    case absl::StatusCode::kFailedPrecondition:
      return absl::FailedPreconditionError(fmt::format(
          "{}; it is damaged or no results file. Nothing was changed. "
          "'sqlite3 {} .recover' saves what can be read, another --db starts "
          "afresh",
          text, path));
    case absl::StatusCode::kPermissionDenied:
      return absl::PermissionDeniedError(
          fmt::format("{}; results cannot be written there, give --db FILE in "
                      "a directory of yours",
                      text));
    case absl::StatusCode::kNotFound:
      return absl::NotFoundError(fmt::format(
          "{}; give --db FILE in a directory that is there and yours", text));
    case absl::StatusCode::kResourceExhausted:
      return absl::ResourceExhaustedError(
          fmt::format("{}; what was stored before is safe. Free some space or "
                      "give another --db",
                      text));
    default:
      return status;
  }
}

// A log or a rollback journal that was left: its owner did not close the file.
bool EndedUncleanly(const std::string& path) {
  struct stat status {};
  for (const char* const suffix : {"-wal", "-journal"}) {
    if (stat((path + suffix).c_str(), &status) == 0 && status.st_size > 0) {
      return true;
    }
  }
  return false;
}

absl::Status QuickCheck(Sqlite& database) {
  const absl::StatusOr<std::string> answer =
      database.SelectText("PRAGMA quick_check(1)");
  if (!answer.ok()) return answer.status();
  if (*answer == "ok") return absl::OkStatus();
  return absl::FailedPreconditionError(database.path() + ": " + *answer);
}

absl::StatusOr<Sqlite> OpenForReading(const std::string& path) {
  if (access(path.c_str(), F_OK) != 0) {
    return absl::NotFoundError(fmt::format(
        "{}: there are no results yet; 'hackbench ab' makes some", path));
  }
  absl::StatusOr<Sqlite> database = Sqlite::Open(path, Sqlite::Mode::kReadOnly);
  // A log needs a file beside it even to be read. Where none can be made and
  // there is no log, nobody writes either.
  if (database.ok() &&
      !database->SelectInt("SELECT count(*) FROM sqlite_schema").ok() &&
      !EndedUncleanly(path) && access(path.c_str(), W_OK) != 0) {
    return Sqlite::Open(path, Sqlite::Mode::kImmutable);
  }
  if (database.ok() &&
      !database->SelectInt("SELECT count(*) FROM sqlite_schema").ok() &&
      !EndedUncleanly(path)) {
    absl::StatusOr<Sqlite> immutable =
        Sqlite::Open(path, Sqlite::Mode::kImmutable);
    if (immutable.ok() &&
        immutable->SelectInt("SELECT count(*) FROM sqlite_schema").ok()) {
      return immutable;
    }
  }
  return database;
}

std::string Bind(std::string_view columns) {
  std::string marks = "?";
  for (const char c : columns) marks += c == ',' ? ",?" : "";
  return marks;
}

std::string Insert(std::string_view table, std::string_view columns,
                   std::string_view how = "INSERT") {
  return fmt::format("{} INTO {} ({}) VALUES ({})", how, table, columns,
                     Bind(columns));
}

StoredExperiment ToExperiment(const SqlRow& row) {
  StoredExperiment experiment{.id = row.Text(0),
                              .kind = row.Text(1),
                              .created_ns = row.Int(2),
                              .spec = row.Text(3),
                              .seed = row.Int(4),
                              .order = row.Text(5),
                              .tool_version = row.Text(6),
                              .note = row.Text(7)};
  if (!row.IsNull(8)) experiment.parent = row.Text(8);
  return experiment;
}

// A shared experiment begins with its first launch.
constexpr std::string_view kWhen =
    "CASE created_ns WHEN 0 THEN coalesce((SELECT min(started_ns) FROM run "
    "WHERE "
    "run.exp_id = e.exp_id), 0) ELSE created_ns END";

constexpr std::string_view kExperimentColumns =
    "exp_id,kind,created_ns,spec,seed,ord,tool_version,note,parent";

void MarkSuperseded(std::vector<RunRow>& runs,
                    const std::vector<int64_t>& rounds) {
  std::map<int64_t, int64_t> last_round;                // By block.
  std::map<int64_t, std::pair<int64_t, int64_t>> last;  // By slot.
  for (size_t i = 0; i < runs.size(); ++i) {
    auto& round = last_round[runs[i].block];
    round = std::max(round, rounds[i]);
    auto& attempt = last[runs[i].seq];
    attempt = std::max(attempt, std::pair(rounds[i], runs[i].attempt));
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    // Warm-ups share no block.
    const bool old_round =
        runs[i].block >= 0 && rounds[i] < last_round[runs[i].block];
    runs[i].superseded =
        old_round || std::pair(rounds[i], runs[i].attempt) < last[runs[i].seq];
  }
}

}  // namespace

int64_t WallClockNs() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::string Store::DefaultPath() {
  const char* const data = std::getenv("XDG_DATA_HOME");
  if (data != nullptr && *data == '/') {
    return std::string(data) + "/hackbench/results.db";
  }
  const char* const home = std::getenv("HOME");
  return std::string(home == nullptr ? "." : home) +
         "/.local/share/hackbench/results.db";
}

absl::StatusOr<Store> Store::Open(const std::string& path, Access access) {
  const bool unclean = EndedUncleanly(path);
  if (access == Access::kWrite) {
    std::error_code ignored;  // Opening the file tells better.
    const std::filesystem::path parent =
        std::filesystem::path(path).parent_path();
    if (!parent.empty()) std::filesystem::create_directories(parent, ignored);
  }
  absl::StatusOr<Sqlite> database =
      access == Access::kWrite ? Sqlite::Open(path, Sqlite::Mode::kCreate)
                               : OpenForReading(path);
  if (!database.ok()) {
    // Reading a file that is not there has a hint of its own.
    return access == Access::kRead ? database.status()
                                   : Explain(database.status(), path);
  }
  Store store(*std::move(database));
  Sqlite& sqlite = store.database_;
  const absl::StatusOr<SchemaState> state = LookAtSchema(sqlite);
  if (!state.ok()) return Explain(state.status(), path);
  if (*state == SchemaState::kForeign) {
    return absl::FailedPreconditionError(
        path + " is a database of another program; give another --db");
  }
  if (*state == SchemaState::kNewer) {
    const std::string text =
        path + " was written by a newer hackbench than " HACKBENCH_VERSION;
    if (access == Access::kWrite) {
      return absl::FailedPreconditionError(
          text + ", which can only read it; give another --db to write to");
    }
    store.warnings_.push_back(text + ": read only, and maybe not all of it");
  }
  if (unclean) {
    absl::Status status = QuickCheck(sqlite);
    if (!status.ok()) return Explain(status, path);
  }
  if (access == Access::kRead) {
    if (*state == SchemaState::kEmpty) {
      return absl::NotFoundError(path + " holds no results");
    }
    return store;
  }
  const absl::StatusOr<std::string> mode =
      sqlite.SelectText("PRAGMA journal_mode = WAL");
  if (!mode.ok()) return Explain(mode.status(), path);
  if (*mode != "wal") {
    store.warnings_.push_back(path +
                              ": no write-ahead log on this file "
                              "system; using a rollback journal");
  }
  absl::Status status = sqlite.Run("PRAGMA synchronous = FULL");
  if (status.ok()) status = sqlite.Run("PRAGMA foreign_keys = ON");
  if (status.ok()) status = Migrate(sqlite);
  if (!status.ok()) return Explain(status, path);
  return store;
}

absl::Status Store::AddExperiment(const StoredExperiment& experiment,
                                  const std::vector<StoredArm>& arms,
                                  const std::vector<StoredSlot>& slots) {
  Transaction transaction(database_);
  absl::Status status = transaction.begun();
  if (status.ok()) {
    status = database_.Run(
        Insert("experiment", kExperimentColumns),
        {experiment.id, experiment.kind, experiment.created_ns, experiment.spec,
         experiment.seed, experiment.order, experiment.tool_version,
         experiment.note, OrNull(experiment.parent)});
  }
  for (const StoredArm& arm : arms) {
    if (!status.ok()) break;
    status = database_.Run(Insert("arm", "exp_id,arm,label,spec"),
                           {experiment.id, arm.index, arm.label, arm.spec});
  }
  for (const StoredSlot& slot : slots) {
    if (!status.ok()) break;
    status =
        database_.Run(Insert("slot", "exp_id,seq,block,pos,arm,role,shard"),
                      {experiment.id, slot.seq, slot.block, slot.pos, slot.arm,
                       slot.role, slot.shard});
  }
  if (status.ok()) status = transaction.Commit();
  return Explain(status, database_.path());
}

absl::Status Store::AddSlots(const std::string& exp_id,
                             const std::vector<StoredSlot>& slots) {
  Transaction transaction(database_);
  absl::Status status = transaction.begun();
  for (const StoredSlot& slot : slots) {
    if (!status.ok()) break;
    status = database_.Run(Insert("slot", "exp_id,seq,block,pos,arm,role,shard",
                                  "INSERT OR IGNORE"),
                           {exp_id, slot.seq, slot.block, slot.pos, slot.arm,
                            slot.role, slot.shard});
  }
  if (status.ok()) status = transaction.Commit();
  return Explain(status, database_.path());
}

absl::Status Store::AddEnvironment(const Environment& environment) {
  const std::string host = environment.Get("host").value_or("unknown");
  absl::Status status = database_.Run(
      Insert("host", "host_id,label", "INSERT OR IGNORE"), {host, HostLabel()});
  if (status.ok()) {
    status = database_.Run(
        Insert("env", "env_id,host_id,boot_id,kernel,hz,preempt,json",
               "INSERT OR IGNORE"),
        {environment.Id(), host, OrNull(environment.Get("kernel.boot_id")),
         OrNull(environment.Get("kernel.release")),
         OrNull(environment.Get("kernel.hz")),
         OrNull(environment.Get("kernel.preempt")), environment.ToJson()});
  }
  return Explain(status, database_.path());
}

absl::Status Store::AddMetric(const StoredMetric& metric) {
  return Explain(
      database_.Run(Insert("metric", "name,unit,better", "INSERT OR IGNORE"),
                    {metric.name, metric.unit, metric.better}),
      database_.path());
}

absl::Status Store::AddRun(const StoredRun& run) {
  Transaction transaction(database_);
  absl::Status status = transaction.begun();
  SqlValue config_id;
  if (status.ok() && run.config_json) {
    config_id = ContentKey(*run.config_json);
    status =
        database_.Run(Insert("config", "config_id,json", "INSERT OR IGNORE"),
                      {config_id, *run.config_json});
  }
  if (status.ok()) {
    status = database_.Run(
        Insert("run",
               "run_id,exp_id,seq,round,attempt,env_id,config_id,status,"
               "exit_code,signal,started_ns,elapsed_ns,flags,delta,message,"
               "record"),
        {run.id, run.exp_id, run.seq, run.round, run.attempt, run.env_id,
         config_id, run.status, run.exit_code, run.signal, run.started_ns,
         run.elapsed_ns, run.flags, run.delta, run.message,
         OrNull(run.record)});
  }
  for (const StoredSample& sample : run.samples) {
    if (!status.ok()) break;
    status = database_.Run(Insert("sample", "run_id,metric,idx,value"),
                           {run.id, sample.metric, sample.index, sample.value});
  }
  if (status.ok()) status = transaction.Commit();
  return Explain(status, database_.path());
}

absl::Status Store::AddFinish(const std::string& exp_id, int64_t shard,
                              const std::string& reason,
                              const std::string& summary) {
  return Explain(
      database_.Run(Insert("finish", "exp_id,shard,at_ns,reason,summary",
                           "INSERT OR REPLACE"),
                    {exp_id, shard, WallClockNs(), reason, summary}),
      database_.path());
}

absl::Status Store::AddTag(const std::string& name, const std::string& exp_id) {
  return Explain(database_.Run(Insert("tag", "name,moved_ns,exp_id"),
                               {name, WallClockNs(), exp_id}),
                 database_.path());
}

absl::StatusOr<std::string> Store::Resolve(const std::string& reference) {
  if (reference.empty()) {
    return absl::InvalidArgumentError("an empty reference names no result");
  }
  if (reference.starts_with('@')) {
    const auto id = database_.SelectText(
        "SELECT exp_id FROM tag WHERE name = ? ORDER BY moved_ns DESC LIMIT 1",
        {reference.substr(1)});
    if (id.ok()) return id;
    return absl::NotFoundError(
        fmt::format("no tag '{}'; hackbench list shows them", reference));
  }
  if (reference == "last" || reference.starts_with("last~")) {
    int64_t back = 0;
    if (reference != "last") {
      const std::string digits = reference.substr(5);
      if (digits.empty() || digits.size() > 9 ||
          digits.find_first_not_of("0123456789") != std::string::npos) {
        return absl::InvalidArgumentError(fmt::format(
            "'{}': write last~2 for the one two before", reference));
      }
      back = std::stoll(digits);
    }
    const auto id = database_.SelectText(
        fmt::format("SELECT exp_id FROM experiment e ORDER BY {} DESC, exp_id "
                    "DESC LIMIT 1 OFFSET ?",
                    kWhen),
        {back});
    if (id.ok()) return id;
    return absl::NotFoundError(
        fmt::format("'{}': there are not that many results", reference));
  }
  std::vector<std::string> found;
  absl::Status status = database_.Select(
      "SELECT exp_id FROM experiment WHERE substr(exp_id, 1, length(?1)) = "
      "upper(?1) OR substr(exp_id, 1, length(?1)) = ?1 LIMIT 2",
      {reference}, [&](const SqlRow& row) { found.push_back(row.Text(0)); });
  if (!status.ok()) return status;
  if (found.size() == 1) return found[0];
  if (found.empty()) {
    return absl::NotFoundError(
        fmt::format("no result '{}'; hackbench list shows them", reference));
  }
  return absl::NotFoundError(fmt::format(
      "'{}' is the start of more than one id; give more of it", reference));
}

absl::StatusOr<StoredExperiment> Store::Experiment(const std::string& exp_id) {
  std::optional<StoredExperiment> experiment;
  absl::Status status = database_.Select(
      fmt::format("SELECT {} FROM experiment WHERE exp_id = ?",
                  kExperimentColumns),
      {exp_id}, [&](const SqlRow& row) { experiment = ToExperiment(row); });
  if (!status.ok()) return status;
  if (!experiment) return absl::NotFoundError("no experiment " + exp_id);
  return *std::move(experiment);
}

absl::StatusOr<std::vector<StoredArm>> Store::Arms(const std::string& exp_id) {
  std::vector<StoredArm> arms;
  absl::Status status = database_.Select(
      "SELECT arm,label,spec FROM arm WHERE exp_id = ? ORDER BY arm", {exp_id},
      [&](const SqlRow& row) {
        arms.push_back({row.Int(0), row.Text(1), row.Text(2)});
      });
  if (!status.ok()) return status;
  return arms;
}

absl::StatusOr<std::vector<StoredSlot>> Store::Slots(
    const std::string& exp_id) {
  std::vector<StoredSlot> slots;
  absl::Status status = database_.Select(
      "SELECT seq,block,pos,arm,role,shard FROM slot WHERE exp_id = ? ORDER BY "
      "seq",
      {exp_id}, [&](const SqlRow& row) {
        slots.push_back({row.Int(0), row.Int(1), row.Int(2), row.Int(3),
                         row.Text(4), row.Int(5)});
      });
  if (!status.ok()) return status;
  return slots;
}

absl::StatusOr<std::vector<RunRow>> Store::Runs(const std::string& exp_id) {
  std::vector<RunRow> runs;
  std::vector<int64_t> rounds;
  absl::Status status = database_.Select(
      "SELECT run_id,r.seq,block,pos,arm,role,attempt,status,exit_code,signal,"
      "started_ns,elapsed_ns,flags,env_id,config_id,message,round FROM run r "
      "JOIN slot s ON s.exp_id = r.exp_id AND s.seq = r.seq WHERE r.exp_id = ? "
      "ORDER BY started_ns, r.seq, round, attempt",
      {exp_id}, [&](const SqlRow& row) {
        runs.push_back({.run_id = row.Text(0),
                        .seq = row.Int(1),
                        .block = row.Int(2),
                        .pos = row.Int(3),
                        .arm = row.Int(4),
                        .role = row.Text(5),
                        .attempt = row.Int(6),
                        .status = row.Text(7),
                        .exit_code = row.Int(8),
                        .signal = row.Int(9),
                        .started_ns = row.Int(10),
                        .elapsed_ns = row.Int(11),
                        .flags = row.Text(12),
                        .env_id = row.Text(13),
                        .config_id = row.Text(14),
                        .message = row.Text(15)});
        rounds.push_back(row.Int(16));
      });
  if (!status.ok()) return status;
  MarkSuperseded(runs, rounds);
  return runs;
}

absl::StatusOr<std::map<std::string, std::vector<double>>> Store::Samples(
    const std::string& exp_id, const std::string& metric) {
  std::map<std::string, std::vector<double>> samples;
  absl::Status status = database_.Select(
      "SELECT r.run_id, value FROM run r JOIN sample p ON p.run_id = r.run_id "
      "WHERE r.exp_id = ? AND metric = ? ORDER BY r.run_id, idx",
      {exp_id, metric},
      [&](const SqlRow& row) { samples[row.Text(0)].push_back(row.Real(1)); });
  if (!status.ok()) return status;
  return samples;
}

absl::StatusOr<std::vector<StoredMetric>> Store::Metrics(
    const std::string& exp_id) {
  std::vector<StoredMetric> metrics;
  absl::Status status = database_.Select(
      "SELECT name,unit,better FROM metric WHERE name IN (SELECT DISTINCT "
      "metric FROM sample WHERE run_id IN (SELECT run_id FROM run WHERE exp_id "
      "= ? AND status = 'ok')) ORDER BY name = 'time' DESC, name",
      {exp_id}, [&](const SqlRow& row) {
        metrics.push_back({row.Text(0), row.Text(1), row.Text(2)});
      });
  if (!status.ok()) return status;
  return metrics;
}

absl::StatusOr<Environment> Store::LoadEnvironment(const std::string& env_id) {
  const auto json =
      database_.SelectText("SELECT json FROM env WHERE env_id = ?", {env_id});
  if (!json.ok()) return json.status();
  return Environment::FromJson(*json);
}

absl::StatusOr<std::string> Store::ConfigJson(const std::string& config_id) {
  return database_.SelectText("SELECT json FROM config WHERE config_id = ?",
                              {config_id});
}

absl::StatusOr<std::vector<ExperimentRow>> Store::List(const std::string& kind,
                                                       const std::string& tag) {
  std::vector<ExperimentRow> rows;
  std::map<std::string, size_t> at;
  absl::Status status = database_.Select(
      fmt::format(
          "SELECT {}, (SELECT count(*) FROM arm a WHERE a.exp_id = e.exp_id),"
          "(SELECT name FROM tag t WHERE t.exp_id = e.exp_id AND moved_ns = "
          "(SELECT max(moved_ns) FROM tag u WHERE u.name = t.name) LIMIT 1) "
          ", {} FROM experiment e WHERE (?1 = '' OR kind = ?1) ORDER BY 12 "
          "DESC, exp_id DESC",
          kExperimentColumns, kWhen),
      {kind}, [&](const SqlRow& row) {
        if (!tag.empty() && row.Text(10) != tag) return;
        ExperimentRow entry;
        entry.experiment = ToExperiment(row);
        entry.arms = row.Int(9);
        entry.tag = row.Text(10);
        entry.when_ns = row.Int(11);
        at[entry.experiment.id] = rows.size();
        rows.push_back(std::move(entry));
      });
  if (!status.ok()) return status;
  const auto each = [&](const std::string& sql, auto&& use) {
    if (!status.ok()) return;
    status = database_.Select(sql, {}, [&](const SqlRow& row) {
      const auto found = at.find(row.Text(0));
      if (found != at.end()) use(rows[found->second], row);
    });
  };
  each(
      "SELECT exp_id, count(*) FROM slot WHERE role = 'measure' GROUP BY "
      "exp_id",
      [](ExperimentRow& entry, const SqlRow& row) {
        entry.pending = row.Int(1);
      });
  each(
      "SELECT r.exp_id, sum(status = 'ok'), sum(status <> 'ok'), "
      "count(DISTINCT CASE WHEN status = 'ok' THEN r.seq END) FROM run r "
      // The sequence numbers of warm-ups are below 0: no look at the slots.
      "WHERE r.seq >= 0 GROUP BY r.exp_id",
      [&](ExperimentRow& entry, const SqlRow& row) {
        entry.ok = row.Int(1);
        entry.failed = row.Int(2);
        entry.pending -= row.Int(3);
      });
  each("SELECT exp_id, summary FROM finish",
       [](ExperimentRow& entry, const SqlRow& row) {
         entry.finished = true;
         entry.summary = row.Text(1);
       });
  if (!status.ok()) return status;
  for (ExperimentRow& entry : rows) {
    status = database_.Select(
        "SELECT label, kernel FROM env JOIN host USING (host_id) WHERE env_id "
        "= (SELECT env_id FROM run WHERE exp_id = ? LIMIT 1)",
        {entry.experiment.id}, [&](const SqlRow& row) {
          entry.host = row.Text(0);
          entry.kernel = row.Text(1);
        });
    if (!status.ok()) return status;
  }
  return rows;
}

absl::StatusOr<bool> Store::IsFinished(const std::string& exp_id,
                                       int64_t shard) {
  const auto count = database_.SelectInt(
      "SELECT count(*) FROM finish WHERE exp_id = ? AND shard = ?",
      {exp_id, shard});
  if (!count.ok()) return count.status();
  return *count > 0;
}

}  // namespace hackbench::results
