// SPDX-License-Identifier: MIT
// A file of its own: each set of engines takes long to compile.
#include <array>

#include "alloc/allocator_list.h"
#include "alloc/engine_types.h"

namespace hackbench::alloc {
namespace {

struct RacyEntry {
  std::string_view name;
  std::unique_ptr<AnyAllocator> (*make)(Heap& heap);
};

template <class... E>
constexpr std::array<RacyEntry, sizeof...(E)> EntriesOf(EngineTypes<E...>) {
  return {RacyEntry{E::kName, [](Heap& heap) -> std::unique_ptr<AnyAllocator> {
                      return std::make_unique<TypedAllocator<E>>(heap);
                    }}...};
}

constexpr auto kEntries = EntriesOf(AllEngines<StatsMode::kRacy>{});

}  // namespace

std::unique_ptr<AnyAllocator> MakeRacy(const AllocatorEntry& entry,
                                       Heap& heap) {
  for (const RacyEntry& racy : kEntries) {
    if (racy.name == entry.name) return racy.make(heap);
  }
  return nullptr;
}

}  // namespace hackbench::alloc
