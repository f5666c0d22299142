// SPDX-License-Identifier: MIT
// How this program was built.
#include <gnu/libc-version.h>

#include "results/environment_reader.h"

namespace hackbench::results {

void ReadBuildFields(EnvironmentReader& reader) {
  reader.Set("build.version", HACKBENCH_VERSION, "built in");
  reader.Set("build.compiler", HACKBENCH_COMPILER, "built in");
  reader.Set("build.flags", HACKBENCH_BUILD_FLAGS, "built in");
  reader.Set("build.type", HACKBENCH_BUILD_TYPE, "built in");
  reader.Set("build.libc", gnu_get_libc_version(), "gnu_get_libc_version");
}

}  // namespace hackbench::results
