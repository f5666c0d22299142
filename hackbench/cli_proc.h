// SPDX-License-Identifier: MIT
// What /proc says about the processes of a run.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace hackbench::cli {

// The children of `pid` as the kernel lists them, oldest first.
std::vector<pid_t> ChildrenOf(pid_t pid);

size_t ThreadsOf(pid_t pid);

// How often a task has slept or was preempted.
int64_t SwitchesOf(pid_t pid);

// The state letter of /proc/PID/stat; '\0' when there is none.
char StateOf(pid_t pid);

// Processes with `mark` in their environment and, when `uid` is not 0, those of
// this user: another user's environment may be closed even to root. Zombies,
// which only wait for a slow init, do not count.
std::vector<pid_t> LiveProcesses(const std::string& mark, uid_t uid);

}  // namespace hackbench::cli
