// SPDX-License-Identifier: MIT
// What a cell's unit consists of. Included there and nowhere else; the units
// are written by hackbench/cmake/user_cells.cmake.
#pragma once

#include "hackbench/pipe_model.h"
#include "hackbench/socket_model.h"
#include "hackbench/user_cell.h"
#include "hackbench/user_loop.h"

namespace hackbench {

template <class Model>
constexpr UserLoops UserLoopsOf() {
  return {.endpoint_bytes = sizeof(typename Model::Endpoint),
          .make_lock =
              [](void* endpoint, sync::Arena& arena) {
                return static_cast<typename Model::Endpoint*>(endpoint)
                    ->lock.Prepare(arena);
              },
          .run = &RunUserLoop<Model>};
}

template <class L, class Preempt>
const UserCell& UserCellOf() {
  static constexpr UserCell kCell = {L::kName, Preempt::kName,
                                     UserLoopsOf<SocketModel<L, Preempt>>(),
                                     UserLoopsOf<PipeModel<L, Preempt>>()};
  return kCell;
}

}  // namespace hackbench
