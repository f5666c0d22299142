// SPDX-License-Identifier: MIT
#include "hackbench/task_board.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "hackbench/system_error.h"

namespace hackbench {

TaskBoard::~TaskBoard() {
  if (mapped_bytes_ > 0) munmap(slots_.data(), mapped_bytes_);
}

absl::Status TaskBoard::Map(size_t tasks, size_t extra_bytes) {
  const size_t bytes = tasks * sizeof(TaskSlot) + extra_bytes;
  void* const base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return ErrnoStatus(errno, "mmap of the task board");
  slots_ = {static_cast<TaskSlot*>(base), tasks};
  extra_ = static_cast<std::byte*>(base) + tasks * sizeof(TaskSlot);
  mapped_bytes_ = bytes;
  return absl::OkStatus();
}

void TaskBoard::Clear() {
  // Pages given back read as zero again; a memset would touch them all.
  madvise(slots_.data(), mapped_bytes_, MADV_REMOVE);
}

}  // namespace hackbench
