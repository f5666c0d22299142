// SPDX-License-Identifier: MIT
#include "hackbench/footprint.h"

#include <array>
#include <cstddef>
#include <span>

// First byte and end of the program's text, from the linker.
extern "C" const char __executable_start[];
extern "C" const char etext[];

namespace hackbench {
namespace {

constexpr size_t kPageBytes = 4096;
// The kernel maps what is cached of a file in windows of this size.
constexpr size_t kWindowBytes = 65536;

// Counted in rt-tests 2.4 (Debian 12, x86-64) from the start to the end of a
// worker, less what a worker of ours does anyway. Its exit(3) alone runs
// through three shared objects.
constexpr size_t kFileWindows = 6;
constexpr size_t kWrittenPages = 8;

// Untouched in main: what main has written, every fork copies the entries of.
alignas(kPageBytes) std::array<volatile char, kWrittenPages * kPageBytes> pages;

}  // namespace

void TouchPeerFootprint() {
  const std::span<const volatile char> text(
      __executable_start, static_cast<size_t>(etext - __executable_start));
  // From the end: a worker's own code stands at the beginning.
  size_t at = text.size();
  for (size_t i = 0; i < kFileWindows && at > kWindowBytes; ++i) {
    at -= kWindowBytes;
    [[maybe_unused]] const char byte = text[at];
  }
  for (size_t i = 0; i < pages.size(); i += kPageBytes) pages[i] = 1;
}

}  // namespace hackbench
