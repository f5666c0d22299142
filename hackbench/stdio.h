// SPDX-License-Identifier: MIT
// The three standard descriptors, kept apart from a run's own.
#pragma once

#include <absl/status/status.h>

#include <string_view>

namespace hackbench {

// Opens /dev/null in place of those of stdin, stdout and stderr that the caller
// closed, so that no channel takes their numbers and no message text is written
// into one. Ignores SIGPIPE, so that WriteStdout() can tell. Call first in
// main.
void GuardStandardDescriptors();

// Whether stdout was closed when the program began.
bool StdoutWasClosed();

// Writes all of `text` to stdout at once. An error where the text is lost:
// closed, full disk, reader gone.
absl::Status WriteStdout(std::string_view text);

}  // namespace hackbench
