// SPDX-License-Identifier: MIT
#include "hackbench/locks_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace hackbench {
namespace {

constexpr std::string_view kYardstick = "pthread-mutex";

template <class Row>
const Row* FindRow(const std::vector<Row>& rows, std::string_view name) {
  for (const Row& row : rows) {
    if (row.lock->name == name) return &row;
  }
  return nullptr;
}

std::string Ratio(double figure, double base) {
  return base > 0 ? fmt::format("{:.2f}", figure / base) : std::string("-");
}

std::string EventsText(const sync::LockEvents& events) {
  std::string text;
  for (size_t i = 0; i < sync::kNumLockEvents; ++i) {
    if (events.counts[i] == 0) continue;
    text += fmt::format(" {} {}", sync::kLockEventNames[i], events.counts[i]);
  }
  return text;
}

std::string UncontendedText(const std::vector<UncontendedRow>& rows) {
  if (rows.empty()) return {};
  const UncontendedRow* base = FindRow(rows, kYardstick);
  const double base_ns = base == nullptr ? 0 : base->tight_ns.Median();
  std::string text = fmt::format(
      "uncontended, one pinned task, ns per lock and unlock, median ± half the "
      "distance of the quartiles, n={}\nspaced: what it adds to a loop with "
      "about 50 ns of other work between\n{:<18}{:>16}{:>16}{:>16}\n",
      rows.front().tight_ns.size(), "lock", "tight", "spaced",
      "/pthread-mutex");
  for (const UncontendedRow& row : rows) {
    text += fmt::format("{:<18}{:>10.2f} ±{:<4.2f}{:>10.2f} ±{:<4.2f}{:>15}\n",
                        row.lock->name, row.tight_ns.Median(),
                        row.tight_ns.HalfSpread(), row.spaced_ns.Median(),
                        row.spaced_ns.HalfSpread(),
                        Ratio(row.tight_ns.Median(), base_ns));
  }
  return text + "\n";
}

std::string ContendedText(const ContendedTable& table, std::string_view what) {
  if (table.rows.empty()) return {};
  const ContendedRow* base = FindRow(table.rows, kYardstick);
  const double base_ns = base == nullptr ? 0 : base->ns.Median();
  const double trip_ns = table.round_trip_ns.Median();
  std::string text = fmt::format(
      "{}, two tasks pinned to CPUs {} and {}, ns per acquisition of either, "
      "n={}; a cache line goes there and back in {:.0f} ±{:.0f} ns\n"
      "longest wait, bypasses: from a pass of its own\n"
      "{:<18}{:>15}{:>8}{:>10}{:>7}{:>14}{:>10}  events of one task\n",
      what, table.cpus[0], table.cpus[1], table.rows.front().ns.size(), trip_ns,
      table.round_trip_ns.HalfSpread(), "lock", "ns", "/trip", "/pthread",
      "Jain", "longest us", "bypasses");
  for (const ContendedRow& row : table.rows) {
    text += fmt::format(
        "{:<18}{:>9.1f} ±{:<4.1f}{:>8}{:>10}{:>7.3f}{:>14.1f}{:>10} {}\n",
        row.lock->name, row.ns.Median(), row.ns.HalfSpread(),
        Ratio(row.ns.Median(), trip_ns), Ratio(row.ns.Median(), base_ns),
        row.jain.Median(), static_cast<double>(row.longest_wait_ns) / 1e3,
        row.most_bypasses, EventsText(row.events));
  }
  return text + "\n";
}

const LadderRow* BaseOf(const std::vector<LadderRow>& rows,
                        const LadderRow& row) {
  for (const LadderRow& other : rows) {
    if (other.lock->name == kYardstick && other.tasks == row.tasks &&
        other.processes == row.processes) {
      return &other;
    }
  }
  return nullptr;
}

std::string LadderText(const std::vector<LadderRow>& rows,
                       const LocksOptions& options) {
  if (rows.empty()) return {};
  std::string text = fmt::format(
      "oversubscribed, {} messages through queues of 64 slots, wall seconds of "
      "complete runs, median and min; deadline {} s\n"
      "{:<18}{:>6} {:<8}{:>8}{:>9}{:>9}{:>10}{:>8}{:>10}  events\n",
      options.messages, options.deadline_ns / 1'000'000'000, "lock", "tasks",
      "as", "complete", "median", "min", "/pthread", "CPU s", "switches");
  for (const LadderRow& row : rows) {
    const LadderRow* base = BaseOf(rows, row);
    const bool has = !row.wall_s.empty();
    text += fmt::format(
        "{:<18}{:>6} {:<8}{:>4}/{:<3}{:>9}{:>9}{:>10}{:>8}{:>10} {}",
        row.lock->name, row.tasks, row.processes ? "process" : "thread",
        row.completed, row.runs,
        has ? fmt::format("{:.3f}", row.wall_s.Median()) : "-",
        has ? fmt::format("{:.3f}", row.wall_s.Min()) : "-",
        has && base != nullptr
            ? Ratio(row.wall_s.Median(), base->wall_s.Median())
            : "-",
        has ? fmt::format("{:.2f}", row.cpu_s.Median()) : "-",
        has ? fmt::format("{:.0f}", row.switches.Median()) : "-",
        EventsText(row.events));
    if (row.completed != row.runs) {
      text += fmt::format("; {:.0f} % of the messages at worst, {}",
                          100 * row.worst_share_done, row.trouble);
    }
    if (row.wrong != 0) text += fmt::format("; {} WRONG MESSAGES", row.wrong);
    text += "\n";
  }
  return text;
}

nlohmann::json JsonOf(const Samples& samples) {
  return {{"median", samples.Median()},
          {"min", samples.Min()},
          {"half_quartile_distance", samples.HalfSpread()},
          {"n", samples.size()}};
}

nlohmann::json JsonOf(const sync::LockEvents& events) {
  nlohmann::json json = nlohmann::json::object();
  for (size_t i = 0; i < sync::kNumLockEvents; ++i) {
    json[std::string(sync::kLockEventNames[i])] = events.counts[i];
  }
  return json;
}

nlohmann::json JsonOf(const ContendedTable& table) {
  nlohmann::json json = {{"round_trip_ns", JsonOf(table.round_trip_ns)},
                         {"cpus", table.cpus}};
  for (const ContendedRow& row : table.rows) {
    json["rows"].push_back({{"lock", row.lock->name},
                            {"ns", JsonOf(row.ns)},
                            {"jain", JsonOf(row.jain)},
                            {"longest_wait_ns", row.longest_wait_ns},
                            {"most_bypasses", row.most_bypasses},
                            {"events", JsonOf(row.events)}});
  }
  return json;
}

std::string Json(const LocksReport& report, const LocksOptions& options) {
  nlohmann::json json = {{"spin_ns", options.spin_ns},
                         {"yields", options.yields},
                         {"relax_ns", sync::RelaxNs()}};
  for (const UncontendedRow& row : report.uncontended) {
    json["uncontended"].push_back({{"lock", row.lock->name},
                                   {"tight_ns", JsonOf(row.tight_ns)},
                                   {"spaced_ns", JsonOf(row.spaced_ns)}});
  }
  if (!report.contended.rows.empty()) {
    json["contended"] = JsonOf(report.contended);
  }
  if (!report.shared.rows.empty()) json["rw"] = JsonOf(report.shared);
  for (const LadderRow& row : report.ladder) {
    json["oversubscribed"].push_back(
        {{"lock", row.lock->name},
         {"tasks", row.tasks},
         {"workers", row.processes ? "process" : "thread"},
         {"runs", row.runs},
         {"completed", row.completed},
         {"wall_s", JsonOf(row.wall_s)},
         {"cpu_s", JsonOf(row.cpu_s)},
         {"switches", JsonOf(row.switches)},
         {"worst_share_done", row.worst_share_done},
         {"wrong", row.wrong},
         {"trouble", row.trouble},
         {"events", JsonOf(row.events)}});
  }
  return json.dump(2) + "\n";
}

}  // namespace

std::string FormatLocks(const LocksReport& report,
                        const LocksOptions& options) {
  if (options.json) return Json(report, options);
  return fmt::format(
             "cpu_relax and a look: {:.1f} ns; adaptive locks spin for "
             "{} ns and yield {} times\n\n",
             sync::RelaxNs(), options.spin_ns, options.yields) +
         UncontendedText(report.uncontended) +
         ContendedText(report.contended, "contended") +
         ContendedText(report.shared, "rw, one write in 16") +
         LadderText(report.ladder, options);
}

std::string FormatLockList() {
  std::string text;
  for (const LockEntry& entry : LockTable()) {
    text += fmt::format("{:<18}{:>4} bytes  {:<46}{}\n", entry.name,
                        entry.bytes, DescribeTraits(entry), entry.summary);
  }
  return text;
}

}  // namespace hackbench
