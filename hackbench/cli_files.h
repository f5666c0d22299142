// SPDX-License-Identifier: MIT
// Files for tests that run the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hackbench::cli {

// A directory that goes, with the files in it, when the object does.
class TempDirectory {
 public:
  TempDirectory();
  ~TempDirectory();
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string File(std::string_view name) const;
  std::vector<std::string> Names() const;

 private:
  std::string path_;
};

// The whole file; empty when it cannot be read.
std::string ReadFile(const std::string& path);

}  // namespace hackbench::cli
