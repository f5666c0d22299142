// SPDX-License-Identifier: MIT
#include "results/sqlite.h"

#include <sqlite3.h>

#include <system_error>

namespace hackbench::results {
namespace {

constexpr int kBusyTimeoutMs = 10000;

absl::StatusCode CodeOf(int result) {
  switch (result & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return absl::StatusCode::kFailedPrecondition;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return absl::StatusCode::kPermissionDenied;
    case SQLITE_CANTOPEN:
      return absl::StatusCode::kNotFound;
    case SQLITE_FULL:
    case SQLITE_IOERR:
      return absl::StatusCode::kResourceExhausted;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return absl::StatusCode::kUnavailable;
    default:
      return absl::StatusCode::kInternal;
  }
}

// '%', '?' and '#' have a meaning in a file URI.
std::string UriOf(const std::string& path, const char* query) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      const auto byte = static_cast<unsigned char>(c);
      uri += '%';
      uri += kHex[byte >> 4];
      uri += kHex[byte & 15];
    } else {
      uri += c;
    }
  }
  return uri + query;
}

int BindOne(sqlite3_stmt* statement, int index, const SqlValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) {
    return sqlite3_bind_int64(statement, index, *number);
  }
  if (const auto* real = std::get_if<double>(&value)) {
    return sqlite3_bind_double(statement, index, *real);
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    return sqlite3_bind_text64(statement, index, text->data(), text->size(),
                               SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  return sqlite3_bind_null(statement, index);
}

}  // namespace

bool SqlRow::IsNull(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}
int64_t SqlRow::Int(int column) const {
  return sqlite3_column_int64(statement_, column);
}
double SqlRow::Real(int column) const {
  return sqlite3_column_double(statement_, column);
}
std::string SqlRow::Text(int column) const {
  const unsigned char* const text = sqlite3_column_text(statement_, column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
}
SqlValue SqlRow::Value(int column) const {
  switch (sqlite3_column_type(statement_, column)) {
    case SQLITE_INTEGER:
      return Int(column);
    case SQLITE_FLOAT:
      return Real(column);
    case SQLITE_NULL:
      return std::monostate();
    default:
      return Text(column);
  }
}
int SqlRow::columns() const { return sqlite3_column_count(statement_); }
std::string SqlRow::Name(int column) const {
  return sqlite3_column_name(statement_, column);
}

void Sqlite::Closer::operator()(sqlite3* database) const {
  sqlite3_close_v2(database);
}
void Sqlite::Finalizer::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

absl::StatusOr<Sqlite> Sqlite::Open(const std::string& path, Mode mode) {
  int flags = SQLITE_OPEN_READWRITE;
  if (mode == Mode::kCreate) flags |= SQLITE_OPEN_CREATE;
  if (mode == Mode::kReadOnly || mode == Mode::kImmutable) {
    flags = SQLITE_OPEN_READONLY;
  }
  const std::string uri =
      UriOf(path, mode == Mode::kImmutable ? "?immutable=1" : "");
  Sqlite result;
  result.path_ = path;
  sqlite3* database = nullptr;
  const int opened =
      sqlite3_open_v2(uri.c_str(), &database,
                      flags | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE, nullptr);
  result.database_.reset(database);
  if (opened != SQLITE_OK) return result.Error("open");
  sqlite3_busy_timeout(database, kBusyTimeoutMs);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  // What is only read may come from anywhere: its schema runs no functions. In
  // our own files the checks of JSON do.
  if ((flags & SQLITE_OPEN_READONLY) != 0) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  }
  return result;
}

absl::Status Sqlite::Error(std::string_view doing) const {
  if (database_ == nullptr) return absl::ResourceExhaustedError("no memory");
  sqlite3* const database = database_.get();
  const int result = sqlite3_extended_errcode(database);
  std::string text =
      path_ + ": " + std::string(doing) + ": " + sqlite3_errmsg(database);
  const int error_number = sqlite3_system_errno(database);
  const int kind = result & 0xff;
  if ((kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN) && error_number != 0) {
    text += " (" + std::generic_category().message(error_number) + ")";
  }
  return {CodeOf(result), text};
}

absl::StatusOr<sqlite3_stmt*> Sqlite::Prepared(const std::string& sql) {
  StatementPointer& cached = statements_[sql];
  if (cached != nullptr) {
    sqlite3_reset(cached.get());
    return cached.get();
  }
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(database_.get(), sql.c_str(), -1,
                         SQLITE_PREPARE_PERSISTENT, &statement,
                         nullptr) != SQLITE_OK) {
    return Error(sql);
  }
  cached.reset(statement);
  return statement;
}

absl::Status Sqlite::Run(const std::string& sql) {
  if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) ==
      SQLITE_OK) {
    return absl::OkStatus();
  }
  const size_t begin = sql.find_first_not_of('\n');
  return Error(
      std::string_view(sql).substr(begin, sql.find('\n', begin) - begin));
}

absl::Status Sqlite::Run(const std::string& sql, const Parameters& parameters) {
  return Select(sql, parameters, [](const SqlRow&) {});
}

absl::Status Sqlite::Select(const std::string& sql,
                            const Parameters& parameters, const Visit& visit) {
  absl::StatusOr<sqlite3_stmt*> statement = Prepared(sql);
  if (!statement.ok()) return statement.status();
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (BindOne(*statement, static_cast<int>(i) + 1, parameters[i]) !=
        SQLITE_OK) {
      return Error(sql);
    }
  }
  int result = SQLITE_OK;
  while ((result = sqlite3_step(*statement)) == SQLITE_ROW) {
    visit(SqlRow(*statement));
  }
  absl::Status status = result == SQLITE_DONE ? absl::OkStatus() : Error(sql);
  sqlite3_reset(*statement);
  return status;
}

absl::StatusOr<int64_t> Sqlite::SelectInt(const std::string& sql,
                                          const Parameters& parameters) {
  std::optional<int64_t> value;
  absl::Status status = Select(sql, parameters, [&](const SqlRow& row) {
    if (!value) value = row.Int(0);
  });
  if (!status.ok()) return status;
  if (!value) return absl::NotFoundError("no row");
  return *value;
}

absl::StatusOr<std::string> Sqlite::SelectText(const std::string& sql,
                                               const Parameters& parameters) {
  std::optional<std::string> value;
  absl::Status status = Select(sql, parameters, [&](const SqlRow& row) {
    if (!value) value = row.Text(0);
  });
  if (!status.ok()) return status;
  if (!value) return absl::NotFoundError("no row");
  return *std::move(value);
}

int64_t Sqlite::changes() const { return sqlite3_changes64(database_.get()); }

absl::Status Sqlite::BackUpTo(const std::string& path) {
  absl::StatusOr<Sqlite> target = Open(path, Mode::kCreate);
  if (!target.ok()) return target.status();
  sqlite3_backup* const backup = sqlite3_backup_init(
      target->database_.get(), "main", database_.get(), "main");
  if (backup == nullptr) return target->Error("backup");
  sqlite3_backup_step(backup, -1);
  if (sqlite3_backup_finish(backup) != SQLITE_OK)
    return target->Error("backup");
  return absl::OkStatus();
}

Transaction::Transaction(Sqlite& database)
    : database_(database),
      begun_(database.Run("BEGIN IMMEDIATE")),
      open_(begun_.ok()) {}

Transaction::~Transaction() {
  if (open_) database_.Run("ROLLBACK").IgnoreError();
}

absl::Status Transaction::Commit() {
  if (!open_) return begun_;
  absl::Status status = database_.Run("COMMIT");
  if (status.ok()) open_ = false;
  return status;
}

}  // namespace hackbench::results
