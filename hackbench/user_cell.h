// SPDX-License-Identifier: MIT
// The loops of the user plane for one lock and one preemption model: the lock
// is known to the compiler, for behind a pointer an inlined lock would be the
// same as a called one. Each cell is a translation unit of its own, so its code
// size can be told.
#pragma once

#include <cstddef>
#include <string_view>

namespace hackbench {

class UserTask;
namespace sync {
class Arena;
}

// One message model under one lock.
struct UserLoops {
  size_t endpoint_bytes;
  // Makes the lock in a zeroed endpoint; false when the arena is full.
  bool (*make_lock)(void* endpoint, sync::Arena& arena);
  // Sends or receives all messages of a task. False after a fault.
  bool (*run)(UserTask& task);
};

struct UserCell {
  std::string_view lock;
  std::string_view preempt;
  UserLoops socket;
  UserLoops pipe;
};

// Of names that the lists have.
const UserCell& FindUserCell(std::string_view lock, std::string_view preempt);

// Defined in the cell's own unit, by user_cell_unit.h.
template <class L, class Preempt>
const UserCell& UserCellOf();

}  // namespace hackbench
