// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <new>
#include <string_view>
#include <vector>

#include "hackbench/dispatch.h"
#include "hackbench/layout.h"
#include "hackbench/stdio.h"

namespace {

// Nothing of ours catches bad_alloc: what there is not enough memory for cannot
// be run. Tasks end with main, as after a SIGKILL.
[[noreturn]] void EndWithoutMemory() {
  constexpr std::string_view kText =
      "hackbench: Cannot allocate memory; is there a limit on the address "
      "space "
      "(ulimit -v) or on this container's memory?\n";
  // A second failure would have nobody to tell.
  [[maybe_unused]] const ssize_t done =
      write(STDERR_FILENO, kText.data(), kText.size());
  _exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  std::set_new_handler(EndWithoutMemory);
  hackbench::GuardStandardDescriptors();
  hackbench::RememberArguments(argv);
  const std::vector<std::string_view> words(argv + (argc > 0 ? 1 : 0),
                                            argv + argc);
  return hackbench::Dispatch(argc > 0 ? argv[0] : "hackbench", words);
}
