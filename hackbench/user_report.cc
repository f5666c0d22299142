// SPDX-License-Identifier: MIT
#include "hackbench/user_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "hackbench/user_task.h"

namespace hackbench {
namespace {

double Per(uint64_t count, uint64_t messages) {
  return messages == 0
             ? 0
             : static_cast<double>(count) / static_cast<double>(messages);
}

// "queued 12, slept 3" of what is not zero, or "none".
template <class Names, class Counts>
std::string NonZero(const Names& names, const Counts& counts) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (counts[i] == 0) continue;
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", names[i], counts[i]);
  }
  return text.empty() ? "none" : text;
}

std::string PartsText(const UserParts& parts) {
  std::string text = fmt::format("user plane: alloc {}, msg-alloc {}, lock {}",
                                 parts.allocator->name, MessageAllocName(parts),
                                 parts.lock->name);
  if (parts.model == MessageModel::kSocket) {
    text += fmt::format(", rwlock {}, refcount {}, churn {}",
                        parts.rwlock->name, parts.refcount->name, parts.churn);
  }
  if (parts.is_coop()) {
    text += fmt::format(", preempt {}, hz {}, model=coop", parts.preempt->name,
                        parts.hz);
  }
  return text;
}

std::string Row(std::string_view name, std::string_view about,
                std::string_view summary) {
  return about.empty() ? fmt::format("{:<26}{}\n", name, summary)
                       : fmt::format("{:<26}{} [{}]\n", name, summary, about);
}

std::string ListAllocators() {
  std::string text;
  for (const alloc::AllocatorEntry& entry : alloc::AllocatorList()) {
    std::string about;
    const auto add = [&about](std::string_view word) {
      about.append(about.empty() ? "" : ", ").append(word);
    };
    if (entry.traits.usable && !entry.traits.safe) add("control, not for runs");
    if (!entry.traits.usable) add("no memory: implies --msg-alloc none");
    if (entry.traits.usable && !entry.traits.between_processes) {
      add("threads only");
    }
    if (entry.traits.irq_model != "none") {
      add(fmt::format("irq model {}", entry.traits.irq_model));
    }
    if (const std::string why = entry.why_not(); !why.empty()) {
      add("not here: " + why);
    }
    text += Row(entry.name, about, entry.summary);
  }
  const alloc::AllocatorEntry* const local = ResolveAllocator("cmpxchg-local");
  text +=
      Row("cmpxchg-local", {},
          fmt::format("the first of its kind that runs here: {}", local->name));
  return text;
}

std::string ListLocks() {
  std::string text;
  for (const LockEntry& entry : LockTable()) {
    std::string about = DescribeTraits(entry);
    if (!entry.traits.safe) about += ", control, not for runs";
    text += Row(entry.name, about, entry.summary);
  }
  return text;
}

std::string ListRefcounts() {
  std::string text;
  for (const RefcountEntry& entry : RefcountTable()) {
    text += Row(entry.name, entry.adaptive ? "adapts" : "spins", entry.summary);
  }
  return text;
}

std::string ListPreempts() {
  std::string text;
  for (const PreemptEntry& entry : PreemptTable()) {
    text += Row(entry.name, "model=coop", entry.summary);
  }
  return text;
}

struct PartList {
  std::string_view name;
  std::string (*text)();
};
// Any lock can be a rwlock; those without readers take them one by one.
constexpr std::array kPartLists = {
    PartList{"allocators", ListAllocators},
    PartList{"locks", ListLocks},
    PartList{"rwlocks", ListLocks},
    PartList{"refcounts", ListRefcounts},
    PartList{"preempts", ListPreempts},
};

}  // namespace

std::vector<std::string> StatsText(const RunPlan& plan,
                                   const UserFigures& figures,
                                   uint64_t messages, int64_t switches) {
  const UserTally& tally = figures.tally;
  std::vector<std::string> lines = {PartsText(*plan.user)};
  lines.push_back(fmt::format(
      "per message of {}: {:.2f} objects, {:.0f} bytes allocated, {:.4f} "
      "wake-ups, {:.4f} sleeps for a message and {:.4f} for space, {:.4f} "
      "context switches, {:.2f} read on another CPU than written on",
      messages, Per(tally.allocations, messages),
      Per(tally.allocated_bytes, messages), Per(tally.wakeups, messages),
      Per(tally.reader_sleeps, messages), Per(tally.space_sleeps, messages),
      Per(static_cast<uint64_t>(switches), messages),
      Per(tally.cross_cpu, messages)));
  lines.push_back(
      fmt::format("lock events: {}",
                  NonZero(sync::kLockEventNames, tally.lock_events.counts)));
  lines.push_back(fmt::format("slab events, racy counts: {}",
                              NonZero(alloc::kStatNames, figures.slab.counts)));
  if (plan.user->is_coop()) {
    lines.push_back(fmt::format("model=coop: {} ticks, {} switches at points",
                                figures.ticks, tally.coop_switches));
  }
  return lines;
}

bool IsReported(Step step, const StepTally& tally) {
  return step != Step::kOutside && tally.samples > 0;
}

std::string FaultWarning(const RunPlan& plan, const LaunchResult& result) {
  // A task's start alone takes some; what a few messages pay is no matter.
  constexpr uint64_t kManyPerTask = 300;
  const auto faults = static_cast<uint64_t>(result.use.minor_faults);
  if (plan.options.mode != Mode::kProcess ||
      faults < kManyPerTask * plan.tasks || faults * 10 < result.messages) {
    return {};
  }
  return fmt::format(
      "{:.2f} page faults a message are in the time, since each process maps "
      "the arena for itself ({}); 'echo advise > "
      "/sys/kernel/mm/transparent_hugepage/shmem_enabled' as root, or threads, "
      "avoid them",
      Per(faults, result.messages), result.user->arena);
}

double StepCycles(const StepTally& step, uint64_t clock_cycles) {
  const uint64_t samples = step.samples - step.interrupted;
  if (samples == 0) return 0;
  return std::max(
      0.0, static_cast<double>(step.cycles) / static_cast<double>(samples) -
               static_cast<double>(clock_cycles));
}

std::vector<std::string> PhasesText(const UserFigures& figures) {
  const UserTally& tally = figures.tally;
  std::vector<std::string> lines = {fmt::format(
      "steps of {} sends and receives, one in {}, in {}; a sample costs {} "
      "twice, once is subtracted; longer than 50 us is interrupted and left "
      "out",
      tally.sampled_messages, UserTask::kSampleEvery, atomics::Cpu::kCycleUnit,
      figures.clock_cycles)};
  lines.push_back(fmt::format("{:<10} {:>10} {:>10} {:>12}", "step", "mean",
                              "samples", "interrupted"));
  for (size_t i = 0; i < kNumSteps; ++i) {
    const StepTally& step = tally.steps[i];
    if (!IsReported(static_cast<Step>(i), step)) continue;
    lines.push_back(fmt::format("{:<10} {:>10.0f} {:>10} {:>12}", kStepNames[i],
                                StepCycles(step, figures.clock_cycles),
                                step.samples, step.interrupted));
  }
  return lines;
}

std::string PartListText(std::string_view what) {
  for (const PartList& list : kPartLists) {
    if (list.name == what) return list.text();
  }
  return {};
}

std::vector<std::string_view> PartListNames() {
  std::vector<std::string_view> names;
  for (const PartList& list : kPartLists) names.push_back(list.name);
  return names;
}

}  // namespace hackbench
