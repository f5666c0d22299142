// SPDX-License-Identifier: MIT
// For tests: the same work done by threads and by forked processes, on memory
// that both share. Every worker is joined or reaped before the call returns.
#pragma once

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <new>
#include <thread>
#include <vector>

namespace hackbench::atomics {

// One object in a shared mapping, so that children made later see it too.
template <class T>
class Shared {
 public:
  Shared() {
    void* memory = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    object_ = new (memory) T{};
  }
  ~Shared() { munmap(object_, sizeof(T)); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  T& operator*() { return *object_; }
  T* operator->() { return object_; }

 private:
  T* object_;
};

using Work = std::function<void(int worker)>;

inline void RunInThreads(int num_workers, const Work& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < num_workers; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

// False when a child could not be made or did not end well.
inline bool RunInProcesses(int num_workers, const Work& work) {
  std::vector<pid_t> children;
  for (int i = 0; i < num_workers; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      work(i);
      _exit(0);
    }
    if (child > 0) children.push_back(child);
  }
  bool ok = children.size() == static_cast<size_t>(num_workers);
  for (const pid_t child : children) {
    int status = 0;
    ok &= waitpid(child, &status, 0) == child && WIFEXITED(status) &&
          WEXITSTATUS(status) == 0;
  }
  return ok;
}

// An emulated CPU is a hundred times slower; the claims need no more rounds.
inline int Rounds(int native) {
  const char* emulator = std::getenv("HACKBENCH_EMULATOR");
  const bool emulated = emulator != nullptr && *emulator != '\0';
  return emulated ? native / 20 + 1 : native;
}

}  // namespace hackbench::atomics
