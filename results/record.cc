// SPDX-License-Identifier: MIT
#include "results/record.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

namespace hackbench::results {
namespace {

using Json = nlohmann::ordered_json;

Json NameOrNull(const std::string& name) {
  return name.empty() ? Json(nullptr) : Json(name);
}

// Under the names of the options, so that what was asked can be compared.
Json PartsToJson(const RecordParts& parts) {
  return {
      {"alloc", parts.alloc},
      {"alloc_engine", parts.alloc_engine},
      {"lock", parts.lock},
      {"rwlock", NameOrNull(parts.rwlock)},
      {"refcount", NameOrNull(parts.refcount)},
      {"churn", parts.churn},
      {"msg-alloc", parts.message_alloc},
      {"preempt", parts.preempt},
      {"hz", parts.hz},
      {"model", NameOrNull(parts.model)},
  };
}

Json CountsToJson(const std::vector<RecordCount>& counts) {
  Json json = Json::object();
  for (const RecordCount& count : counts) json[count.name] = count.count;
  return json;
}

Json UserPlaneToJson(const RecordUserPlane& plane) {
  Json json = CountsToJson(plane.counts);
  json["lock_events"] = CountsToJson(plane.lock_events);
  json["slab_events"] = CountsToJson(plane.slab_events);
  json["arena"] = plane.arena;
  if (plane.step_unit.empty()) return json;
  json["step_unit"] = plane.step_unit;
  for (const RecordStep& step : plane.steps) {
    json["steps"][step.name] = {{"mean", step.mean},
                                {"samples", step.samples},
                                {"interrupted", step.interrupted}};
  }
  return json;
}

Json ConfigToJson(const RecordConfig& config) {
  Json json = {
      {"grammar", config.grammar},
      {"plane", config.plane},
      {"mode", config.mode},
      {"groups", config.groups},
      {"fds", config.fds},
      {"loops", config.loops},
      {"datasize", config.datasize},
      {"transport", config.transport},
      {"nodelay", config.nodelay},
      {"verify", config.verify},
      {"latency", config.latency},
      {"footprint", config.footprint},
      {"affinity", config.affinity},
      {"sched", config.sched},
      {"nice", nullptr},
      {"main_fifo", config.main_fifo},
      {"tasks", config.tasks},
  };
  if (config.nice) json["nice"] = *config.nice;
  if (config.parts) json.update(PartsToJson(*config.parts));
  return json;
}

Json UseToJson(const RecordUse& use) {
  return {
      {"user_ns", use.user_ns},
      {"system_ns", use.system_ns},
      {"voluntary_switches", use.voluntary_switches},
      {"involuntary_switches", use.involuntary_switches},
      {"minor_faults", use.minor_faults},
      {"major_faults", use.major_faults},
      {"max_rss_bytes", use.max_rss_bytes},
  };
}

absl::Status IoError(std::string_view what, const std::string& path) {
  const int error_number = errno;
  return absl::Status(absl::ErrnoToStatusCode(error_number),
                      std::string(what) + " " + path + ": " +
                          std::generic_category().message(error_number));
}

absl::Status WriteAll(int fd, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t done = write(fd, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return IoError("--record: write", path);
    text.remove_prefix(static_cast<size_t>(done));
  }
  return absl::OkStatus();
}

std::string TemporaryName(const std::string& path) {
  return path + ".tmp." + std::to_string(getpid());
}

}  // namespace

std::string ToJsonLine(const Record& record) {
  Json json = {
      {"schema", "hackbench.run/1"},
      {"version", HACKBENCH_VERSION},
      {"started_utc", record.started_utc},
      {"role", record.role},
      {"index", record.index},
      {"status", record.status},
      {"exit_code", record.exit_code},
      {"signal", record.signal},
      {"message", record.message},
      {"config", ConfigToJson(record.config)},
  };
  if (record.timings) {
    json["timings_ns"] = {
        {"setup", record.timings->setup_ns},
        {"total", record.timings->total_ns},
        {"work", record.timings->work_ns},
        {"reap", record.timings->reap_ns},
    };
  }
  json["messages"] = record.messages;
  json["messages_planned"] = record.messages_planned;
  json["payload_bytes"] = record.payload_bytes;
  json["use"] = UseToJson(record.use);
  if (record.latency) {
    json["latency_ns"] = {
        {"p50", record.latency->p50_ns},
        {"p90", record.latency->p90_ns},
        {"p99", record.latency->p99_ns},
        {"p99_9", record.latency->p99_9_ns},
        {"max", record.latency->max_ns},
        {"count", record.latency->count},
        {"bucket_width_percent", record.latency->bucket_width_percent},
    };
  }
  if (record.user_plane)
    json["user_plane"] = UserPlaneToJson(*record.user_plane);
  // Names of files and hosts may hold any byte.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

absl::Status RecordFile::Open(const std::string& path) {
  path_ = path;
  if (path == "-") {
    direct_fd_ = STDOUT_FILENO;
    return absl::OkStatus();
  }
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    direct_fd_ = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return direct_fd_ < 0 ? IoError("--record: open", path) : absl::OkStatus();
  }
  const std::string temporary = TemporaryName(path);
  const int fd =
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return IoError("--record: create", temporary);
  close(fd);
  unlink(temporary.c_str());
  return absl::OkStatus();
}

absl::Status RecordFile::Append(const Record& record) {
  if (path_.empty()) return absl::OkStatus();
  const std::string line = ToJsonLine(record);
  if (direct_fd_ >= 0) return WriteAll(direct_fd_, line, path_);
  content_ += line;
  return Replace();
}

absl::Status RecordFile::Replace() {
  const std::string temporary = TemporaryName(path_);
  const int fd =
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return IoError("--record: create", temporary);
  absl::Status status = WriteAll(fd, content_, temporary);
  if (status.ok() && fdatasync(fd) != 0) {
    status = IoError("--record: fdatasync", temporary);
  }
  close(fd);
  if (status.ok() && rename(temporary.c_str(), path_.c_str()) != 0) {
    status = IoError("--record: rename to", path_);
  }
  if (!status.ok()) unlink(temporary.c_str());
  return status;
}

}  // namespace hackbench::results
