// SPDX-License-Identifier: MIT
#include "results/environment_reader.h"

#include <absl/status/status.h>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <sstream>
#include <system_error>

#include "results/hash.h"
#include "results/status_text.h"

namespace hackbench::results {
namespace {

constexpr size_t kLargestFile = 4 << 20;

std::string Reason(int error_number) {
  return std::generic_category().message(error_number);
}

std::string_view WithoutNewline(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

// Inflates a gzip file, plain text as it is.
std::string ReadGzip(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rbe");
  if (file == nullptr) return {};
  std::string text;
  char buffer[16384];
  for (;;) {
    const int got = gzread(file, buffer, sizeof(buffer));
    if (got <= 0 || text.size() > kLargestFile) break;
    text.append(buffer, static_cast<size_t>(got));
  }
  gzclose(file);
  return text;
}

std::string Release() {
  utsname names{};
  return uname(&names) == 0 ? names.release : "";
}

}  // namespace

EnvironmentReader::EnvironmentReader(std::string root)
    : root_(std::move(root)) {
  FindConfig();
}

absl::StatusOr<std::string> EnvironmentReader::Read(
    std::string_view path) const {
  const std::string full = root_ + std::string(path);
  const int fd = open(full.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return absl::NotFoundError(Reason(errno));
  std::string text;
  char buffer[4096];
  int error_number = 0;
  while (text.size() < kLargestFile) {
    const ssize_t got = read(fd, buffer, sizeof(buffer));
    if (got < 0) error_number = errno;
    if (got <= 0) break;
    text.append(buffer, static_cast<size_t>(got));
  }
  close(fd);
  if (error_number != 0) return absl::NotFoundError(Reason(error_number));
  text.resize(WithoutNewline(text).size());
  return text;
}

std::vector<std::string> EnvironmentReader::List(std::string_view path) const {
  std::vector<std::string> names;
  DIR* const directory = opendir((root_ + std::string(path)).c_str());
  if (directory == nullptr) return names;
  while (const dirent* entry = readdir(directory)) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  closedir(directory);
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::string> EnvironmentReader::BootParameter(
    std::string_view name) const {
  const absl::StatusOr<std::string> line = Read("/proc/cmdline");
  if (!line.ok()) return std::nullopt;
  std::istringstream words(*line);
  std::optional<std::string> value;
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    if (word.substr(0, equals) != name) continue;
    value = equals == std::string::npos ? "" : word.substr(equals + 1);
  }
  return value;
}

void EnvironmentReader::FindConfig() {
  const std::string release = Release();
  for (const std::string& path :
       {std::string("/proc/config.gz"), "/boot/config-" + release,
        "/lib/modules/" + release + "/build/.config"}) {
    config_text_ = ReadGzip(root_ + path);
    if (config_text_.empty()) continue;
    config_source_ = path;
    break;
  }
  std::istringstream lines(config_text_);
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kPrefix = "CONFIG_";
    const size_t equals = line.find('=');
    if (!line.starts_with(kPrefix) || equals == std::string::npos) continue;
    config_.emplace(line.substr(kPrefix.size(), equals - kPrefix.size()),
                    line.substr(equals + 1));
  }
}

std::optional<std::string> EnvironmentReader::Config(
    std::string_view name) const {
  if (config_source_.empty()) return std::nullopt;
  const auto found = config_.find(name);
  return found == config_.end() ? "n" : found->second;
}

void EnvironmentReader::Set(std::string name, std::string value,
                            std::string source) {
  environment_.Add({std::move(name), std::move(value), std::move(source)});
}

void EnvironmentReader::Unknown(std::string name, std::string reason) {
  environment_.Add({std::move(name), std::nullopt, std::move(reason)});
}

void EnvironmentReader::File(std::string name, std::string_view path) {
  AnyFile(std::move(name), {std::string(path)});
}

void EnvironmentReader::AnyFile(std::string name,
                                const std::vector<std::string>& paths) {
  std::string reason;
  for (const std::string& path : paths) {
    absl::StatusOr<std::string> text = Read(path);
    if (text.ok()) {
      std::replace(text->begin(), text->end(), '\n', ' ');
      return Set(std::move(name), *std::move(text), path);
    }
    reason += fmt::format("{}{}: {}", reason.empty() ? "" : "; ", path,
                          Message(text.status()));
  }
  Unknown(std::move(name), std::move(reason));
}

void EnvironmentReader::Choice(std::string name, std::string_view path) {
  const absl::StatusOr<std::string> text = Read(path);
  if (!text.ok()) {
    return Unknown(std::move(name),
                   fmt::format("{}: {}", path, Message(text.status())));
  }
  for (const auto& [open, close] : {std::pair('[', ']'), std::pair('(', ')')}) {
    const size_t begin = text->find(open);
    const size_t end = text->find(close, begin);
    if (begin == std::string::npos || end == std::string::npos) continue;
    return Set(std::move(name), text->substr(begin + 1, end - begin - 1),
               std::string(path));
  }
  Set(std::move(name), *text, std::string(path));
}

void EnvironmentReader::ConfigField(std::string_view option) {
  std::string name = fmt::format("config.{}", option);
  if (const std::optional<std::string> value = Config(option)) {
    return Set(std::move(name), *value, config_source_);
  }
  Unknown(std::move(name),
          "no readable kernel configuration (/proc/config.gz, /boot/config-*, "
          "/lib/modules/*/build/.config)");
}

}  // namespace hackbench::results
