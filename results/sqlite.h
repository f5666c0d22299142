// SPDX-License-Identifier: MIT
// SQLite with its return codes as absl::Status and its handles owned. Every
// value is bound, never pasted into the text of a statement.
//
// Codes: NotFound (no such file), FailedPrecondition (no database, or damaged),
// PermissionDenied (read-only), ResourceExhausted (disk full), Unavailable
// (locked by another process), Internal.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace hackbench::results {

using SqlValue = std::variant<std::monostate, int64_t, double, std::string>;

// An absent value as NULL.
template <typename T>
SqlValue OrNull(const std::optional<T>& value) {
  return value ? SqlValue(*value) : SqlValue();
}

// One row of a result, valid inside the callback only.
class SqlRow {
 public:
  explicit SqlRow(sqlite3_stmt* statement) : statement_(statement) {}

  bool IsNull(int column) const;
  int64_t Int(int column) const;
  double Real(int column) const;
  std::string Text(int column) const;
  SqlValue Value(int column) const;  // With the type it was stored in.
  int columns() const;
  std::string Name(int column) const;

 private:
  sqlite3_stmt* statement_;
};

class Sqlite {
 public:
  enum class Mode {
    kReadWrite,  // The file is there.
    kCreate,     // Created when it is not.
    kReadOnly,
    kImmutable,  // Read-only, and nobody else writes: no lock files are made.
  };
  static absl::StatusOr<Sqlite> Open(const std::string& path, Mode mode);

  Sqlite(Sqlite&&) noexcept = default;
  Sqlite& operator=(Sqlite&&) noexcept = default;

  using Parameters = std::vector<SqlValue>;
  using Visit = std::function<void(const SqlRow&)>;

  // Statements without results; several where there are no parameters.
  absl::Status Run(const std::string& sql);
  absl::Status Run(const std::string& sql, const Parameters& parameters);
  // One statement; `visit` sees each row.
  absl::Status Select(const std::string& sql, const Parameters& parameters,
                      const Visit& visit);
  // The first column of the first row; NotFound when there is no row.
  absl::StatusOr<int64_t> SelectInt(const std::string& sql,
                                    const Parameters& parameters = {});
  absl::StatusOr<std::string> SelectText(const std::string& sql,
                                         const Parameters& parameters = {});

  // Rows changed by the last statement.
  int64_t changes() const;
  const std::string& path() const { return path_; }

  // Copies the whole database into a new file.
  absl::Status BackUpTo(const std::string& path);

 private:
  struct Closer {
    void operator()(sqlite3* database) const;
  };
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const;
  };
  using StatementPointer = std::unique_ptr<sqlite3_stmt, Finalizer>;

  Sqlite() = default;
  absl::StatusOr<sqlite3_stmt*> Prepared(const std::string& sql);
  absl::Status Error(std::string_view doing) const;

  std::string path_;
  std::unique_ptr<sqlite3, Closer> database_;
  // After the database, so that they go before it.
  std::map<std::string, StatementPointer> statements_;
};

// BEGIN IMMEDIATE to COMMIT; rolled back when it goes without Commit().
class Transaction {
 public:
  explicit Transaction(Sqlite& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  const absl::Status& begun() const { return begun_; }
  absl::Status Commit();

 private:
  Sqlite& database_;
  absl::Status begun_;
  bool open_;
};

}  // namespace hackbench::results
