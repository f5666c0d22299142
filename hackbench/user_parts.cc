// SPDX-License-Identifier: MIT
#include "hackbench/user_parts.h"

#include <absl/status/status.h>
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "hackbench/lock_words.h"
#include "hackbench/number.h"
#include "hackbench/refcount_list.h"
#include "hackbench/user_cell.h"
#include "sync/coop_preempt.h"

namespace hackbench {
namespace {

constexpr std::string_view kDefaultLock = "hybrid";
constexpr std::string_view kDefaultRwlock = "qrw-adaptive";
constexpr std::string_view kDefaultRefcount = "hybrid-cmpxchg";
constexpr std::string_view kDefaultPreempt = "none";
constexpr int64_t kDefaultChurn = 1000;

template <class Row>
constexpr RefcountEntry MakeRefcountEntry(const Row& row) {
  using Count = typename Row::Count;
  static_assert(sizeof(Count) <= kRefcountBytes);
  return {
      row.name,
      row.summary,
      row.adaptive,
      [](void* memory, sync::Arena& arena) {
        return (new (memory) Count{})->Prepare(arena);
      },
      [](void* count, sync::Waiter& waiter) {
        return static_cast<Count*>(count)->Get(waiter);
      },
      [](void* count, sync::Waiter& waiter) {
        return static_cast<Count*>(count)->Put(waiter);
      },
      [](const void* count) {
        return static_cast<const Count*>(count)->count();
      },
  };
}

template <class... P>
constexpr std::array<PreemptEntry, sizeof...(P)> EntriesOf(
    sync::CoopPreempts<P...>) {
  return {PreemptEntry{P::kName, P::kSummary}...};
}

constexpr auto kPreempts = EntriesOf(sync::CoopPreemptList{});

template <class Row>
const Row* FindRow(std::span<const Row> rows, std::string_view name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(),
                   [&](const Row& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

// The row of `name`, or an error with the nearest one.
template <class Row>
absl::StatusOr<const Row*> Resolve(std::string_view what, std::string_view list,
                                   std::span<const Row> rows,
                                   std::string_view name) {
  if (const Row* row = FindRow(rows, name)) return row;
  std::vector<std::string_view> names;
  for (const Row& row : rows) names.push_back(row.name);
  return CheckName(what, name, names, fmt::format("hackbench --list {}", list));
}

// A name for engines that do the same in different ways, best first.
struct AllocatorFamily {
  std::string_view name;
  std::array<std::string_view, 3> members;
};
constexpr std::array kFamilies = {
    AllocatorFamily{"cmpxchg-local",
                    {"cmpxchg-local-rseq16", "cmpxchg-local-lock16",
                     "cmpxchg-local-packed64"}},
};

int UsableCpus() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (sched_getaffinity(0, sizeof(cpus), &cpus) != 0) return 1;
  return CPU_COUNT(&cpus);
}

// Fills in one part after the other; the first that cannot be ends it.
class Chooser {
 public:
  Chooser(const RunOptions& options, const TransportEntry& transport)
      : options_(options), transport_(transport) {}

  absl::StatusOr<UserParts> Choose() {
    for (const auto step : {&Chooser::ChooseModel, &Chooser::ChooseAllocator,
                            &Chooser::ChooseMessageAlloc, &Chooser::ChooseLocks,
                            &Chooser::ChooseChurn, &Chooser::ChoosePreempt,
                            &Chooser::RefuseNoLock}) {
      absl::Status status = (this->*step)();
      if (!status.ok()) return status;
    }
    return std::move(parts_);
  }

 private:
  template <typename... Args>
  static absl::Status Refuse(fmt::format_string<Args...> format,
                             Args&&... args) {
    return absl::InvalidArgumentError(
        fmt::format(format, std::forward<Args>(args)...));
  }

  bool between_processes() const { return options_.mode == Mode::kProcess; }

  absl::Status ChooseModel() {
    parts_.model = transport_.traits.model;
    if (parts_.model != MessageModel::kNone) return absl::OkStatus();
    return Refuse(
        "transport {} has no model in the user plane; use socketpair, pipe or "
        "futex, or --plane kernel",
        transport_.name);
  }

  absl::Status ChooseAllocator() {
    parts_.alloc_asked = options_.alloc.empty()
                             ? std::string(alloc::ChooseAllocator().entry->name)
                             : options_.alloc;
    parts_.allocator = ResolveAllocator(parts_.alloc_asked);
    if (parts_.allocator == nullptr) {
      std::vector<std::string_view> names;
      for (const auto& entry : alloc::AllocatorList()) {
        names.push_back(entry.name);
      }
      for (const auto& family : kFamilies) names.push_back(family.name);
      return CheckName("allocator", parts_.alloc_asked, names,
                       "hackbench --list allocators");
    }
    const alloc::AllocatorEntry& entry = *parts_.allocator;
    if (const std::string why = entry.why_not(); !why.empty()) {
      return Refuse("--alloc {} cannot run here: {}", parts_.alloc_asked, why);
    }
    if (!entry.traits.usable) return absl::OkStatus();
    if (!entry.traits.safe) {
      return Refuse(
          "--alloc {} hands an object to two owners at times, for tests of the "
          "allocators; take another",
          entry.name);
    }
    if (!entry.traits.between_processes && between_processes()) {
      return Refuse(
          "--alloc {} gives memory of one process only; use threads (-T, or "
          "the word thread) or another allocator",
          entry.name);
    }
    return absl::OkStatus();
  }

  absl::Status ChooseMessageAlloc() {
    const std::string_view asked = options_.message_alloc;
    const bool no_memory = !parts_.allocator->traits.usable;
    const bool is_pipe = parts_.model == MessageModel::kPipe;
    if (asked == "none" || (asked.empty() && no_memory)) {
      parts_.message_alloc = MessageAlloc::kNone;
      if (!no_memory && !options_.alloc.empty()) {
        return Refuse("--msg-alloc none leaves nothing to do for --alloc {}",
                      options_.alloc);
      }
      // What is not used is not reported as used.
      parts_.alloc_asked = "none";
      parts_.allocator = alloc::FindAllocator("none");
      return absl::OkStatus();
    }
    if (no_memory) {
      return Refuse("--alloc none has no memory for --msg-alloc {}", asked);
    }
    if (is_pipe) {
      parts_.message_alloc = MessageAlloc::kPage;
      if (asked.empty()) return absl::OkStatus();
      return Refuse(
          "--msg-alloc {}: a pipe allocates pages, not messages; leave it out, "
          "use none, or transport socketpair or futex",
          asked);
    }
    if (asked.empty() || asked == "skb") return absl::OkStatus();
    return ChooseFixed(asked);
  }

  absl::Status ChooseFixed(std::string_view asked) {
    constexpr std::string_view kPrefix = "fixed:";
    const size_t piece = std::min<size_t>(options_.datasize, kPieceBytes);
    const auto least = static_cast<int64_t>(sizeof(MessageHead) + piece);
    constexpr int64_t kMost = 1 << 20;
    const std::optional<ParsedNumber> number =
        asked.starts_with(kPrefix) ? ParseNumber(asked.substr(kPrefix.size()))
                                   : std::nullopt;
    if (!number || number->overflow || !number->rest.empty()) {
      return Refuse("--msg-alloc '{}': choices are skb, fixed:BYTES and none",
                    asked);
    }
    if (number->value < least || number->value > kMost) {
      return Refuse(
          "--msg-alloc {}: one object holds {} bytes of head and {} of the "
          "message, so give {} to {}",
          asked, sizeof(MessageHead), piece, least, kMost);
    }
    parts_.message_alloc = MessageAlloc::kFixed;
    parts_.fixed_bytes = static_cast<size_t>(number->value);
    return absl::OkStatus();
  }

  absl::StatusOr<const LockEntry*> ChooseLock(std::string_view option,
                                              std::string_view list,
                                              std::string_view name) {
    const auto lock = Resolve(option, list, LockTable(), name);
    if (!lock.ok()) return lock;
    if (!(*lock)->traits.safe) {
      return Refuse(
          "--{} {} excludes nobody, for tests of the torture; take another, or "
          "none for the zero point",
          option, name);
    }
    if (!(*lock)->traits.process_shared && between_processes()) {
      return Refuse(
          "--{} {} works between threads only; use threads (-T, or the word "
          "thread) or another lock",
          option, name);
    }
    return lock;
  }

  absl::Status ChooseLocks() {
    const auto or_default = [](const std::string& name,
                               std::string_view else_) {
      return name.empty() ? else_ : std::string_view(name);
    };
    const auto lock =
        ChooseLock("lock", "locks", or_default(options_.lock, kDefaultLock));
    if (!lock.ok()) return lock.status();
    parts_.lock = *lock;
    const auto rwlock = ChooseLock("rwlock", "rwlocks",
                                   or_default(options_.rwlock, kDefaultRwlock));
    if (!rwlock.ok()) return rwlock.status();
    parts_.rwlock = *rwlock;
    const auto refcount =
        Resolve("refcount", "refcounts", RefcountTable(),
                or_default(options_.refcount, kDefaultRefcount));
    if (!refcount.ok()) return refcount.status();
    parts_.refcount = *refcount;
    return absl::OkStatus();
  }

  absl::Status ChooseChurn() {
    if (parts_.model == MessageModel::kPipe) {
      for (const auto& [name, is_given] :
           {std::pair{"rwlock", !options_.rwlock.empty()},
            std::pair{"refcount", !options_.refcount.empty()},
            std::pair{"churn", options_.churn != kDefaultOfPart}}) {
        if (!is_given) continue;
        return Refuse(
            "--{} has nothing to do in a pipe, which is not looked up by name; "
            "leave it out, or use transport socketpair or futex",
            name);
      }
      return absl::OkStatus();
    }
    const bool no_lock = !parts_.rwlock->traits.excludes;
    if (no_lock && options_.churn > 0) {
      return Refuse(
          "--rwlock none protects no change of the endpoint table; add --churn "
          "0");
    }
    const int64_t churn = options_.churn != kDefaultOfPart
                              ? options_.churn
                              : (no_lock ? 0 : kDefaultChurn);
    parts_.churn = static_cast<uint64_t>(churn);
    return absl::OkStatus();
  }

  absl::Status ChoosePreempt() {
    const std::string_view name =
        options_.preempt.empty() ? kDefaultPreempt : options_.preempt;
    const auto preempt =
        Resolve("preemption model", "preempts", PreemptTable(), name);
    if (!preempt.ok()) return preempt.status();
    parts_.preempt = *preempt;
    parts_.hz = options_.hz;
    parts_.cell = &FindUserCell(parts_.lock->name, parts_.preempt->name);
    return absl::OkStatus();
  }

  absl::Status RefuseNoLock() {
    if (parts_.lock->traits.excludes) return absl::OkStatus();
    if (parts_.model == MessageModel::kPipe) {
      return Refuse(
          "--lock none: a pipe merges writes, which needs a lock; use "
          "transport socketpair or futex with --fds 1, or another lock");
    }
    if (options_.fds == 1) return absl::OkStatus();
    return Refuse(
        "--lock none keeps one sender and one receiver apart, not {} senders; "
        "add --fds 1 or take another lock",
        options_.fds);
  }

  const RunOptions& options_;
  const TransportEntry& transport_;
  UserParts parts_;
};

}  // namespace

std::span<const RefcountEntry> RefcountTable() {
  static const std::vector<RefcountEntry> kTable = [] {
    std::vector<RefcountEntry> rows;
    ForEachRefcount(
        [&](const auto& row) { rows.push_back(MakeRefcountEntry(row)); });
    return rows;
  }();
  return kTable;
}

std::span<const PreemptEntry> PreemptTable() { return kPreempts; }

const alloc::AllocatorEntry* ResolveAllocator(std::string_view name) {
  for (const AllocatorFamily& family : kFamilies) {
    if (family.name != name) continue;
    for (const std::string_view member : family.members) {
      const alloc::AllocatorEntry* const entry = alloc::FindAllocator(member);
      if (entry->why_not().empty()) return entry;
    }
    return alloc::FindAllocator(family.members.back());
  }
  return alloc::FindAllocator(name);
}

bool WantsUserPlane(const RunOptions& options) {
  if (!options.plane.empty()) return options.plane == "user";
  return options.names_part();
}

absl::StatusOr<UserParts> ChooseParts(const RunOptions& options,
                                      const TransportEntry& transport) {
  return Chooser(options, transport).Choose();
}

std::string SpinWarning(const UserParts& parts, uint64_t tasks) {
  const int cpus = UsableCpus();
  if (tasks <= static_cast<uint64_t>(cpus)) return {};
  std::string names;
  const auto add = [&names](std::string_view option, std::string_view name) {
    names.append(
        fmt::format("{}--{} {}", names.empty() ? "" : ", ", option, name));
  };
  const bool is_pipe = parts.model == MessageModel::kPipe;
  if (parts.lock->traits.pure_spin) add("lock", parts.lock->name);
  if (!is_pipe && parts.rwlock->traits.pure_spin) {
    add("rwlock", parts.rwlock->name);
  }
  if (!is_pipe && !parts.refcount->adaptive) {
    add("refcount", parts.refcount->name);
  }
  if (names.empty()) return {};
  return fmt::format(
      "{}: pure spin oversubscribed ({} tasks on {} CPUs): expected to "
      "collapse",
      names, tasks, cpus);
}

std::string MessageAllocName(const UserParts& parts) {
  switch (parts.message_alloc) {
    case MessageAlloc::kSkb:
      return "skb";
    case MessageAlloc::kFixed:
      return fmt::format("fixed:{}", parts.fixed_bytes);
    case MessageAlloc::kPage:
      return "page";
    case MessageAlloc::kNone:
      break;
  }
  return "none";
}

}  // namespace hackbench
