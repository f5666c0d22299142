// SPDX-License-Identifier: MIT
#include "hackbench/cli_proc.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "hackbench/cli_files.h"

namespace hackbench::cli {
namespace {

// Memory, and with it the environment, is gone once a process is a zombie.
bool HasMark(const std::string& proc, const std::string& mark) {
  const std::string environment = ReadFile(proc + "/environ");
  return ('\0' + environment).find('\0' + mark + '\0') != std::string::npos;
}

bool BelongsTo(const std::string& proc, uid_t uid) {
  if (uid == 0) return false;
  const std::string status = ReadFile(proc + "/status");
  return status.find("\nState:\tZ") == std::string::npos &&
         status.find("\nUid:\t" + std::to_string(uid) + "\t") !=
             std::string::npos;
}

}  // namespace

std::vector<pid_t> ChildrenOf(pid_t pid) {
  std::vector<pid_t> children;
  const std::string id = std::to_string(pid);
  std::ifstream file("/proc/" + id + "/task/" + id + "/children");
  for (pid_t child = 0; file >> child;) children.push_back(child);
  return children;
}

size_t ThreadsOf(pid_t pid) {
  std::error_code error;
  const std::filesystem::directory_iterator tasks(
      "/proc/" + std::to_string(pid) + "/task", error);
  return static_cast<size_t>(std::distance(begin(tasks), end(tasks)));
}

int64_t SwitchesOf(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  int64_t switches = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.find("voluntary_ctxt_switches:") == std::string::npos) continue;
    switches += std::stoll(line.substr(line.find(':') + 1));
  }
  return switches;
}

char StateOf(pid_t pid) {
  const std::string stat = ReadFile("/proc/" + std::to_string(pid) + "/stat");
  const size_t close = stat.rfind(')');
  return close == std::string::npos || close + 2 >= stat.size()
             ? '\0'
             : stat[close + 2];
}

std::vector<pid_t> LiveProcesses(const std::string& mark, uid_t uid) {
  std::vector<pid_t> live;
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (HasMark(entry.path(), mark) || BelongsTo(entry.path(), uid)) {
      live.push_back(std::stoi(name));
    }
  }
  return live;
}

}  // namespace hackbench::cli
