// SPDX-License-Identifier: MIT
#include "hackbench/task_report.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <system_error>

namespace hackbench {
namespace {

constexpr size_t kMaxGroups = 4;
constexpr size_t kMaxTasksPerGroup = 12;

uint64_t Messages(const TaskSlot& slot) {
  // Relaxed: a snapshot for people.
  return slot.messages.load(std::memory_order_relaxed);
}

int Tid(const TaskSlot& slot) {
  // Relaxed: a snapshot for people.
  return slot.tid.load(std::memory_order_relaxed);
}

// The state letter of /proc/TID/stat in words.
std::string StateOf(int tid) {
  std::ifstream file(fmt::format("/proc/{}/stat", tid));
  std::string line;
  if (!std::getline(file, line)) return "gone";
  const size_t close = line.rfind(')');
  if (close == std::string::npos || close + 2 >= line.size()) return "unknown";
  switch (line[close + 2]) {
    case 'R':
      return "running";
    case 'S':
      return "asleep";
    case 'D':
      return "in uninterruptible sleep";
    case 'T':
    case 't':
      return "stopped";
    case 'Z':
      return "dead";
    default:
      return fmt::format("state {}", line[close + 2]);
  }
}

// One group's part of the board.
class GroupView {
 public:
  GroupView(const RunPlan& plan, TaskBoard& board, size_t group)
      : fds_(plan.workload.fds),
        per_task_(plan.workload.loops * plan.workload.fds),
        slots_(board.slots().subspan(group * plan.tasks_per_group(),
                                     plan.tasks_per_group())) {}

  const TaskSlot& receiver(size_t i) const { return slots_[i]; }
  const TaskSlot& sender(size_t i) const { return slots_[fds_ + i]; }
  size_t fds() const { return fds_; }
  uint64_t per_task() const { return per_task_; }

  bool IsDone(const TaskSlot& slot) const {
    return Messages(slot) == per_task_;
  }

  uint64_t sent() const { return Sum(fds_); }
  uint64_t received() const { return Sum(0); }
  bool is_done() const {
    return sent() == fds_ * per_task_ && received() == fds_ * per_task_;
  }

 private:
  uint64_t Sum(size_t first) const {
    uint64_t sum = 0;
    for (size_t i = 0; i < fds_; ++i) sum += Messages(slots_[first + i]);
    return sum;
  }

  size_t fds_;
  uint64_t per_task_;
  std::span<TaskSlot> slots_;
};

std::string DescribeGroup(const GroupView& view) {
  std::string text;
  size_t shown = 0;
  size_t hidden = 0;
  const auto add = [&](const std::string& line) {
    if (shown == kMaxTasksPerGroup) {
      ++hidden;
      return;
    }
    ++shown;
    text += line;
  };
  for (size_t i = 0; i < view.fds(); ++i) {
    const TaskSlot& slot = view.sender(i);
    if (view.IsDone(slot)) continue;
    // Senders go round-robin, so the count tells whose turn it is.
    const size_t peer = Messages(slot) % view.fds();
    add(fmt::format(
        "\n    sender {} (pid {}, {}): {} of {} sent, is at "
        "receiver {} (pid {}, {})",
        i, Tid(slot), StateOf(Tid(slot)), Messages(slot), view.per_task(), peer,
        Tid(view.receiver(peer)), StateOf(Tid(view.receiver(peer)))));
  }
  for (size_t i = 0; i < view.fds(); ++i) {
    const TaskSlot& slot = view.receiver(i);
    if (view.IsDone(slot)) continue;
    add(fmt::format(
        "\n    receiver {} (pid {}, {}): {} of {} received, waits "
        "for the senders above",
        i, Tid(slot), StateOf(Tid(slot)), Messages(slot), view.per_task()));
  }
  if (hidden > 0) text += fmt::format("\n    and {} more tasks", hidden);
  return text;
}

}  // namespace

std::string TaskName(const RunPlan& plan, TaskBoard& board, size_t task) {
  const size_t group = task / plan.tasks_per_group();
  const size_t place = task % plan.tasks_per_group();
  const size_t fds = plan.workload.fds;
  return fmt::format(
      "{} {} of group {} (pid {})", place < fds ? "receiver" : "sender",
      place < fds ? place : place - fds, group, Tid(board.slot(task)));
}

std::string FaultText(const TaskSlot& slot) {
  // Acquire: pairs with the release in RecordFault, for the value.
  const Fault fault = slot.fault.load(std::memory_order_acquire);
  const uint64_t value = slot.fault_value.load(std::memory_order_relaxed);
  const std::string reason =
      std::generic_category().message(static_cast<int>(value));
  switch (fault) {
    case Fault::kNone:
      return "no fault recorded";
    case Fault::kReady:
      return fmt::format("writing ready: {}", reason);
    case Fault::kWake:
      return fmt::format("waiting for the start: {}", reason);
    case Fault::kOrphan:
      return "main is gone";
    case Fault::kRead:
      return fmt::format("read: {}", reason);
    case Fault::kWrite:
      return fmt::format("write: {}", reason);
    case Fault::kEndOfFile:
      return "read: end of file before all messages came";
    case Fault::kLost:
      return fmt::format("--verify: a message of sender {} was lost", value);
    case Fault::kRepeated:
      return fmt::format("--verify: a message of sender {} came again", value);
    case Fault::kTorn:
      return "--verify: a message is torn";
    case Fault::kMisrouted:
      return fmt::format(
          "--verify: a message of sender {} came to the wrong "
          "receiver",
          value);
    case Fault::kNoMemory:
      return fmt::format("--alloc: no memory for an object of {} bytes", value);
    case Fault::kLock:
      return fmt::format("a lock gave up (result {})", value);
    case Fault::kNoPeer:
      return fmt::format("receiver {} is not in the endpoint table", value);
  }
  return "unknown fault";
}

std::string StepText(const TaskSlot& slot) {
  // Relaxed: the task is dead, or the text a snapshot.
  const Step step = slot.step.load(std::memory_order_relaxed);
  if (step == Step::kOutside || step >= Step::kNumSteps) {
    return ", between two messages";
  }
  return fmt::format(", in step '{}' of a message",
                     kStepNames[static_cast<size_t>(step)]);
}

std::string DescribeWaiters(const RunPlan& plan, TaskBoard& board) {
  std::string text;
  size_t unfinished = 0;
  const auto groups = static_cast<size_t>(plan.options.groups);
  for (size_t group = 0; group < groups; ++group) {
    const GroupView view(plan, board, group);
    if (view.is_done()) continue;
    if (++unfinished > kMaxGroups) continue;
    const uint64_t total = view.fds() * view.per_task();
    text +=
        fmt::format("\n  group {}: {} sent and {} received of {}{}", group,
                    view.sent(), view.received(), total, DescribeGroup(view));
  }
  return fmt::format(
      "unfinished: {} of {}{}{}", unfinished, groups, text,
      unfinished > kMaxGroups ? "\n  (the rest is not shown)" : "");
}

bool IsConsequence(Fault fault, uint64_t value) {
  if (fault == Fault::kEndOfFile) return true;
  return (fault == Fault::kWrite || fault == Fault::kRead) &&
         (value == EPIPE || value == ECONNRESET);
}

}  // namespace hackbench
