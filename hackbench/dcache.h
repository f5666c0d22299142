// SPDX-License-Identifier: MIT
// A directory cache in shared memory, to hold a reference count against: a hash
// table that is walked name by name under a sequence count, as the kernel walks
// a path, and at its end a count to get, a stat block to copy, a count to put.
//
// The count stands on a line of its own: beside the name, each change of it
// would take the line from all who compare names.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "sync/lockref.h"

namespace hackbench {

inline constexpr uint32_t kComponents = 4;
inline constexpr uint32_t kBuckets = 256;
inline constexpr uint32_t kDentries = 64;
inline constexpr size_t kStatBytes = 144;  // struct stat on 64-bit Linux.

inline constexpr std::array<std::string_view, kComponents> kPath = {
    "usr", "share", "hackbench", "statfile"};

struct DcacheStat {
  std::array<unsigned char, kStatBytes> bytes;
};

template <class Count>
struct alignas(64) Dentry {
  uint32_t next;  // In its bucket; 0 ends it.
  uint32_t parent;
  uint32_t hash;
  uint32_t length;
  uint32_t mode;
  char name[32];
  DcacheStat stat;
  alignas(64) Count count;
};

template <class Count>
class Dcache {
 public:
  using Entry = Dentry<Count>;

  // On zeroed memory. The path, and neighbours that share its buckets.
  void Fill() {
    uint32_t parent = 0;
    for (const std::string_view name : kPath) parent = Add(parent, name);
    last_ = parent;
    for (uint32_t i = 0; used_ < kDentries - 1; ++i) {
      const std::array<char, 4> name = {'f', static_cast<char>('a' + i % 26),
                                        static_cast<char>('a' + i / 26), 0};
      Add(1 + i % kComponents, name.data());
    }
  }

  // Index of the path's last dentry, or 0 when a rename came between; `steps`
  // of other work (permissions, mounts) at each component.
  uint32_t Walk(int steps, uint64_t& work) const {
    const uint32_t sequence = sync::LoadAcquire(&sequence_);
    if (sequence % 2 != 0) return 0;
    uint32_t at = 0;
    for (const std::string_view name : kPath) {
      at = Lookup(at, name);
      if (at == 0) return 0;
      for (int i = 0; i < steps; ++i) {
        work = work * 6364136223846793005 + 1442695040888963407;
        asm volatile("" : "+r"(work));
      }
    }
    return sync::LoadAcquire(&sequence_) == sequence ? at : 0;
  }

  Entry& entry(uint32_t index) { return entries_[index]; }
  Entry& last() { return entries_[last_]; }

 private:
  static uint32_t HashOf(uint32_t parent, std::string_view name) {
    uint32_t hash = parent * 2654435761U;
    for (const char letter : name) {
      hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
    }
    return hash;
  }

  uint32_t Add(uint32_t parent, std::string_view name) {
    const uint32_t index = ++used_;
    Entry& entry = entries_[index];
    entry.parent = parent;
    entry.hash = HashOf(parent, name);
    entry.length = static_cast<uint32_t>(name.size());
    std::memcpy(entry.name, name.data(), name.size());
    entry.stat.bytes.fill(static_cast<unsigned char>(index));
    uint32_t& bucket = buckets_[entry.hash % kBuckets];
    entry.next = bucket;
    bucket = index;
    return index;
  }

  uint32_t Lookup(uint32_t parent, std::string_view name) const {
    const uint32_t hash = HashOf(parent, name);
    uint32_t at = buckets_[hash % kBuckets];
    while (at != 0) {
      const Entry& entry = entries_[at];
      if (entry.hash == hash && entry.parent == parent &&
          entry.length == name.size() &&
          std::memcmp(entry.name, name.data(), name.size()) == 0) {
        return at;
      }
      at = entry.next;
    }
    return 0;
  }

  uint32_t sequence_ = 0;
  uint32_t last_ = 0;
  uint32_t used_ = 0;
  std::array<uint32_t, kBuckets> buckets_ = {};
  std::array<Entry, kDentries> entries_ = {};
};

}  // namespace hackbench
