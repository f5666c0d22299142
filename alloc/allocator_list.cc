// SPDX-License-Identifier: MIT
#include "alloc/allocator_list.h"

#include <algorithm>
#include <array>

#include "alloc/engine_types.h"

namespace hackbench::alloc {
namespace {

template <class E>
std::unique_ptr<AnyAllocator> Make(Heap& heap) {
  return std::make_unique<TypedAllocator<E>>(heap);
}

template <class Off, class Exact>
constexpr AllocatorEntry MakeEntry() {
  return {Off::kName,   Off::kSummary, Off::kTraits,
          &Off::WhyNot, &Make<Off>,    &Make<Exact>};
}

template <class... Off, class... Exact>
constexpr auto MakeEntries(EngineTypes<Off...>, EngineTypes<Exact...>) {
  return std::array<AllocatorEntry, sizeof...(Off)>{MakeEntry<Off, Exact>()...};
}

constexpr auto kEntries =
    MakeEntries(AllEngines<StatsMode::kOff>{}, AllEngines<StatsMode::kExact>{});

// With sequences; without them by one exchange; without the exchange by a lock.
constexpr std::array<std::string_view, 5> kFallbackOrder = {
    "best", "cmpxchg-local-lock16", "cmpxchg-local-packed64", "sheaves-trylock",
    "locked"};

}  // namespace

std::span<const AllocatorEntry> AllocatorList() { return kEntries; }

const AllocatorEntry* FindAllocator(std::string_view name) {
  const auto* const found =
      std::find_if(kEntries.begin(), kEntries.end(),
                   [&](const AllocatorEntry& e) { return e.name == name; });
  return found == kEntries.end() ? nullptr : found;
}

DefaultAllocator ChooseAllocator() {
  std::string reason;
  for (const std::string_view name : kFallbackOrder) {
    const AllocatorEntry* const entry = FindAllocator(name);
    const std::string why_not = entry->why_not();
    if (why_not.empty()) return {entry, reason};
    reason += std::string(name) + ": " + why_not + "; ";
  }
  return {FindAllocator("locked"), reason};
}

}  // namespace hackbench::alloc
