// SPDX-License-Identifier: MIT
// Zeroed memory that the tasks of a run share, processes and threads alike, at
// one address. Map it before the first fork.
#pragma once

#include <absl/status/status.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <string_view>

#include "hackbench/system_error.h"

namespace hackbench {

class SharedMap {
 public:
  SharedMap() = default;
  SharedMap(const SharedMap&) = delete;
  SharedMap& operator=(const SharedMap&) = delete;
  ~SharedMap() {
    if (memory_ != nullptr) munmap(memory_, bytes_);
  }

  // Costs no memory before it is touched. `what` names it in an error.
  absl::Status Map(size_t bytes, std::string_view what) {
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      return ErrnoStatus(errno, std::string("mmap of ").append(what));
    }
    memory_ = static_cast<std::byte*>(memory);
    bytes_ = bytes;
    return absl::OkStatus();
  }

  std::byte* data() const { return memory_; }
  size_t bytes() const { return bytes_; }

  template <class T>
  std::span<T> As() const {
    return {reinterpret_cast<T*>(memory_), bytes_ / sizeof(T)};
  }

 private:
  std::byte* memory_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace hackbench
