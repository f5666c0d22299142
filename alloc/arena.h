// SPDX-License-Identifier: MIT
// The memory an allocator lives in: one MAP_SHARED mapping made before the
// first fork, so that every process and thread sees it at one address.
//
// The mapping reserves its maximum and costs nothing until it is used. Pages
// are made present in steps by Populate(), which can say no; a touch beyond
// what the system has would raise SIGBUS. ReportBusErrors() turns that signal
// into a message for memory that could not be populated.
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace hackbench::alloc {

enum class Backing {
  kAnonymous,  // MAP_SHARED | MAP_ANONYMOUS
  kMemfd,      // A memfd, so that its size can be limited.
  kHugetlb,    // A memfd of reserved huge pages.
};
std::string_view BackingName(Backing backing);

struct ArenaOptions {
  size_t max_bytes = size_t{1} << 30;  // --arena-max
  Backing backing = Backing::kAnonymous;
  // For tests: a memfd shorter than the mapping, as a full tmpfs would be.
  size_t file_bytes = 0;
};

class Arena {
 public:
  // `metadata_bytes` in front of the pages; all of it zero.
  static absl::StatusOr<Arena> Map(size_t metadata_bytes,
                                   const ArenaOptions& options);
  ~Arena();
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&&) = delete;

  char* metadata() const { return metadata_; }
  char* base() const { return base_; }  // Aligned to a block of kMaxOrder.
  size_t max_bytes() const { return max_bytes_; }

  // False when the system has no memory for it.
  bool Populate(size_t offset, size_t bytes) const;
  // Gives pages back to the system; they read as zero afterwards. MADV_REMOVE:
  // MADV_DONTNEED would keep the pages of a shared mapping.
  bool Release(size_t offset, size_t bytes) const;

  // Backing and the kernel's huge-page setting, for the report.
  std::string Describe() const;

 private:
  Arena() = default;

  char* map_ = nullptr;
  size_t map_bytes_ = 0;
  char* metadata_ = nullptr;
  char* base_ = nullptr;
  size_t max_bytes_ = 0;
  Backing backing_ = Backing::kAnonymous;
};

// Installs a SIGBUS handler that says which arena ran out of memory and ends
// the process with exit code 1; a SIGBUS elsewhere keeps its meaning.
void ReportBusErrors(const Arena& arena);

}  // namespace hackbench::alloc
