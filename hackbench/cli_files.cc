// SPDX-License-Identifier: MIT
#include "hackbench/cli_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace hackbench::cli {

TempDirectory::TempDirectory() {
  std::string name =
      std::filesystem::temp_directory_path() / "hackbench-test-XXXXXX";
  EXPECT_NE(mkdtemp(name.data()), nullptr) << std::strerror(errno);
  path_ = name;
}

TempDirectory::~TempDirectory() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

std::string TempDirectory::File(std::string_view name) const {
  return path_ + "/" + std::string(name);
}

std::vector<std::string> TempDirectory::Names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace hackbench::cli
