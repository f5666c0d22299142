// SPDX-License-Identifier: MIT
#include "hackbench/layout.h"

#include <sys/auxv.h>
#include <sys/personality.h>
#include <unistd.h>

#include <cstdlib>

namespace hackbench {
namespace {

char** arguments = nullptr;

}  // namespace

void RememberArguments(char** argv) { arguments = argv; }

void FixLayout() {
  // Against a loop where the kernel takes the flag away again, as it does from
  // set-id programs.
  constexpr char kTriedVariable[] = "HACKBENCH_LAYOUT_TRIED";
  if (getenv(kTriedVariable) != nullptr) {
    unsetenv(kTriedVariable);
    return;
  }
  constexpr unsigned long kAsk = 0xffffffff;
  const int now = personality(kAsk);
  if (arguments == nullptr || now < 0 || (now & ADDR_NO_RANDOMIZE) != 0) return;
  // The name it was started by, so that /proc shows the same one.
  const auto* const name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  const auto fixed = static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE;
  if (name == nullptr || personality(fixed) < 0) return;
  setenv(kTriedVariable, "1", /*overwrite=*/1);
  execv(name, arguments);
  unsetenv(kTriedVariable);
}

}  // namespace hackbench
