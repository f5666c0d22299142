// SPDX-License-Identifier: MIT
// The command line of `hackbench kmalloc`.
#pragma once

#include <absl/status/statusor.h>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "alloc/arena.h"
#include "alloc/measure.h"

namespace hackbench {

enum class KmallocTest {
  kAllocThenFree,  // 10000 kmalloc, then 10000 kfree.
  kPair,           // kmalloc and kfree in turn.
  kBulk,           // Bulk calls of --group objects.
  kConcurrent,     // alloc-then-free on two CPUs at once.
  kRemote,         // One CPU allocates, another frees.
  kLarson,         // Two CPUs replace random objects and change places.
};
struct KmallocTestEntry {
  std::string_view name;
  KmallocTest test;
  int cpus;
  std::string_view summary;
};
inline constexpr std::array kKmallocTests = {
    KmallocTestEntry{"alloc-then-free", KmallocTest::kAllocThenFree, 1,
                     "N times kmalloc, then N times kfree"},
    KmallocTestEntry{"pair", KmallocTest::kPair, 1,
                     "N times kmalloc and kfree in turn"},
    KmallocTestEntry{"bulk", KmallocTest::kBulk, 1,
                     "bulk calls of --group objects"},
    KmallocTestEntry{"concurrent", KmallocTest::kConcurrent, 2,
                     "alloc-then-free on two CPUs at once, the slower"},
    KmallocTestEntry{"remote", KmallocTest::kRemote, 2,
                     "one CPU allocates, another frees, the slower"},
    KmallocTestEntry{"larson", KmallocTest::kLarson, 2,
                     "two CPUs replace random objects up to the size and "
                     "change places, the slower"},
};

enum class KmallocFormat { kText, kJson, kCsv };

struct KmallocOptions {
  std::vector<std::string> engines;  // Names of the list.
  std::vector<std::string> peers;    // Names or paths of libraries.
  std::vector<KmallocTestEntry> tests;
  std::vector<size_t> sizes;
  std::vector<alloc::Form> forms;
  std::vector<bool> touch;
  uint32_t count = 10000;
  uint32_t group = 16;
  int rounds = 9;
  KmallocFormat format = KmallocFormat::kText;
  alloc::ArenaOptions arena;
  uint32_t debug_flags = 0;  // Of the engine debug.
  bool list = false;
  bool help = false;
};

// InvalidArgument with a message for people: what was asked, why not, what to
// do.
absl::StatusOr<KmallocOptions> ParseKmallocOptions(
    std::span<const std::string_view> words);

std::string KmallocHelp();
// Engines, tests and peers, with what each needs.
std::string KmallocList();

}  // namespace hackbench
