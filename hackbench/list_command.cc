// SPDX-License-Identifier: MIT
// `hackbench list`: what is stored, newest first.
#include <absl/time/clock.h>
#include <absl/time/time.h>
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "hackbench/command_list.h"
#include "hackbench/result_command.h"
#include "results/text.h"

namespace hackbench {
namespace {

using results::ExperimentRow;

constexpr std::array kSpecs = {
    OptionSpec{"kind", "KIND", "only ab, aa, sweep or import"},
    OptionSpec{"tag", "NAME", "only what has this tag"},
    OptionSpec{"json", "", "one JSON object per line"},
    kDbOption,
    kHelpOption,
};

std::string WhenText(int64_t ns) {
  if (ns == 0) return "-";
  return absl::FormatTime("%Y-%m-%d %H:%M", absl::FromUnixNanos(ns),
                          absl::LocalTimeZone());
}

std::string StateText(const ExperimentRow& row) {
  return row.finished && row.pending <= 0 ? "complete"
         : row.finished                   ? "complete, some failed"
                        : fmt::format("resume: {} slots left", row.pending);
}

// As many characters as tell the ids apart, six at the least.
size_t ShortIdLength(const std::vector<ExperimentRow>& rows) {
  constexpr size_t kShortest = 10;
  std::vector<std::string> ids;
  for (const ExperimentRow& row : rows) ids.push_back(row.experiment.id);
  std::sort(ids.begin(), ids.end());
  size_t length = kShortest;
  for (size_t i = 1; i < ids.size(); ++i) {
    size_t common = 0;
    while (common < ids[i].size() && common < ids[i - 1].size() &&
           ids[i][common] == ids[i - 1][common]) {
      ++common;
    }
    length = std::max(length, common + 1);
  }
  return length;
}

std::string TextTable(const std::vector<ExperimentRow>& rows) {
  const size_t length = ShortIdLength(rows);
  std::vector<std::vector<std::string>> lines = {
      {"ID", "WHEN", "KIND", "TAG", "HOST", "KERNEL", "ARMS", "RUNS(ok/fail)",
       "STATE", "RESULT"}};
  for (const ExperimentRow& row : rows) {
    lines.push_back({row.experiment.id.substr(0, length), WhenText(row.when_ns),
                     row.experiment.kind,
                     row.tag.empty() ? "-" : fmt::format("@{}", row.tag),
                     row.host, row.kernel, fmt::format("{}", row.arms),
                     fmt::format("{}/{}", row.ok, row.failed), StateText(row),
                     row.summary});
  }
  return results::Columns(lines, lines[0].size());
}

std::string JsonLines(const std::vector<ExperimentRow>& rows) {
  std::string text;
  for (const ExperimentRow& row : rows) {
    const nlohmann::ordered_json json = {{"id", row.experiment.id},
                                         {"created_ns", row.when_ns},
                                         {"kind", row.experiment.kind},
                                         {"tag", row.tag},
                                         {"host", row.host},
                                         {"kernel", row.kernel},
                                         {"arms", row.arms},
                                         {"ok", row.ok},
                                         {"failed", row.failed},
                                         {"pending", row.pending},
                                         {"finished", row.finished},
                                         {"summary", row.summary},
                                         {"note", row.experiment.note}};
    text +=
        json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
        "\n";
  }
  return text;
}

}  // namespace

int ListCommand(Words words) {
  return RunResultCommand(
      "list", "usage: hackbench list [OPTION]...\n", kSpecs, words,
      results::Store::Access::kRead,
      [](const SimpleOptions& options,
         results::Store& store) -> absl::StatusOr<std::string> {
        if (!options.operands().empty()) {
          return absl::InvalidArgumentError(
              "list takes no operand; hackbench show REF shows one result");
        }
        const auto rows = store.List(options.Get("kind"), options.Get("tag"));
        if (!rows.ok()) return rows.status();
        return options.Has("json") ? JsonLines(*rows) : TextTable(*rows);
      });
}

}  // namespace hackbench
