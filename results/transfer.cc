// SPDX-License-Identifier: MIT
#include "results/transfer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "results/schema.h"
#include "results/status_text.h"

namespace hackbench::results {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchemaName = "hackbench.results/1";
constexpr size_t kLongestLine = 16 << 20;

std::vector<std::string> SplitColumns(std::string_view columns) {
  std::vector<std::string> names;
  while (!columns.empty()) {
    const size_t comma = std::min(columns.find(','), columns.size());
    names.emplace_back(columns.substr(0, comma));
    columns.remove_prefix(std::min(comma + 1, columns.size()));
  }
  return names;
}

// Takes one row; whether it was new. A row with the same key must be equal.
class RowTaker {
 public:
  explicit RowTaker(Sqlite& database) : database_(database) {}

  absl::StatusOr<bool> Take(const TableInfo& table,
                            const std::vector<SqlValue>& values) {
    const std::vector<std::string> columns = SplitColumns(table.columns);
    const std::vector<std::string> marks(columns.size(), "?");
    absl::Status status = database_.Run(
        fmt::format("INSERT OR IGNORE INTO {} ({}) VALUES ({})", table.name,
                    table.columns, fmt::join(marks, ",")),
        values);
    if (!status.ok()) return status;
    if (database_.changes() > 0) return true;
    std::vector<std::string> equal;
    for (const std::string& column : columns) equal.push_back(column + " IS ?");
    const auto same =
        database_.SelectInt(fmt::format("SELECT count(*) FROM {} WHERE {}",
                                        table.name, fmt::join(equal, " AND ")),
                            values);
    if (!same.ok()) return same.status();
    if (*same > 0) return false;
    return absl::AlreadyExistsError(
        fmt::format("a row of '{}' contradicts the one that is there, or "
                    "breaks a rule of the table: {}",
                    table.name, Describe(columns, values)));
  }

 private:
  static std::string Describe(const std::vector<std::string>& columns,
                              const std::vector<SqlValue>& values) {
    const auto* const key = std::get_if<std::string>(&values[0]);
    return fmt::format("{} {}", columns[0], key == nullptr ? "?" : *key);
  }

  Sqlite& database_;
};

Json ToJson(const SqlValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return *number;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}

absl::StatusOr<SqlValue> FromJson(const Json& json) {
  if (json.is_null()) return SqlValue();
  if (json.is_number_float()) return SqlValue(json.get<double>());
  if (json.is_number_integer() &&
      (!json.is_number_unsigned() ||
       json.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX))) {
    return SqlValue(json.get<int64_t>());
  }
  if (json.is_string()) return SqlValue(json.get<std::string>());
  return absl::InvalidArgumentError("a value is neither text nor number");
}

// What one experiment needs of a table; everything when the id is empty.
std::string Condition(std::string_view table, bool one) {
  if (!one) return "1 OR ?1 = ''";
  if (table == "host") {
    return "host_id IN (SELECT host_id FROM env WHERE env_id IN (SELECT env_id "
           "FROM run WHERE exp_id = ?1))";
  }
  if (table == "env") {
    return "env_id IN (SELECT env_id FROM run WHERE exp_id = ?1)";
  }
  if (table == "config") {
    return "config_id IN (SELECT config_id FROM run WHERE exp_id = ?1)";
  }
  if (table == "metric") {
    return "name IN (SELECT metric FROM sample WHERE run_id IN (SELECT run_id "
           "FROM run WHERE exp_id = ?1))";
  }
  if (table == "sample") {
    return "run_id IN (SELECT run_id FROM run WHERE exp_id = ?1)";
  }
  return "exp_id = ?1";
}

const TableInfo* FindTable(std::string_view name) {
  const auto tables = ResultTables();
  const auto found =
      std::find_if(tables.begin(), tables.end(),
                   [&](const TableInfo& table) { return table.name == name; });
  return found == tables.end() ? nullptr : &*found;
}

// One line of an import. Whether it added a row; nothing for the first line.
absl::StatusOr<std::optional<bool>> TakeLine(RowTaker& taker,
                                             const std::string& line,
                                             bool first) {
  if (line.size() > kLongestLine) {
    return absl::InvalidArgumentError("longer than 16 MiB");
  }
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return absl::InvalidArgumentError("is no JSON object");
  }
  if (first) {
    if (json.value("schema", Json()) != kSchemaName) {
      return absl::InvalidArgumentError(fmt::format(
          "does not begin with the schema '{}': not an export of hackbench, "
          "or of a newer one",
          kSchemaName));
    }
    return std::nullopt;
  }
  const Json name = json.value("table", Json());
  const Json row = json.value("row", Json());
  const TableInfo* const table =
      name.is_string() ? FindTable(name.get<std::string>()) : nullptr;
  if (table == nullptr || !row.is_object()) {
    return absl::InvalidArgumentError("names no table with a row");
  }
  std::vector<SqlValue> values;
  const std::vector<std::string> columns = SplitColumns(table->columns);
  for (const std::string& column : columns) {
    if (!row.contains(column)) {
      return absl::InvalidArgumentError(
          fmt::format("'{}' lacks the column '{}'", table->name, column));
    }
    absl::StatusOr<SqlValue> value = FromJson(row[column]);
    if (!value.ok()) return value.status();
    values.push_back(*std::move(value));
  }
  if (row.size() != columns.size()) {
    return absl::InvalidArgumentError(
        fmt::format("'{}' has a column too many", table->name));
  }
  absl::StatusOr<bool> added = taker.Take(*table, values);
  if (!added.ok()) return added.status();
  return std::optional(*added);
}

void Count(bool added, TransferCounts& counts) {
  ++(added ? counts.added : counts.present);
}

}  // namespace

absl::StatusOr<TransferCounts> Merge(Store& into, const std::string& from) {
  // Opening it proves that it is ours and whole; reading row by row instead of
  // ATTACH keeps its schema, views and triggers away from ours.
  absl::StatusOr<Store> source = Store::Open(from, Store::Access::kRead);
  if (!source.ok()) return source.status();
  Sqlite& database = into.database();
  Transaction transaction(database);
  if (!transaction.begun().ok()) return transaction.begun();
  TransferCounts counts;
  RowTaker taker(database);
  for (const TableInfo& table : ResultTables()) {
    absl::Status taken;
    absl::Status read = source->database().Select(
        fmt::format("SELECT {} FROM {}", table.columns, table.name), {},
        [&](const SqlRow& row) {
          if (!taken.ok()) return;
          std::vector<SqlValue> values;
          for (int i = 0; i < row.columns(); ++i) {
            values.push_back(row.Value(i));
          }
          const absl::StatusOr<bool> added = taker.Take(table, values);
          if (added.ok()) {
            Count(*added, counts);
          } else {
            taken = added.status();
          }
        });
    if (!read.ok()) return read;
    if (!taken.ok()) {
      return absl::Status(taken.code(),
                          from + ": " + std::string(taken.message()));
    }
  }
  absl::Status status = transaction.Commit();
  if (!status.ok()) return status;
  return counts;
}

absl::Status ExportJsonLines(
    Store& store, const std::string& exp_id,
    const std::function<absl::Status(std::string_view line)>& write) {
  const Json head = {{"schema", kSchemaName}, {"version", HACKBENCH_VERSION}};
  absl::Status status = write(head.dump() + "\n");
  for (const TableInfo& table : ResultTables()) {
    if (!status.ok()) return status;
    absl::Status written;
    status = store.database().Select(
        fmt::format("SELECT {0} FROM {1} WHERE {2} ORDER BY {3}", table.columns,
                    table.name, Condition(table.name, !exp_id.empty()), "1, 2"),
        {exp_id}, [&](const SqlRow& row) {
          if (!written.ok()) return;
          Json json = {{"table", table.name}, {"row", Json::object()}};
          for (int i = 0; i < row.columns(); ++i) {
            json["row"][row.Name(i)] = ToJson(row.Value(i));
          }
          written = write(
              json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
        });
    if (status.ok()) status = written;
  }
  return status;
}

absl::StatusOr<TransferCounts> ImportJsonLines(Store& store, std::istream& in) {
  Transaction transaction(store.database());
  if (!transaction.begun().ok()) return transaction.begun();
  RowTaker taker(store.database());
  TransferCounts counts;
  int64_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const auto added = TakeLine(taker, line, number == 1);
    if (!added.ok()) {
      return absl::Status(added.status().code(),
                          fmt::format("line {} {}; nothing was imported",
                                      number, Message(added.status())));
    }
    if (*added) Count(**added, counts);
  }
  if (number == 0) return absl::InvalidArgumentError("the import is empty");
  absl::Status status = transaction.Commit();
  if (!status.ok()) return status;
  return counts;
}

absl::Status Remove(Store& store, const std::string& exp_id) {
  Sqlite& database = store.database();
  Transaction transaction(database);
  absl::Status status = transaction.begun();
  for (const char* const sql :
       {"DELETE FROM sample WHERE run_id IN (SELECT run_id FROM run WHERE "
        "exp_id = ?)",
        "DELETE FROM run WHERE exp_id = ?", "DELETE FROM slot WHERE exp_id = ?",
        "DELETE FROM arm WHERE exp_id = ?", "DELETE FROM tag WHERE exp_id = ?",
        "DELETE FROM finish WHERE exp_id = ?",
        "DELETE FROM experiment WHERE exp_id = ?"}) {
    if (status.ok()) status = database.Run(sql, {exp_id});
  }
  for (const char* const sql :
       {"DELETE FROM env WHERE env_id NOT IN (SELECT env_id FROM run)",
        "DELETE FROM host WHERE host_id NOT IN (SELECT host_id FROM env)",
        "DELETE FROM config WHERE config_id NOT IN (SELECT config_id FROM run "
        "WHERE config_id IS NOT NULL)"}) {
    if (status.ok()) status = database.Run(sql);
  }
  return status.ok() ? transaction.Commit() : status;
}

}  // namespace hackbench::results
