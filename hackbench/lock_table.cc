// SPDX-License-Identifier: MIT
#include "hackbench/lock_table.h"

#include <algorithm>
#include <array>

namespace hackbench {
namespace {

template <class L>
sync::LockResult LockOf(void* memory, sync::Waiter& waiter) {
  return static_cast<L*>(memory)->Lock(waiter);
}
template <class L>
void UnlockOf(void* memory, sync::Waiter& waiter) {
  static_cast<L*>(memory)->Unlock(waiter);
}
template <class L>
sync::LockResult LockSharedOf(void* memory, sync::Waiter& waiter) {
  if constexpr (sync::SharedLockable<L>) {
    return static_cast<L*>(memory)->LockShared(waiter);
  }
  return LockOf<L>(memory, waiter);
}
template <class L>
void UnlockSharedOf(void* memory, sync::Waiter& waiter) {
  if constexpr (sync::SharedLockable<L>) {
    static_cast<L*>(memory)->UnlockShared(waiter);
  } else {
    UnlockOf<L>(memory, waiter);
  }
}

template <class L>
constexpr LockEntry MakeEntry() {
  return {L::kName,
          L::kSummary,
          L::kTraits,
          sizeof(L),
          sync::SharedLockable<L>,
          &sync::MakeLock<L>,
          &LockOf<L>,
          &UnlockOf<L>,
          &LockSharedOf<L>,
          &UnlockSharedOf<L>,
          &InSession<L>,
          &TightLoop<L>,
          &SpacedLoop<L>,
          &DuelLoop<L, /*kFairness=*/false>,
          &DuelLoop<L, /*kFairness=*/true>,
          &SharedDuelLoop<L>,
          sizeof(sync::MessageQueue<L>),
          &MakeQueues<L>,
          &LadderWork<L>,
          &TortureWork<L>};
}

template <class... L>
constexpr std::array<LockEntry, sizeof...(L)> EntriesOf(sync::Locks<L...>) {
  return {MakeEntry<L>()...};
}

constexpr auto kTable = EntriesOf(sync::LockList{});

}  // namespace

std::span<const LockEntry> LockTable() { return kTable; }

const LockEntry* FindLock(std::string_view name) {
  const auto* const found =
      std::find_if(kTable.begin(), kTable.end(),
                   [&](const LockEntry& entry) { return entry.name == name; });
  return found == kTable.end() ? nullptr : found;
}

std::vector<std::string_view> LockNames() {
  std::vector<std::string_view> names;
  for (const LockEntry& entry : kTable) names.push_back(entry.name);
  return names;
}

std::string DescribeTraits(const LockEntry& entry) {
  std::string text = entry.traits.pure_spin ? "spins" : "adapts";
  if (!entry.traits.excludes) text = "no lock";
  if (entry.traits.fifo) text += ", fifo";
  if (entry.shared) text += ", readers";
  if (!entry.traits.process_shared) text += ", threads only";
  if (entry.traits.recovers) text += ", robust";
  if (entry.traits.times_out) text += ", times out";
  if (entry.traits.is_baseline) text += ", baseline";
  return text;
}

}  // namespace hackbench
