// SPDX-License-Identifier: MIT
// How the fields of an environment are read: files below a root, each with its
// path as the source or the error as the reason.
#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/environment.h"

namespace hackbench::results {

class EnvironmentReader {
 public:
  explicit EnvironmentReader(std::string root);

  // The file's text without its last newline; the reason as the error.
  absl::StatusOr<std::string> Read(std::string_view path) const;
  // Names in a directory, sorted; empty when there is none.
  std::vector<std::string> List(std::string_view path) const;
  // The value of NAME=VALUE on the kernel's command line.
  std::optional<std::string> BootParameter(std::string_view name) const;
  // CONFIG_NAME of the running kernel: "y", "m", a number or text; "n" when the
  // configuration is known and does not set it.
  std::optional<std::string> Config(std::string_view name) const;
  const std::string& config_source() const { return config_source_; }
  const std::string& config_text() const { return config_text_; }

  void Set(std::string name, std::string value, std::string source);
  void Unknown(std::string name, std::string reason);
  // The whole file as one field; newlines become blanks.
  void File(std::string name, std::string_view path);
  // The first of these files that can be read.
  void AnyFile(std::string name, const std::vector<std::string>& paths);
  // The choice in brackets of "always [madvise] never", the whole line when it
  // has none.
  void Choice(std::string name, std::string_view path);
  void ConfigField(std::string_view option);

  Environment Take() { return std::move(environment_); }

 private:
  void FindConfig();

  std::string root_;
  Environment environment_;
  std::string config_text_;
  std::string config_source_;
  std::map<std::string, std::string, std::less<>> config_;
};

// The parts, in their files.
void ReadKernelFields(EnvironmentReader& reader);
void ReadSchedulerFields(EnvironmentReader& reader);
void ReadCpuFields(EnvironmentReader& reader);
void ReadMemoryFields(EnvironmentReader& reader);
void ReadLimitFields(EnvironmentReader& reader);
void ReadBuildFields(EnvironmentReader& reader);

}  // namespace hackbench::results
