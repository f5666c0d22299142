// SPDX-License-Identifier: MIT
// The list of sync/lock_list.h as rows of function pointers: a name becomes a
// row before the first task starts, and a row's loop knows its lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hackbench/lock_loops.h"

namespace hackbench {

struct LockEntry {
  std::string_view name;
  std::string_view summary;
  sync::LockTraits traits;
  size_t bytes;
  bool shared;  // Knows readers.
  bool (*make)(void* memory, sync::Arena& arena);
  sync::LockResult (*lock)(void* memory, sync::Waiter& waiter);
  void (*unlock)(void* memory, sync::Waiter& waiter);
  // As a reader; without readers the same as the two above.
  sync::LockResult (*lock_shared)(void* memory, sync::Waiter& waiter);
  void (*unlock_shared)(void* memory, sync::Waiter& waiter);
  void (*in_session)(const std::function<void()>& body);
  void (*tight)(void* memory, sync::Waiter& waiter, int ops);
  void (*spaced)(void* memory, sync::Waiter& waiter, int ops);
  void (*duel)(void* memory, sync::Waiter& waiter, Duel& duel, int side,
               uint64_t ops);
  void (*fair_duel)(void* memory, sync::Waiter& waiter, Duel& duel, int side,
                    uint64_t ops);
  void (*shared_duel)(void* memory, sync::Waiter& waiter, Duel& duel, int side,
                      uint64_t ops);
  size_t queue_bytes;
  bool (*make_queues)(void* memory, uint32_t count, sync::Arena& arena);
  void (*ladder)(const LadderJob& job, sync::Waiter& waiter, uint32_t task,
                 LadderSlot& slot);
  void (*torture)(void* memory, sync::Waiter& waiter, TortureState& state,
                  TortureSlot& slot, uint64_t seed);
};

std::span<const LockEntry> LockTable();

// Null when there is none of that name.
const LockEntry* FindLock(std::string_view name);

std::vector<std::string_view> LockNames();

// "spin, fifo, process-shared": for lists.
std::string DescribeTraits(const LockEntry& entry);

}  // namespace hackbench
