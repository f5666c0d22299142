// SPDX-License-Identifier: MIT
#include "hackbench/kmalloc_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "atomics/current_cpu.h"
#include "atomics/rseq_registration.h"

namespace hackbench {
namespace {

using atomics::Cpu;

// Rows are compared with rows that differ in nothing but the allocator.
bool IsOfOneTable(const KmallocRow& a, const KmallocRow& b) {
  return a.test.test == b.test.test && a.form == b.form && a.touch == b.touch;
}
bool IsComparable(const KmallocRow& a, const KmallocRow& b) {
  return IsOfOneTable(a, b) && a.bytes == b.bytes;
}

const KmallocRow* FastestPeer(const KmallocTable& table,
                              const KmallocRow& row) {
  const KmallocRow* fastest = nullptr;
  for (const KmallocRow& other : table.rows) {
    if (!other.is_peer || other.refused || !IsComparable(row, other)) continue;
    if (fastest == nullptr || other.total.Min() < fastest->total.Min()) {
      fastest = &other;
    }
  }
  return fastest;
}

std::string RseqPathText() { return atomics::kRseqRegistration.reason; }

std::string Header(const KmallocTable& table) {
  const KmallocOptions& options = table.options;
  std::string text = fmt::format(
      "kmalloc: {} per call ({}), minimum of n={} interleaved rounds of {} "
      "calls, quartiles in brackets, CPU {}\n",
      Cpu::kCycleUnit, Cpu::kCycleSource, options.rounds, options.count,
      table.cpus.front());
  text += fmt::format(
      "cpu id: {}; rseq: {}; warm: each loop runs once before it is timed\n",
      atomics::CpuIdSource(), RseqPathText());
  if (!table.arena.empty()) {
    text += fmt::format("arena: {}, at most {} MiB for each engine\n",
                        table.arena, options.arena.max_bytes >> 20);
  }
  for (const std::string& note : table.notes) text += note + "\n";
  return text;
}

std::string TableHead(const KmallocRow& row) {
  return fmt::format(
      "\n{} ({}), {}, objects {}\n", row.test.name, row.test.summary,
      row.form == alloc::Form::kInline ? "engines inline, peers called"
                                       : "all behind a call",
      row.touch ? "touched" : "untouched");
}

std::string Quartiles(const KmallocSeries& series) {
  return fmt::format("[{:.1f} {:.1f} {:.1f}]", series.Quantile(0.25),
                     series.Quantile(0.5), series.Quantile(0.75));
}

// As test-slub and slab_test print it.
std::string Line(const KmallocTable& table, const KmallocRow& row) {
  const uint32_t count = table.options.count;
  if (row.refused) {
    return fmt::format(
        "{} times kmalloc({}): refused, the arena is too small; give more "
        "--arena-max\n",
        count, row.bytes);
  }
  std::string line;
  if (row.alloc.empty()) {
    line = fmt::format("{} times kmalloc({})/kfree -> {:.1f} cycles {}", count,
                       row.bytes, row.total.Min(), Quartiles(row.total));
  } else {
    line = fmt::format(
        "{} times kmalloc({}) -> {:.1f} cycles {} kfree -> {:.1f} cycles {}",
        count, row.bytes, row.alloc.Min(), Quartiles(row.alloc), row.free.Min(),
        Quartiles(row.free));
  }
  const KmallocRow* const peer = FastestPeer(table, row);
  if (peer != nullptr && peer != &row && peer->total.Min() > 0) {
    line += fmt::format("  {:.2f} of {}", row.total.Min() / peer->total.Min(),
                        peer->name);
  }
  return line + "\n";
}

const KmallocRow* FindRow(const KmallocTable& table, std::string_view name,
                          const KmallocRow& like) {
  for (const KmallocRow& row : table.rows) {
    if (row.name == name && !row.refused && IsComparable(row, like)) {
      return &row;
    }
  }
  return nullptr;
}

// Oct 2007, 8 bytes, cmpxchg_local over base: slub_cmpxchg_local_2007.tsv.
struct Published {
  std::string_view machine;
  double alloc;
  double free;
  double pair;
};
constexpr std::array<Published, 3> kPublished = {{
    {"Pentium 4", 83.0 / 201, 363.0 / 351, 112.0 / 322},
    {"Athlon 64", 55.0 / 79, 90.0 / 92, 81.0 / 124},
    {"AMD64", 63.0 / 74, 126.0 / 113, 96.0 / 116},
}};

std::string PublishedText(double Published::*ratio) {
  std::string text;
  for (const Published& row : kPublished) {
    text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", row.machine,
                        row.*ratio);
  }
  return text;
}

// The shape of 2007, where both sides were measured.
std::string Shape2007(const KmallocTable& table) {
  std::string text;
  for (const KmallocRow& row : table.rows) {
    if (row.name != "cmpxchg-local-rseq8" || row.bytes != 8 || row.refused ||
        row.touch) {
      continue;
    }
    for (const char* base : {"base-popf", "base-flag"}) {
      const KmallocRow* const other = FindRow(table, base, row);
      if (other == nullptr) continue;
      const std::string against =
          fmt::format("cmpxchg_local against {} at 8 bytes, {}", base,
                      alloc::FormName(row.form));
      if (row.test.test == KmallocTest::kPair) {
        text += fmt::format("{}: pair {:.2f} (2007: {})\n", against,
                            row.total.Min() / other->total.Min(),
                            PublishedText(&Published::pair));
      } else if (row.test.test == KmallocTest::kAllocThenFree) {
        text += fmt::format(
            "{}: kmalloc {:.2f} (2007: {}), kfree {:.2f} (2007: {})\n", against,
            row.alloc.Min() / other->alloc.Min(),
            PublishedText(&Published::alloc),
            row.free.Min() / other->free.Min(),
            PublishedText(&Published::free));
      }
    }
  }
  return text.empty() ? text : "\n" + text;
}

std::string Text(const KmallocTable& table) {
  std::string text = Header(table);
  // Rows come size by size; a reader wants them table by table and name by
  // name.
  std::vector<bool> done(table.rows.size());
  for (size_t i = 0; i < table.rows.size(); ++i) {
    if (done[i]) continue;
    const KmallocRow& first = table.rows[i];
    text += TableHead(first);
    for (size_t j = i; j < table.rows.size(); ++j) {
      const KmallocRow& named = table.rows[j];
      if (done[j] || !IsOfOneTable(first, named)) continue;
      text += fmt::format(
          "{}{}\n", named.name,
          named.is_peer ? " (peer)"
                        : fmt::format(" (irq model {})", named.irq_model));
      for (size_t k = j; k < table.rows.size(); ++k) {
        const KmallocRow& row = table.rows[k];
        if (done[k] || row.name != named.name || !IsOfOneTable(first, row)) {
          continue;
        }
        text += Line(table, row);
        done[k] = true;
      }
    }
  }
  return text + Shape2007(table);
}

std::optional<double> RatioToPeer(const KmallocTable& table,
                                  const KmallocRow& row) {
  const KmallocRow* const peer = FastestPeer(table, row);
  if (peer == nullptr || peer->total.Min() <= 0) return std::nullopt;
  return row.total.Min() / peer->total.Min();
}

std::string Csv(const KmallocTable& table) {
  std::string text =
      "test,engine,peer,irq_model,form,touched,bytes,part,unit,n,min,q1,median,"
      "q3,ratio_to_fastest_peer\n";
  for (const KmallocRow& row : table.rows) {
    for (const auto& [part, series] :
         {std::pair{"kmalloc", &row.alloc}, std::pair{"kfree", &row.free},
          std::pair{"both", &row.total}}) {
      if (series->empty() || row.refused) continue;
      const auto ratio = RatioToPeer(table, row);
      text += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{}\n",
          row.test.name, row.name, row.is_peer, row.irq_model,
          alloc::FormName(row.form), row.touch, row.bytes, part,
          Cpu::kCycleUnit, series->size(), series->Min(),
          series->Quantile(0.25), series->Quantile(0.5), series->Quantile(0.75),
          ratio && series == &row.total ? fmt::format("{:.4f}", *ratio) : "");
    }
  }
  return text;
}

nlohmann::json JsonSeries(const KmallocSeries& series) {
  return {{"n", series.size()},
          {"min", series.Min()},
          {"q1", series.Quantile(0.25)},
          {"median", series.Quantile(0.5)},
          {"q3", series.Quantile(0.75)}};
}

std::string Json(const KmallocTable& table) {
  nlohmann::json json = {{"cpu", Cpu::kName},
                         {"unit", Cpu::kCycleUnit},
                         {"counter", Cpu::kCycleSource},
                         {"cpu_id", atomics::CpuIdSource()},
                         {"rseq", RseqPathText()},
                         {"warm", true},
                         {"arena", table.arena},
                         {"arena_max_bytes", table.options.arena.max_bytes},
                         {"count", table.options.count},
                         {"rounds", table.options.rounds},
                         {"cpus", table.cpus},
                         {"notes", table.notes},
                         {"rows", nlohmann::json::array()}};
  for (const KmallocRow& row : table.rows) {
    nlohmann::json out = {{"test", row.test.name},
                          {"engine", row.name},
                          {"peer", row.is_peer},
                          {"irq_model", row.irq_model},
                          {"form", alloc::FormName(row.form)},
                          {"touched", row.touch},
                          {"bytes", row.bytes}};
    if (row.refused) {
      out["refused"] = true;
    } else {
      if (!row.alloc.empty()) out["kmalloc"] = JsonSeries(row.alloc);
      if (!row.free.empty()) out["kfree"] = JsonSeries(row.free);
      out["both"] = JsonSeries(row.total);
      if (const auto ratio = RatioToPeer(table, row)) {
        out["ratio_to_fastest_peer"] = *ratio;
        out["fastest_peer"] = FastestPeer(table, row)->name;
      }
    }
    json["rows"].push_back(std::move(out));
  }
  return json.dump(2) + "\n";
}

}  // namespace

std::string FormatKmallocTable(const KmallocTable& table) {
  switch (table.options.format) {
    case KmallocFormat::kJson:
      return Json(table);
    case KmallocFormat::kCsv:
      return Csv(table);
    case KmallocFormat::kText:
      break;
  }
  return Text(table);
}

}  // namespace hackbench
