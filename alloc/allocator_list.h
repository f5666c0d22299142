// SPDX-License-Identifier: MIT
// Every allocator engine, one line each. Help, --list, the check of names, the
// conformance tests and the benchmark rows are derived from this list; its
// order is theirs.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "alloc/any_allocator.h"

namespace hackbench::alloc {

struct AllocatorEntry {
  std::string_view name;
  std::string_view summary;
  EngineTraits traits;
  std::string (*why_not)();  // Empty where it can run.
  std::unique_ptr<AnyAllocator> (*make)(Heap& heap);
  // The same with exact statistics.
  std::unique_ptr<AnyAllocator> (*make_exact)(Heap& heap);
};

// `entry` once more, counting without a lock: for runs that report why a number
// moved. Of an entry of the list.
std::unique_ptr<AnyAllocator> MakeRacy(const AllocatorEntry& entry, Heap& heap);

std::span<const AllocatorEntry> AllocatorList();

// nullptr when there is none of that name.
const AllocatorEntry* FindAllocator(std::string_view name);

// The engine to take when none is asked for: the first of the fallback order
// that can run here, and why in words for the report.
struct DefaultAllocator {
  const AllocatorEntry* entry;
  std::string reason;
};
DefaultAllocator ChooseAllocator();

}  // namespace hackbench::alloc
