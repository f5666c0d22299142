// SPDX-License-Identifier: MIT
// Memory: huge pages, swap, and the slab caches that carry messages.
#include <fmt/format.h>

#include <algorithm>

#include "results/environment_reader.h"
#include "results/status_text.h"

namespace hackbench::results {
namespace {

constexpr std::string_view kSlab = "/sys/kernel/slab";

void ReadSlab(EnvironmentReader& reader) {
  const std::vector<std::string> names = reader.List(kSlab);
  if (names.empty()) {
    return reader.Unknown(
        "slab", fmt::format("{} is not there or not readable", kSlab));
  }
  for (const std::string_view cache :
       {"skbuff_head_cache", "skbuff_small_head", "kmalloc-256", "kmalloc-512",
        "kmalloc-1k", "kmalloc-4k", "kmalloc-cg-1k"}) {
    if (std::find(names.begin(), names.end(), cache) == names.end()) continue;
    for (const std::string_view attribute :
         {"order", "objs_per_slab", "cpu_partial", "slab_size"}) {
      reader.File(fmt::format("slab.{}.{}", cache, attribute),
                  fmt::format("{}/{}/{}", kSlab, cache, attribute));
    }
  }
}

void ReadTotal(EnvironmentReader& reader) {
  const absl::StatusOr<std::string> info = reader.Read("/proc/meminfo");
  constexpr std::string_view kKey = "MemTotal:";
  const size_t at = info.ok() ? info->find(kKey) : std::string::npos;
  if (at == std::string::npos) {
    return reader.Unknown("memory.total", "no MemTotal in /proc/meminfo");
  }
  const size_t begin = info->find_first_not_of(' ', at + kKey.size());
  reader.Set("memory.total",
             info->substr(begin, info->find('\n', begin) - begin),
             "/proc/meminfo");
}

}  // namespace

void ReadMemoryFields(EnvironmentReader& reader) {
  ReadTotal(reader);
  ReadSlab(reader);
  reader.Choice("memory.thp", "/sys/kernel/mm/transparent_hugepage/enabled");
  reader.Choice("memory.thp_defrag",
                "/sys/kernel/mm/transparent_hugepage/defrag");
  reader.File("memory.overcommit", "/proc/sys/vm/overcommit_memory");
  reader.File("memory.swappiness", "/proc/sys/vm/swappiness");
  // The amount in use moves; which devices there are does not.
  const absl::StatusOr<std::string> swaps = reader.Read("/proc/swaps");
  if (!swaps.ok()) {
    return reader.Unknown(
        "memory.swap", fmt::format("/proc/swaps: {}", Message(swaps.status())));
  }
  const bool none = std::count(swaps->begin(), swaps->end(), '\n') == 0;
  reader.Set("memory.swap", none ? "none" : "on", "/proc/swaps");
}

}  // namespace hackbench::results
