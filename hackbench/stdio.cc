// SPDX-License-Identifier: MIT
#include "hackbench/stdio.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "hackbench/system_error.h"

namespace hackbench {
namespace {

bool stdout_was_closed = false;

}  // namespace

void GuardStandardDescriptors() {
  // A reader that is gone is an error to report, not a silent death; also
  // before a run has its signals set up.
  signal(SIGPIPE, SIG_IGN);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    if (fd == STDOUT_FILENO) stdout_was_closed = true;
    // The lowest free number is this one: those below are open by now.
    if (open("/dev/null", O_RDWR) != fd) _exit(1);
  }
}

bool StdoutWasClosed() { return stdout_was_closed; }

absl::Status WriteStdout(std::string_view text) {
  if (stdout_was_closed) return absl::DataLossError("stdout is closed");
  while (!text.empty()) {
    const ssize_t done = write(STDOUT_FILENO, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return ErrnoStatus(errno, "stdout");
    text.remove_prefix(static_cast<size_t>(done));
  }
  return absl::OkStatus();
}

}  // namespace hackbench
