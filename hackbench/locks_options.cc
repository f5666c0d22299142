// SPDX-License-Identifier: MIT
#include "hackbench/locks_options.h"

#include <absl/status/status.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <sstream>

#include "hackbench/lock_words.h"

namespace hackbench {
namespace {

namespace po = boost::program_options;

constexpr std::array<std::pair<std::string_view, LockMode>, 4> kModes = {{
    {"uncontended", LockMode::kUncontended},
    {"contended", LockMode::kContended},
    {"oversubscribed", LockMode::kOversubscribed},
    {"rw", LockMode::kReadWrite},
}};
constexpr int64_t kMaxTasks = 16000;
constexpr int64_t kMaxRepetitions = 10000;
constexpr int64_t kMaxMessages = 1'000'000'000;
constexpr int64_t kMaxSeconds = 86400;

po::options_description Description() {
  po::options_description description("hackbench locks [OPTION]...");
  const auto text = [] { return po::value<std::string>(); };
  auto add = description.add_options();
  add("lock", text(), "only these locks, by commas (all but busted)");
  add("mode", text(),
      "uncontended, contended, oversubscribed, rw, by commas (uncontended, "
      "contended)");
  add("tasks", text(), "oversubscribed: numbers of tasks (40,400,4000)");
  add("workers", text(), "oversubscribed: thread, process or both (both)");
  add("messages", text(), "oversubscribed: in all, per run (400000)");
  add("deadline", text(), "seconds for one run of it (10)");
  add("repetitions", text(), "rounds over all locks (5)");
  add("spin", text(), "ns that adaptive locks spin for, 0 is legal (2400)");
  add("yields", text(), "how often they yield before they sleep (2)");
  add("torture", text(), "seconds per lock of random holds, checked");
  add("seed", text(), "of the torture (1)");
  add("json", "machine-readable");
  add("list", "every lock and what it is");
  add("help", "this text");
  return description;
}

// Where the option was given, its number into `to`.
template <class T>
absl::Status Count(const po::variables_map& map, const char* name,
                   int64_t least, int64_t most, T& to) {
  if (map.count(name) == 0) return absl::OkStatus();
  const absl::StatusOr<int64_t> count = ReadCount(
      fmt::format("--{}", name), map[name].as<std::string>(), least, most);
  if (!count.ok()) return count.status();
  to = static_cast<T>(*count);
  return absl::OkStatus();
}

absl::Status ChooseLocks(const po::variables_map& map, LocksOptions& options) {
  if (map.count("lock") == 0) {
    for (const LockEntry& entry : LockTable()) {
      if (entry.name != "busted") options.locks.push_back(&entry);
    }
    return absl::OkStatus();
  }
  const std::string text = map["lock"].as<std::string>();
  const std::vector<std::string_view> names = SplitByCommas(text);
  for (const std::string_view name : names) {
    const absl::Status status =
        CheckName("lock", name, LockNames(), "hackbench locks --list");
    if (!status.ok()) return status;
  }
  for (const LockEntry& entry : LockTable()) {
    if (std::find(names.begin(), names.end(), entry.name) != names.end()) {
      options.locks.push_back(&entry);
    }
  }
  return absl::OkStatus();
}

absl::Status ChooseModes(const po::variables_map& map, LocksOptions& options) {
  if (map.count("mode") == 0) {
    options.modes = {LockMode::kUncontended, LockMode::kContended};
    return absl::OkStatus();
  }
  std::vector<std::string_view> known;
  for (const auto& [name, mode] : kModes) known.push_back(name);
  const std::string text = map["mode"].as<std::string>();
  const std::vector<std::string_view> names = SplitByCommas(text);
  for (const std::string_view name : names) {
    const absl::Status status = CheckName(
        "--mode", name, known, "uncontended, contended, oversubscribed, rw");
    if (!status.ok()) return status;
  }
  for (const auto& [name, mode] : kModes) {
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      options.modes.push_back(mode);
    }
  }
  return absl::OkStatus();
}

absl::Status ChooseTasks(const po::variables_map& map, LocksOptions& options) {
  if (map.count("tasks") != 0) {
    options.tasks.clear();
    const std::string text = map["tasks"].as<std::string>();
    for (const std::string_view part : SplitByCommas(text)) {
      const absl::StatusOr<int64_t> tasks =
          ReadCount("--tasks", part, kGroupTasks, kMaxTasks);
      if (!tasks.ok()) return tasks.status();
      if (*tasks % kGroupTasks != 0) {
        return absl::InvalidArgumentError(fmt::format(
            "--tasks {} is no whole number of groups; give a multiple of {}",
            *tasks, kGroupTasks));
      }
      options.tasks.push_back(static_cast<uint32_t>(*tasks));
    }
  }
  if (map.count("workers") == 0) return absl::OkStatus();
  const std::string workers = map["workers"].as<std::string>();
  options.threads = workers != "process";
  options.processes = workers != "thread";
  return CheckName("--workers", workers, {"thread", "process", "both"},
                   "thread, process, both");
}

absl::StatusOr<LocksOptions> FromMap(const po::variables_map& map) {
  LocksOptions options;
  options.list = map.count("list") != 0;
  options.help = map.count("help") != 0;
  options.json = map.count("json") != 0;
  absl::Status status = ChooseLocks(map, options);
  if (status.ok()) status = ChooseModes(map, options);
  if (status.ok()) status = ChooseTasks(map, options);
  if (status.ok()) {
    status = Count(map, "messages", 400, kMaxMessages, options.messages);
  }
  if (status.ok()) {
    status = Count(map, "repetitions", 1, kMaxRepetitions, options.repetitions);
  }
  int64_t deadline_s = options.deadline_ns / 1'000'000'000;
  if (status.ok()) status = Count(map, "deadline", 1, kMaxSeconds, deadline_s);
  options.deadline_ns = deadline_s * 1'000'000'000;
  if (status.ok()) {
    status = Count(map, "torture", 1, kMaxSeconds, options.torture_seconds);
  }
  if (status.ok()) {
    status = Count(map, "seed", 0, INT64_MAX, options.seed);
  }
  if (status.ok()) {
    status = Count(map, "spin", 0, 1'000'000'000, options.spin_ns);
  }
  if (status.ok()) {
    status = Count(map, "yields", 0, 1'000'000, options.yields);
  }
  if (!status.ok()) return status;
  return options;
}

}  // namespace

absl::StatusOr<LocksOptions> ParseLocksOptions(
    std::span<const std::string_view> words) {
  const std::vector<std::string> copies(words.begin(), words.end());
  try {
    const po::options_description description = Description();
    po::variables_map map;
    // An empty positional description: without it stray words are dropped.
    po::store(po::command_line_parser(copies)
                  .options(description)
                  .positional(po::positional_options_description())
                  .style(po::command_line_style::allow_long |
                         po::command_line_style::long_allow_adjacent |
                         po::command_line_style::long_allow_next)
                  .run(),
              map);
    return FromMap(map);
  } catch (const po::error& error) {
    return absl::InvalidArgumentError(fmt::format(
        "locks: {}; hackbench locks --help shows the options", error.what()));
  }
}

std::string LocksHelp() {
  std::ostringstream text;
  text << Description();
  return text.str();
}

}  // namespace hackbench
