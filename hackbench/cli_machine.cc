// SPDX-License-Identifier: MIT
#include "hackbench/cli_machine.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace hackbench::cli {

bool IsEmulated() {
  const char* const emulator = std::getenv("HACKBENCH_EMULATOR");
  return emulator != nullptr && *emulator != '\0';
}

bool IsSanitized() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return true;
#else
  return false;
#endif
#else
  return false;
#endif
}

uid_t FreshUid() {
  if (geteuid() != 0) return 0;
  static uid_t next = 0;
  const auto uid = static_cast<uid_t>(20000 + (getpid() + next++) % 40000);
  // A container may not map it.
  const pid_t child = fork();
  if (child == 0) _exit(setresuid(uid, uid, uid) == 0 ? 0 : 1);
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0 ? uid : 0;
}

}  // namespace hackbench::cli
