// SPDX-License-Identifier: MIT
#include "hackbench/kmalloc_peers.h"

#include <absl/status/status.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

namespace hackbench {
namespace {

std::string OwnDirectory() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return ".";
  const std::string_view whole(path.data(), static_cast<size_t>(length));
  return std::string(whole.substr(0, whole.rfind('/')));
}

}  // namespace

absl::Status ExecPeersHelper(std::span<const std::string_view> words) {
  const std::string own = OwnDirectory();
  std::vector<std::string> copies = {std::string(kPeersHelper)};
  copies.insert(copies.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  for (const std::string& path :
       {fmt::format("{}/{}", own, kPeersHelper),
        fmt::format("{}/../libexec/hackbench/{}", own, kPeersHelper)}) {
    execv(path.c_str(), argv.data());
    if (errno != ENOENT) {
      return absl::InternalError(
          fmt::format("--peers: cannot run {}: {}", path, strerror(errno)));
    }
  }
  return absl::NotFoundError(fmt::format(
      "--peers needs {} beside this program ({}); build it, or measure without "
      "--peers",
      kPeersHelper, own));
}

}  // namespace hackbench
