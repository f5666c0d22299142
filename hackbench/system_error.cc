// SPDX-License-Identifier: MIT
#include "hackbench/system_error.h"

#include <fmt/format.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace hackbench {

absl::Status ErrnoStatus(int error_number, std::string_view what) {
  return absl::Status(
      absl::ErrnoToStatusCode(error_number),
      fmt::format("{}: {}", what,
                  std::generic_category().message(error_number)));
}

absl::Status TaskStartError(int error_number, std::string_view what) {
  const absl::Status status = ErrnoStatus(error_number, what);
  if (error_number != EAGAIN && error_number != ENOMEM) return status;
  return absl::Status(
      status.code(),
      fmt::format("{}; a limit of tasks or memory was reached (ulimit -u and "
                  "-v, pids.max and memory.max of the control group, "
                  "kernel.pid_max): raise it or use fewer --groups",
                  std::string(status.message())));
}

}  // namespace hackbench
