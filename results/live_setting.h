// SPDX-License-Identifier: MIT
// Settings of the running kernel that an experiment switches between launches:
// debugfs sched/preempt, base_slice_ns, any file of /sys or /proc.
//
// Every write is read back. The values found at the start come back however the
// experiment ends: by Restore(), by the destructor, or, when this process is
// killed, by a keeper process that notices.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <sys/types.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "results/arm.h"

namespace hackbench::results {

// The path for "preempt", "base_slice_ns" and other short names; paths as they
// are. InvalidArgument for another word.
absl::StatusOr<std::string> LivePath(std::string_view name);

// What is set: the choice in brackets, or the whole line.
absl::StatusOr<std::string> ReadLive(const std::string& path);

class LiveSettings {
 public:
  LiveSettings() = default;
  ~LiveSettings();
  LiveSettings(const LiveSettings&) = delete;
  LiveSettings& operator=(const LiveSettings&) = delete;

  // Remembers what is set, proves that it can be written (by writing the same
  // again) and starts the keeper. PermissionDenied with what to do.
  absl::Status Begin(const std::vector<std::string>& paths);

  // Writes and reads back. Nothing is written where it is set already.
  absl::Status Apply(const LiveValue& setting);

  absl::Status Restore();

 private:
  std::map<std::string, std::string> found_;
  std::map<std::string, std::string> now_;
  pid_t keeper_ = -1;
  int keeper_pipe_ = -1;
};

}  // namespace hackbench::results
