// SPDX-License-Identifier: MIT
#include <string_view>
#include <vector>

#include "hackbench/dispatch.h"
#include "hackbench/stdio.h"

int main(int argc, char** argv) {
  hackbench::GuardStandardDescriptors();
  const std::vector<std::string_view> words(argv + (argc > 0 ? 1 : 0),
                                            argv + argc);
  return hackbench::Dispatch(argc > 0 ? argv[0] : "hackbench", words);
}
