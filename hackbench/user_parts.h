// SPDX-License-Identifier: MIT
// The parts of the user plane, chosen: names to rows, combinations judged. What
// can be refused is refused here, before the first fork.
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "alloc/allocator_list.h"
#include "hackbench/lock_table.h"
#include "hackbench/options.h"
#include "hackbench/transport.h"
#include "hackbench/user_endpoint.h"

namespace hackbench {

struct UserCell;

enum class MessageAlloc { kSkb, kFixed, kPage, kNone };

// A row of refcount_list.h as functions.
struct RefcountEntry {
  std::string_view name;
  std::string_view summary;
  bool adaptive;  // Works with more tasks than CPUs.
  bool (*make)(void* memory, sync::Arena& arena);
  bool (*get)(void* count, sync::Waiter& waiter);  // False: aborted.
  bool (*put)(void* count, sync::Waiter& waiter);
  int32_t (*count)(const void* count);
};

std::span<const RefcountEntry> RefcountTable();

struct PreemptEntry {
  std::string_view name;
  std::string_view summary;
};

std::span<const PreemptEntry> PreemptTable();

struct UserParts {
  std::string alloc_asked;  // May be a family, as cmpxchg-local.
  const alloc::AllocatorEntry* allocator = nullptr;
  const LockEntry* lock = nullptr;
  const LockEntry* rwlock = nullptr;
  const RefcountEntry* refcount = nullptr;
  const PreemptEntry* preempt = nullptr;
  const UserCell* cell = nullptr;  // The loops for lock x preempt.
  MessageModel model = MessageModel::kNone;
  MessageAlloc message_alloc = MessageAlloc::kSkb;
  size_t fixed_bytes = 0;
  uint64_t churn = 0;  // Messages between two registrations; 0: never.
  int64_t hz = 0;

  // Whether the cooperative model of preemption is at work.
  bool is_coop() const { return hz > 0 || preempt->name != "none"; }
};

// Whether `options` ask for the user plane: by name or by naming a part.
bool WantsUserPlane(const RunOptions& options);

// InvalidArgument with what was asked, why not and what to do.
absl::StatusOr<UserParts> ChooseParts(const RunOptions& options,
                                      const TransportEntry& transport);

// What a pure spinner does with more tasks than CPUs; empty when none of the
// parts is one, or all tasks have a CPU.
std::string SpinWarning(const UserParts& parts, uint64_t tasks);

std::string MessageAllocName(const UserParts& parts);

// The engine that a name stands for: itself, or the first of its family that
// can run here. Null for an unknown name.
const alloc::AllocatorEntry* ResolveAllocator(std::string_view name);

}  // namespace hackbench
