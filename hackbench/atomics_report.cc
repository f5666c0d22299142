// SPDX-License-Identifier: MIT
#include "hackbench/atomics_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "atomics/atomic_list.h"

namespace hackbench {
namespace {

using atomics::Cell;
using atomics::Cpu;
using atomics::VariantEntry;

constexpr std::array<std::string_view, kNumColumns> kColumnNames = {
    "latency", "throughput", "latency_behind_store", "throughput_behind_store",
    "two_cpus"};
constexpr std::array<std::string_view, kNumColumns> kColumnHeads = {
    "latency", "throughput", "behind: lat", "behind: thr", "two CPUs"};

std::string CellText(const AtomicsTable& table, const AtomicsRow& row,
                     Column column) {
  const Cell& cell = row.cells[column];
  if (cell.empty()) return "-";
  const double figure = Figure(table, row, column);
  if (IsNoise(table, row, column)) return "noise";
  return fmt::format("{:.1f} ±{:.1f}", figure, cell.Spread() / 2);
}

std::string NsText(const AtomicsTable& table, const AtomicsRow& row) {
  const Cell& cell = row.cells[kLatency];
  if (cell.empty() || IsNoise(table, row, kLatency)) return "-";
  const double ns = cell.Ns() - table.overhead.cells[kLatency].Ns();
  return fmt::format("{:.2f}", std::max(0.0, ns));
}

std::string Header(const AtomicsTable& table) {
  std::string text = fmt::format(
      "{} per operation ({}), median ± half the distance of the quartiles, "
      "n={} of {} operations, CPU {}\n",
      Cpu::kCycleUnit, Cpu::kCycleSource, table.repetitions,
      atomics::kOpsPerSample, table.cpus.front());
  text += fmt::format(
      "a loop of nothing takes {:.2f} (latency) and {:.2f} (throughput); both "
      "are subtracted in those columns\n",
      table.overhead.cells[kLatency].Cycles(),
      table.overhead.cells[kThroughput].Cycles());
  text += fmt::format(
      "behind: with a store that misses the caches before each; the store "
      "alone "
      "is the row `none`\n'noise': quartiles further apart than {:.0f} % of "
      "the "
      "figure and {} cycles\n",
      Cell::kSpreadBound * 100, Cell::kSpreadFloor);
  if constexpr (Cpu::kChainAdds != 0) {
    text +=
        fmt::format("a core cycle is {:.2f} {} here, by a chain of additions\n",
                    table.core_cycle.Cycles(), Cpu::kCycleUnit);
  }
  text += "this_cpu: " + atomics::DescribeThisCpu() + "\n";
  return text;
}

bool RoundTripIsNoise(const AtomicsTable& table) {
  return table.round_trip.IsNoise(table.round_trip.Cycles(),
                                  Cell::kMemorySpreadBound);
}

std::string Yardstick(const AtomicsTable& table) {
  if (table.round_trip.empty()) {
    return "two CPUs: not measured, this process may use one CPU only\n";
  }
  return fmt::format(
      "two CPUs: {} and {} on one target at once, seen by the first; a cache "
      "line goes there and back in {:.0f} ±{:.0f} {} ({:.0f} ns){}\n",
      table.cpus[0], table.cpus[1], table.round_trip.Cycles(),
      table.round_trip.Spread() / 2, Cpu::kCycleUnit, table.round_trip.Ns(),
      RoundTripIsNoise(table) ? ": noise" : "");
}

// A figure of the named row, if it was measured and is none of noise.
std::optional<double> Find(const AtomicsTable& table, std::string_view name,
                           Column column) {
  for (const AtomicsRow& row : table.rows) {
    if (row.variant->name != name || row.cells[column].empty()) continue;
    const double figure = Figure(table, row, column);
    if (!IsNoise(table, row, column) && figure > 0) return figure;
  }
  return std::nullopt;
}

struct Published {
  std::string_view what;
  std::string_view ours;
  double cycles;
};
// x86, Dec 2010, core cycles: published/x86_this_cpu_xchg_2010.tsv.
constexpr double kPublishedXchg = 18;
constexpr std::array<Published, 3> kPublished = {{
    {"__this_cpu_xchg", "__this_cpu_xchg", 1},
    {"this_cpu_xchg by xchg", "this_cpu_xchg-xchg", 37},
    {"this_cpu_xchg by cmpxchg without LOCK", "this_cpu_xchg-cmpxchg", 11},
}};

std::string AgainstPublished(const AtomicsTable& table) {
  const auto xchg = Find(table, "xchg", kLatency);
  if (!xchg) return {};
  std::string text = "against the table of 2010, as parts of xchg:\n";
  for (const Published& row : kPublished) {
    const auto measured = Find(table, row.ours, kLatency);
    if (!measured) continue;
    const double then = row.cycles / kPublishedXchg;
    const double now = *measured / *xchg;
    const bool same_side = (then < 1) == (now < 1);
    text += fmt::format(
        "  {}: published {:.2f}, here {:.2f}{}\n", row.what, then, now,
        same_side ? ""
                  : "; the direction is not the same: the slot's "
                    "address is computed here, a segment "
                    "prefix then");
  }
  return text;
}

// One sentence per claim, and only where the figures of this run carry it.
std::string WhyDifferent(const AtomicsTable& table) {
  std::string text;
  const auto locked = Find(table, "cmpxchg", kLatency);
  const auto local = Find(table, "cmpxchg-local", kLatency);
  if (locked && local) {
    const double ratio = *locked / *local;
    text +=
        ratio < 1.15
            ? fmt::format(
                  "LOCK costs nothing in an isolated loop here ({:.2f} "
                  "times): with no store outstanding it has nothing to wait "
                  "for.\n",
                  ratio)
            : fmt::format(
                  "LOCK makes an isolated cmpxchg {:.1f} times as "
                  "dear here.\n",
                  ratio);
  }
  const auto far_locked = Find(table, "cmpxchg", kThroughputBehindStore);
  const auto far_local = Find(table, "cmpxchg-local", kThroughputBehindStore);
  if (far_locked && far_local) {
    text += fmt::format("Behind a missing store it is {:.1f} times: {}.\n",
                        *far_locked / *far_local,
                        *far_locked > 1.15 * *far_local
                            ? "a locked operation waits until the store is done"
                            : "the store itself hides it");
  }
  const auto xchg = Find(table, "xchg", kLatency);
  const auto rseq = Find(table, "this_cpu_xchg-rseq", kLatency);
  if (xchg && rseq) {
    text += fmt::format("this_cpu_xchg by rseq is {:.2f} of xchg.\n",
                        *rseq / *xchg);
  }
  return text;
}

void AppendRow(std::string& text, const AtomicsTable& table,
               const AtomicsRow& row) {
  text += fmt::format("{:<33}", row.variant->name);
  if (!row.why_not.empty()) {
    text += "  " + row.why_not + "\n";
    return;
  }
  text += fmt::format("{:>8}", NsText(table, row));
  for (int column = 0; column < kNumColumns; ++column) {
    // The sign takes two bytes and one place; fmt counts places.
    text += fmt::format("{:>14}",
                        CellText(table, row, static_cast<Column>(column)));
  }
  text += "\n";
}

std::string Text(const AtomicsTable& table) {
  std::string text = Header(table) + Yardstick(table) + "\n";
  text += fmt::format("{:<33}{:>8}", "variant", "lat ns");
  for (const std::string_view head : kColumnHeads) {
    text += fmt::format("{:>14}", head);
  }
  text += "\n";
  AppendRow(text, table, table.overhead);
  for (const AtomicsRow& row : table.rows) AppendRow(text, table, row);
  return text + "\n" + AgainstPublished(table) + WhyDifferent(table);
}

std::string Markdown(const AtomicsTable& table) {
  std::string text = "| variant |";
  std::string rule = "|---|";
  for (const std::string_view head : kColumnHeads) {
    text += fmt::format(" {} |", head);
    rule += "---:|";
  }
  text += "\n" + rule + "\n";
  for (const AtomicsRow& row : table.rows) {
    text += fmt::format("| {} |", row.variant->name);
    for (int column = 0; column < kNumColumns; ++column) {
      text += fmt::format(" {} |",
                          CellText(table, row, static_cast<Column>(column)));
    }
    text += "\n";
  }
  return text + "\n" + Header(table) + Yardstick(table) +
         AgainstPublished(table) + WhyDifferent(table);
}

std::string Csv(const AtomicsTable& table) {
  std::string text = "op,variant,column,unit,figure,median,spread,ns,n,noise\n";
  for (const AtomicsRow& row : table.rows) {
    for (int i = 0; i < kNumColumns; ++i) {
      const auto column = static_cast<Column>(i);
      const Cell& cell = row.cells[column];
      if (cell.empty()) continue;
      const double figure = Figure(table, row, column);
      text +=
          fmt::format("{},{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{},{}\n",
                      row.variant->op, row.variant->name, kColumnNames[column],
                      Cpu::kCycleUnit, figure, cell.Cycles(), cell.Spread(),
                      cell.Ns(), cell.size(), IsNoise(table, row, column));
    }
  }
  return text;
}

nlohmann::json JsonCell(const Cell& cell, double figure, bool noise) {
  return {{"figure", figure},        {"median", cell.Cycles()},
          {"spread", cell.Spread()}, {"ns", cell.Ns()},
          {"n", cell.size()},        {"noise", noise}};
}

nlohmann::json JsonRow(const AtomicsTable& table, const AtomicsRow& row) {
  nlohmann::json json = {{"op", row.variant->op},
                         {"variant", row.variant->name}};
  if (!row.why_not.empty()) json["why_not"] = row.why_not;
  for (int i = 0; i < kNumColumns; ++i) {
    const auto column = static_cast<Column>(i);
    if (row.cells[column].empty()) continue;
    json[std::string(kColumnNames[column])] =
        JsonCell(row.cells[column], Figure(table, row, column),
                 IsNoise(table, row, column));
  }
  return json;
}

std::string Json(const AtomicsTable& table) {
  nlohmann::json json = {
      {"cpu", Cpu::kName},
      {"unit", Cpu::kCycleUnit},
      {"counter", Cpu::kCycleSource},
      {"this_cpu", atomics::DescribeThisCpu()},
      {"cpus", table.cpus},
      {"ops_per_sample", atomics::kOpsPerSample},
      {"overhead", JsonRow(table, table.overhead)},
      {"counter_cycles_per_core_cycle", table.core_cycle.Cycles()}};
  if (!table.round_trip.empty()) {
    json["round_trip"] = JsonCell(table.round_trip, table.round_trip.Cycles(),
                                  RoundTripIsNoise(table));
  }
  for (const AtomicsRow& row : table.rows) {
    json["rows"].push_back(JsonRow(table, row));
  }
  return json.dump(2) + "\n";
}

}  // namespace

std::string FormatAtomicsTable(const AtomicsTable& table, TableFormat format) {
  switch (format) {
    case TableFormat::kJson:
      return Json(table);
    case TableFormat::kCsv:
      return Csv(table);
    case TableFormat::kMarkdown:
      return Markdown(table);
    case TableFormat::kText:
      break;
  }
  return Text(table);
}

std::string FormatAtomicsList(const CpuFacts& facts) {
  std::string text = fmt::format(
      "CPU: {}\n  counter: {} ({}), {:.4f} GHz ({})\n"
      "  relax: {}, {:.1f} {}{}\n  cache line: {} bytes\n"
      "  core cycles by perf_event: {}\n  this_cpu: {}\n",
      Cpu::kName, Cpu::kCycleSource, Cpu::kCycleUnit, facts.counter_hz / 1e9,
      facts.counter_hz_is_stated ? "stated by the CPU"
                                 : "calibrated against CLOCK_MONOTONIC",
      Cpu::kRelaxInstruction, facts.relax.Cycles(), Cpu::kCycleUnit,
      facts.relax.IsNoise(facts.relax.Cycles(), Cell::kSpreadBound) ? " (noise)"
                                                                    : "",
      Cpu::kCacheLineBytes,
      facts.why_no_core_cycles.empty() ? "yes"
                                       : "no: " + facts.why_no_core_cycles,
      atomics::DescribeThisCpu());
  for (const atomics::Feature& feature : Cpu::Features()) {
    text += fmt::format("  {}: {} ({})\n", feature.name,
                        feature.present ? "yes" : "no", feature.note);
  }
  text +=
      "\nvariants (locked: excludes other CPUs; shared: two CPUs may use one "
      "target):\n";
  for (const VariantEntry& entry : atomics::kAtomicList) {
    const std::string why_not = entry.why_not();
    text += fmt::format("  {:<16}{:<34}{:<7}{:<7}{}{}\n", entry.op, entry.name,
                        entry.traits.locked ? "locked" : "",
                        entry.traits.shared ? "shared" : "", entry.summary,
                        why_not.empty() ? "" : "; not here: " + why_not);
  }
  return text;
}

}  // namespace hackbench
