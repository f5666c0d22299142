// SPDX-License-Identifier: MIT
// Sentences about tasks: which one failed and how, and in a hang, who waits for
// whom.
#pragma once

#include <cstddef>
#include <string>

#include "hackbench/plan.h"
#include "hackbench/task_board.h"

namespace hackbench {

// "receiver 3 of group 0 (pid 4711)".
std::string TaskName(const RunPlan& plan, TaskBoard& board, size_t task);

// What the slot's fault says: "read: Connection reset by peer".
std::string FaultText(const TaskSlot& slot);

// ", in step 'queue' of a message": where a task of the user plane is.
std::string StepText(const TaskSlot& slot);

// Per group what was sent and received, and each task that is not done with the
// peer it waits for and its state. Long lists are cut and say so.
std::string DescribeWaiters(const RunPlan& plan, TaskBoard& board);

// Faults that follow from the death of another task.
bool IsConsequence(Fault fault, uint64_t value);

}  // namespace hackbench
