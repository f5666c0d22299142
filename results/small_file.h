// SPDX-License-Identifier: MIT
// Files of /proc and /sys, read in one go.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>

namespace hackbench::results {

// The whole text; empty when it cannot be read.
inline std::string ReadSmallFile(const std::string& path) {
  std::string text;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return text;
  char buffer[4096];
  for (;;) {
    const ssize_t got = read(fd, buffer, sizeof(buffer));
    if (got <= 0) break;
    text.append(buffer, static_cast<size_t>(got));
  }
  close(fd);
  return text;
}

}  // namespace hackbench::results
