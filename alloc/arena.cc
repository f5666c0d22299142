// SPDX-License-Identifier: MIT
#include "alloc/arena.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <utility>

#include "alloc/page.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23  // Linux 5.14
#endif

namespace hackbench::alloc {
namespace {

constexpr size_t kBlockBytes = kPageBytes << kMaxOrder;

size_t RoundUp(size_t value, size_t to) { return (value + to - 1) / to * to; }

// -1 for anonymous memory, -2 when there is none.
int BackingFile(const ArenaOptions& options, size_t bytes) {
  if (options.backing == Backing::kAnonymous) return -1;
  const unsigned flags =
      MFD_CLOEXEC | (options.backing == Backing::kHugetlb ? MFD_HUGETLB : 0U);
  const int fd = memfd_create("hackbench-arena", flags);
  if (fd < 0) return -2;
  const size_t size = options.file_bytes == 0 ? bytes : options.file_bytes;
  if (ftruncate(fd, static_cast<off_t>(size)) == 0) return fd;
  close(fd);
  return -2;
}

absl::Status CannotMap(const ArenaOptions& options) {
  return absl::ResourceExhaustedError(
      absl::StrCat("--arena-max ", options.max_bytes,
                   ": cannot map that much shared memory (",
                   std::string(BackingName(options.backing)),
                   "): ", std::strerror(errno), "; ask for less"));
}

// The word in brackets is the one in force.
std::string InBrackets(const char* path) {
  std::string text;
  std::getline(std::ifstream(path), text);
  const size_t open = text.find('[');
  const size_t close = text.find(']');
  if (open == std::string::npos || close == std::string::npos) return "unknown";
  return text.substr(open + 1, close - open - 1);
}

struct Range {
  uintptr_t low = 0;
  uintptr_t high = 0;
};
// Read by the handler; only grows, and one process has few arenas.
std::array<Range, 64> bus_ranges;
std::atomic<size_t> num_bus_ranges = 0;

bool IsInAnArena(uintptr_t address) {
  const size_t count = num_bus_ranges.load(std::memory_order_acquire);
  return std::any_of(bus_ranges.begin(), bus_ranges.begin() + count,
                     [&](const Range& range) {
                       return address >= range.low && address < range.high;
                     });
}

void OnBusError(int signal_number, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  if (!IsInAnArena(address)) {
    signal(signal_number, SIG_DFL);
    return;  // The access is repeated and ends the process as ever.
  }
  constexpr std::string_view kMessage =
      "hackbench: the arena has no memory left: the system (or its shared "
      "memory limit) is full; use a smaller --arena-max or fewer messages in "
      "flight\n";
  const ssize_t written =
      write(STDERR_FILENO, kMessage.data(), kMessage.size());
  _exit(written < 0 ? 1 : 1);
}

}  // namespace

std::string_view BackingName(Backing backing) {
  switch (backing) {
    case Backing::kAnonymous:
      return "shared anonymous memory";
    case Backing::kMemfd:
      return "memfd";
    case Backing::kHugetlb:
      return "memfd of huge pages";
  }
  return "unknown";
}

absl::StatusOr<Arena> Arena::Map(size_t metadata_bytes,
                                 const ArenaOptions& options) {
  if (options.max_bytes < kBlockBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("--arena-max ", options.max_bytes,
                     ": an arena needs at least ", kBlockBytes, " bytes"));
  }
  Arena arena;
  arena.backing_ = options.backing;
  arena.max_bytes_ = options.max_bytes / kPageBytes * kPageBytes;
  const size_t metadata = RoundUp(metadata_bytes, kBlockBytes);
  // Two blocks more: one to align what follows, one behind the end, where a
  // stale link may point before its exchange fails.
  arena.map_bytes_ =
      RoundUp(metadata + arena.max_bytes_ + 2 * kBlockBytes, kBlockBytes);
  const int fd = BackingFile(options, arena.map_bytes_);
  if (fd == -2) return CannotMap(options);
  const int flags = MAP_SHARED | MAP_NORESERVE | (fd < 0 ? MAP_ANONYMOUS : 0);
  void* map =
      mmap(nullptr, arena.map_bytes_, PROT_READ | PROT_WRITE, flags, fd, 0);
  if (fd >= 0) close(fd);
  if (map == MAP_FAILED) return CannotMap(options);
  // Where shmem_enabled allows it: a process then faults once per huge page and
  // not once per page, thousands of processes otherwise for most of a run.
  if (options.backing == Backing::kAnonymous) {
    madvise(map, arena.map_bytes_, MADV_HUGEPAGE);
  }
  arena.map_ = static_cast<char*>(map);
  const auto start = reinterpret_cast<uintptr_t>(map);
  arena.metadata_ = arena.map_ + (RoundUp(start, kBlockBytes) - start);
  arena.base_ = arena.metadata_ + metadata;
  return arena;
}

Arena::Arena(Arena&& other) noexcept
    : map_(std::exchange(other.map_, nullptr)),
      map_bytes_(other.map_bytes_),
      metadata_(other.metadata_),
      base_(other.base_),
      max_bytes_(other.max_bytes_),
      backing_(other.backing_) {}

Arena::~Arena() {
  if (map_ != nullptr) munmap(map_, map_bytes_);
}

bool Arena::Populate(size_t offset, size_t bytes) const {
  int result = 0;
  do {
    result = madvise(base_ + offset, bytes, MADV_POPULATE_WRITE);
  } while (result != 0 && (errno == EINTR || errno == EAGAIN));
  // A kernel that does not know the call leaves it to the first touch.
  return result == 0 || errno == EINVAL;
}

bool Arena::Release(size_t offset, size_t bytes) const {
  return madvise(base_ + offset, bytes, MADV_REMOVE) == 0;
}

std::string Arena::Describe() const {
  return absl::StrCat(
      std::string(BackingName(backing_)), ", huge pages ",
      InBrackets("/sys/kernel/mm/transparent_hugepage/shmem_enabled"));
}

void ReportBusErrors(const Arena& arena) {
  const size_t at = num_bus_ranges.load(std::memory_order_relaxed);
  if (at == bus_ranges.size()) return;
  bus_ranges[at] = {
      reinterpret_cast<uintptr_t>(arena.metadata()),
      reinterpret_cast<uintptr_t>(arena.base()) + arena.max_bytes()};
  num_bus_ranges.store(at + 1, std::memory_order_release);
  struct sigaction action = {};
  action.sa_sigaction = OnBusError;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace hackbench::alloc
