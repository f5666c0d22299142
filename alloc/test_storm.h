// SPDX-License-Identifier: MIT
// For tests: workers that allocate and free at random, hand objects to each
// other, and are convicted when two of them hold one object.
//
// Who holds an object is written beside the arena, a number per eight bytes, so
// that the smallest object and one that is being popped can be watched without
// touching them. What an object holds is checked too: its owner writes its own
// address into every word.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>
#include <random>
#include <vector>

#include "alloc/any_allocator.h"
#include "atomics/cmpxchg.h"

namespace hackbench::alloc {

class Storm {
 public:
  static constexpr uint32_t kMailboxes = 64;
  static constexpr size_t kHeldAtMost = 200;

  Storm(Heap& heap, AnyAllocator& allocator)
      : heap_(heap),
        allocator_(allocator),
        num_tags_(heap.arena().max_bytes() / 8) {
    const size_t bytes = sizeof(Board) + num_tags_ * sizeof(uint16_t);
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    board_ = new (memory) Board{};
    tags_ = reinterpret_cast<uint16_t*>(board_ + 1);
    bytes_ = bytes;
  }
  ~Storm() { munmap(board_, bytes_); }
  Storm(const Storm&) = delete;
  Storm& operator=(const Storm&) = delete;

  // One worker's part; `worker` counts from 0. Frees what it holds at the end.
  void Work(uint32_t worker, uint64_t operations, uint64_t seed,
            size_t max_bytes = 9000) {
    std::mt19937_64 random(seed * 1000003 + worker);
    std::vector<void*> held;
    for (uint64_t i = 0; i < operations; ++i) {
      const uint64_t draw = random();
      const uint64_t kind = draw % 16;
      if (kind < 7 && held.size() < kHeldAtMost) {
        Take(worker, SizeFrom(draw >> 8, max_bytes), held);
      } else if (kind < 12 && !held.empty()) {
        const size_t at = (draw >> 8) % held.size();
        std::swap(held[at], held.back());
        Give(worker, held.back());
        held.pop_back();
      } else if (kind < 14 && !held.empty()) {
        Post(worker, (draw >> 8) % kMailboxes, held);
      } else {
        Fetch(worker, (draw >> 8) % kMailboxes, held);
      }
      // relaxed: a progress counter.
      __atomic_fetch_add(&board_->operations, 1, __ATOMIC_RELAXED);
    }
    for (void* object : held) Give(worker, object);
  }

  // Frees what lies in the mailboxes. While no worker runs.
  void EmptyMailboxes() {
    for (uint64_t& box : board_->mailboxes) {
      auto* object = reinterpret_cast<void*>(box);
      box = 0;
      if (object != nullptr) Give(kMailboxTag - 1, object);
    }
  }

  // Objects that somebody still holds: the dead, once all others are done.
  uint64_t StillHeld() const {
    uint64_t held = 0;
    for (size_t i = 0; i < num_tags_; ++i) held += tags_[i] != 0 ? 1 : 0;
    return held;
  }

  uint64_t double_owners() const { return board_->double_owners; }
  uint64_t overwritten() const { return board_->overwritten; }
  uint64_t refused() const { return board_->refused; }
  uint64_t operations() const {
    return __atomic_load_n(&board_->operations, __ATOMIC_RELAXED);
  }

 private:
  static constexpr uint16_t kMailboxTag = 0xffff;

  struct Board {
    uint64_t mailboxes[kMailboxes] = {};
    uint64_t double_owners = 0;
    uint64_t overwritten = 0;
    uint64_t refused = 0;
    alignas(128) uint64_t operations = 0;
  };

  // Small ones more often; a few whole pages.
  static size_t SizeFrom(uint64_t draw, size_t max_bytes) {
    const unsigned shift = draw % 14;
    const size_t bytes = (size_t{1} << shift) + (draw >> 16) % 64;
    return bytes > max_bytes ? 1 + bytes % max_bytes : bytes;
  }

  uint16_t& TagOf(const void* object) const {
    return tags_[static_cast<size_t>(static_cast<const char*>(object) -
                                     heap_.base()) /
                 8];
  }
  void Convict(uint64_t& count) {
    __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
  }
  bool Retag(const void* object, uint16_t from, uint16_t to) {
    uint16_t expected = from;
    if (atomics::Cmpxchg(&TagOf(object), expected, to)) return true;
    Convict(board_->double_owners);
    return false;
  }
  static uint16_t TagFor(uint32_t worker) {
    return static_cast<uint16_t>(worker + 1);
  }

  void Take(uint32_t worker, size_t bytes, std::vector<void*>& held) {
    void* object = allocator_.Alloc(bytes);
    if (object == nullptr) {
      Convict(board_->refused);
      return;
    }
    if (!Retag(object, 0, TagFor(worker))) return;
    Fill(object);
    held.push_back(object);
  }
  void Give(uint32_t worker, void* object) {
    Verify(object);
    const uint16_t tag =
        worker == kMailboxTag - 1U ? kMailboxTag : TagFor(worker);
    if (Retag(object, tag, 0)) allocator_.Free(object);
  }
  void Post(uint32_t worker, uint64_t box, std::vector<void*>& held) {
    if (!Retag(held.back(), TagFor(worker), kMailboxTag)) return;
    const uint64_t before = atomics::Xchg(
        &board_->mailboxes[box], reinterpret_cast<uint64_t>(held.back()));
    held.pop_back();
    Adopt(worker, before, held);
  }
  void Fetch(uint32_t worker, uint64_t box, std::vector<void*>& held) {
    if (board_->mailboxes[box] == 0) return;
    Adopt(worker, atomics::Xchg(&board_->mailboxes[box], 0), held);
  }
  void Adopt(uint32_t worker, uint64_t bits, std::vector<void*>& held) {
    auto* object = reinterpret_cast<void*>(bits);
    if (object == nullptr) return;
    if (!Retag(object, kMailboxTag, TagFor(worker))) return;
    Verify(object);
    held.push_back(object);
  }

  // The first and the last word; the middle is the allocator's business only
  // when it hands out overlapping objects, and then these are hit.
  void Fill(void* object) {
    const size_t words = allocator_.UsableSize(object) / 8;
    auto* word = static_cast<uint64_t*>(object);
    word[0] = reinterpret_cast<uint64_t>(object);
    word[words - 1] = reinterpret_cast<uint64_t>(object);
  }
  void Verify(void* object) {
    const size_t words = allocator_.UsableSize(object) / 8;
    const auto* word = static_cast<const uint64_t*>(object);
    const auto mark = reinterpret_cast<uint64_t>(object);
    if (word[0] != mark || word[words - 1] != mark) {
      Convict(board_->overwritten);
    }
  }

  Heap& heap_;
  AnyAllocator& allocator_;
  size_t num_tags_;
  Board* board_;
  uint16_t* tags_;
  size_t bytes_;
};

}  // namespace hackbench::alloc
