// SPDX-License-Identifier: MIT
#include <vector>

#include "hackbench/user_cell.h"
#include "sync/coop_preempt.h"
#include "sync/lock_list.h"

namespace hackbench {
namespace {

template <class L, class... P>
void AddCells(std::vector<const UserCell*>& cells, sync::CoopPreempts<P...>) {
  (cells.push_back(&UserCellOf<L, P>()), ...);
}

template <class... L>
std::vector<const UserCell*> CellsOf(sync::Locks<L...>) {
  std::vector<const UserCell*> cells;
  (AddCells<L>(cells, sync::CoopPreemptList{}), ...);
  return cells;
}

}  // namespace

const UserCell& FindUserCell(std::string_view lock, std::string_view preempt) {
  static const std::vector<const UserCell*> kCells = CellsOf(sync::LockList{});
  for (const UserCell* cell : kCells) {
    if (cell->lock == lock && cell->preempt == preempt) return *cell;
  }
  __builtin_unreachable();
}

}  // namespace hackbench
