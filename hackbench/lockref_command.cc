// SPDX-License-Identifier: MIT
// `hackbench lockref`: what the count and its lock in one word gain, in a
// directory cache of ours.
#include <absl/status/status.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "hackbench/command_list.h"
#include "hackbench/lock_words.h"
#include "hackbench/lockref_run.h"
#include "hackbench/locks_run.h"
#include "hackbench/log.h"
#include "hackbench/refcount_list.h"
#include "hackbench/stdio.h"

namespace hackbench {
namespace {

namespace po = boost::program_options;

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

po::options_description Description() {
  po::options_description description("hackbench lockref [OPTION]...");
  const auto text = [] { return po::value<std::string>(); };
  auto add = description.add_options();
  add("count", text(), "only these ways to count, by commas");
  add("tasks", text(), "numbers of tasks (1,2,16)");
  add("walk", text(), "empty, realistic or both (both)");
  add("walk-ns", text(), "how long a realistic walk takes, about (250)");
  add("workers", text(), "thread or process (thread)");
  add("sample-ms", text(), "one sample (20)");
  add("repetitions", text(), "samples, in turn over all (31)");
  add("json", "machine-readable, with every sample");
  add("list", "every way to count");
  add("help", "this text");
  return description;
}

std::vector<std::string_view> CountNames() {
  std::vector<std::string_view> names;
  ForEachRefcount([&](const auto& count) { names.push_back(count.name); });
  return names;
}

absl::Status ChooseCounts(const std::string& text, LockrefOptions& options) {
  for (const std::string_view name : SplitByCommas(text)) {
    const absl::Status status =
        CheckName("--count", name, CountNames(), "hackbench lockref --list");
    if (!status.ok()) return status;
    options.counts.emplace_back(name);
  }
  return absl::OkStatus();
}

absl::Status ChooseTasks(const std::string& text, LockrefOptions& options) {
  options.tasks.clear();
  for (const std::string_view part : SplitByCommas(text)) {
    const absl::StatusOr<int64_t> tasks = ReadCount("--tasks", part, 1, 1024);
    if (!tasks.ok()) return tasks.status();
    options.tasks.push_back(static_cast<uint32_t>(*tasks));
  }
  return absl::OkStatus();
}

absl::StatusOr<LockrefOptions> FromMap(const po::variables_map& map) {
  LockrefOptions options;
  options.list = map.count("list") != 0;
  options.help = map.count("help") != 0;
  options.json = map.count("json") != 0;
  const auto given = [&](const char* name) { return map.count(name) != 0; };
  const auto text = [&](const char* name) {
    return map[name].as<std::string>();
  };
  absl::Status status;
  if (given("count")) status = ChooseCounts(text("count"), options);
  if (status.ok() && given("tasks")) {
    status = ChooseTasks(text("tasks"), options);
  }
  if (status.ok() && given("walk")) {
    options.empty_walk = text("walk") != "realistic";
    options.realistic_walk = text("walk") != "empty";
    status = CheckName("--walk", text("walk"), {"empty", "realistic", "both"},
                       "empty, realistic, both");
  }
  if (status.ok() && given("workers")) {
    options.processes = text("workers") == "process";
    status = CheckName("--workers", text("workers"), {"thread", "process"},
                       "thread, process");
  }
  const auto count = [&](const char* name, int64_t least, int64_t most,
                         auto& to) {
    if (!status.ok() || !given(name)) return;
    const absl::StatusOr<int64_t> value =
        ReadCount(fmt::format("--{}", name), text(name), least, most);
    status = value.status();
    if (value.ok()) to = static_cast<std::decay_t<decltype(to)>>(*value);
  };
  count("walk-ns", 0, 1'000'000, options.walk_ns);
  count("sample-ms", 1, 60'000, options.sample_ms);
  count("repetitions", 1, 10'000, options.repetitions);
  if (!status.ok()) return status;
  return options;
}

absl::StatusOr<LockrefOptions> Parse(Words words) {
  const std::vector<std::string> copies(words.begin(), words.end());
  try {
    const po::options_description description = Description();
    po::variables_map map;
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
    return absl::InvalidArgumentError(
        fmt::format("lockref: {}; hackbench lockref --help shows the options",
                    error.what()));
  }
}

const RefcountRow* FindRow(const RefcountTable& table, std::string_view name) {
  for (const RefcountRow& row : table.rows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

Samples MillionLoops(const RefcountRow& row) {
  Samples samples;
  for (const double loops : row.loops_per_s) samples.Add(loops / 1e6);
  return samples;
}

// The lock with the most loops that works with any number of tasks.
const RefcountRow* BestAdaptiveLock(const RefcountTable& table) {
  const RefcountRow* best = nullptr;
  for (const RefcountRow& row : table.rows) {
    if (!row.adaptive || !row.name.ends_with("-locked")) continue;
    if (best == nullptr ||
        MillionLoops(row).Median() > MillionLoops(*best).Median()) {
      best = &row;
    }
  }
  return best;
}

std::string RatioText(const RefcountRow& row, const RefcountRow* other) {
  if (other == nullptr || other == &row) return "";
  const PairedRatio ratio = CompareRounds(row.loops_per_s, other->loops_per_s);
  return fmt::format("  {:.2f} [{:.2f}, {:.2f}] x {}", ratio.median, ratio.low,
                     ratio.high, other->name);
}

std::string TableText(const RefcountTable& table) {
  if (table.rows.empty()) return {};
  std::string text = fmt::format(
      "{} walk, {} task{}{}; million loops per second of all, median ± half "
      "the distance of the quartiles, n={}; ratios: median of the rounds, 95 % "
      "interval\n",
      table.realistic ? "realistic" : "empty", table.tasks,
      table.tasks == 1 ? "" : "s", table.pinned ? ", pinned" : "",
      table.rows.front().loops_per_s.size());
  if (!table.pinned) {
    text += "  (those that only spin are left out: more tasks than CPUs)\n";
  }
  const RefcountRow* none = FindRow(table, "none");
  const RefcountRow* best = BestAdaptiveLock(table);
  for (const RefcountRow& row : table.rows) {
    const Samples samples = MillionLoops(row);
    text += fmt::format("  {:<20}{:>9.3f} ±{:<7.3f}", row.name,
                        samples.Median(), samples.HalfSpread());
    // One task alone: what of its time the count takes.
    if (none != nullptr && &row != none && table.tasks == 1) {
      text += fmt::format(
          "{:>4.0f} % of it counting",
          100 - 100 * samples.Median() / MillionLoops(*none).Median());
    }
    if (!row.twin.empty()) {
      text += RatioText(row, FindRow(table, row.twin));
      text += RatioText(row, best);
    }
    text += "\n";
  }
  return text + "\n";
}

std::string Text(const std::vector<RefcountTable>& tables) {
  std::string text;
  for (const RefcountTable& table : tables) text += TableText(table);
  return text;
}

std::string Json(const std::vector<RefcountTable>& tables) {
  nlohmann::json json = nlohmann::json::array();
  for (const RefcountTable& table : tables) {
    nlohmann::json rows = nlohmann::json::array();
    for (const RefcountRow& row : table.rows) {
      rows.push_back({{"count", row.name},
                      {"twin", row.twin},
                      {"loops_per_s", row.loops_per_s}});
    }
    json.push_back({{"walk", table.realistic ? "realistic" : "empty"},
                    {"tasks", table.tasks},
                    {"pinned", table.pinned},
                    {"rows", rows}});
  }
  return json.dump(2) + "\n";
}

std::string ListText() {
  std::string text;
  ForEachRefcount([&](const auto& count) {
    text += fmt::format("{:<20}{}{}\n", count.name, count.summary,
                        count.adaptive ? "" : " (spins)");
  });
  return text;
}

std::string HelpText() {
  std::ostringstream text;
  text << Description();
  return text.str();
}

int Fail(const absl::Status& status, int code) {
  LogError(std::string(status.message()));
  return code;
}

int Print(const std::string& text) {
  const absl::Status written = WriteStdout(text);
  return written.ok() ? 0 : Fail(written, kExitFailed);
}

}  // namespace

int LockrefCommand(Words words) {
  const absl::StatusOr<LockrefOptions> options = Parse(words);
  if (!options.ok()) return Fail(options.status(), kExitUsage);
  if (options->help) return Print(HelpText());
  if (options->list) return Print(ListText());
  const auto tables = MeasureLockref(*options);
  if (!tables.ok()) return Fail(tables.status(), kExitFailed);
  return Print(options->json ? Json(*tables) : Text(*tables));
}

}  // namespace hackbench
