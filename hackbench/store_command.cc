// SPDX-License-Identifier: MIT
// `hackbench tag`, `gc`, `merge`, `export` and `import`: the results file
// itself.
#include <absl/status/status.h>
#include <absl/time/clock.h>
#include <absl/time/time.h>
#include <fmt/format.h>

#include <array>
#include <fstream>

#include "hackbench/command_list.h"
#include "hackbench/result_command.h"
#include "results/transfer.h"

namespace hackbench {
namespace {

using results::Store;
using results::TransferCounts;

std::string CountsText(const TransferCounts& counts) {
  return fmt::format("{} rows added, {} there already\n", counts.added,
                     counts.present);
}

absl::StatusOr<std::string> Tag(const SimpleOptions& options, Store& store) {
  if (options.operands().size() != 2) {
    return absl::InvalidArgumentError("write hackbench tag NAME REF");
  }
  std::string name = options.operands()[0];
  if (name.starts_with('@')) name.erase(0, 1);
  if (name.empty() || name.find_first_of("@=~: \t\n") != std::string::npos ||
      name.find("..") != std::string::npos) {
    return absl::InvalidArgumentError(fmt::format(
        "'{}' is no name for a tag: no blanks, '@', '=', '~', ':' or '..'",
        name));
  }
  const auto exp_id = store.Resolve(options.operands()[1]);
  if (!exp_id.ok()) return exp_id.status();
  absl::Status status = store.AddTag(name, *exp_id);
  if (!status.ok()) return status;
  return fmt::format("@{} is {}\n", name, *exp_id);
}

// Experiments without a tag that are older than --older-than.
absl::StatusOr<std::string> CollectGarbage(const SimpleOptions& options,
                                           Store& store) {
  if (!options.Has("older-than") && options.operands().empty()) {
    return absl::InvalidArgumentError(
        "name results, or give --older-than; tagged ones stay");
  }
  std::vector<std::string> doomed;
  for (const std::string& reference : options.operands()) {
    const auto exp_id = store.Resolve(reference);
    if (!exp_id.ok()) return exp_id.status();
    doomed.push_back(*exp_id);
  }
  if (options.Has("older-than")) {
    const absl::StatusOr<int64_t> age =
        ParseDurationNs("older-than", options.Get("older-than"));
    if (!age.ok()) return age.status();
    const auto rows = store.List();
    if (!rows.ok()) return rows.status();
    for (const results::ExperimentRow& row : *rows) {
      if (row.tag.empty() && row.when_ns < results::WallClockNs() - *age) {
        doomed.push_back(row.experiment.id);
      }
    }
  }
  std::string text;
  for (const std::string& exp_id : doomed) {
    if (!options.Has("dry-run")) {
      absl::Status status = results::Remove(store, exp_id);
      if (!status.ok()) return status;
    }
    text += fmt::format("{} {}\n",
                        options.Has("dry-run") ? "would go:" : "gone:", exp_id);
  }
  if (doomed.empty()) text = "nothing to remove\n";
  if (!doomed.empty() && !options.Has("dry-run")) {
    absl::Status status = store.database().Run("VACUUM");
    if (!status.ok()) return status;
  }
  return text;
}

absl::StatusOr<std::string> Export(const SimpleOptions& options, Store& store) {
  const auto reference = OneOperand(options, "last");
  if (!reference.ok()) return reference.status();
  std::string exp_id;
  if (*reference != "all") {
    const auto resolved = store.Resolve(*reference);
    if (!resolved.ok()) return resolved.status();
    exp_id = *resolved;
  }
  const std::string path = options.Get("output");
  if (path.empty()) {
    absl::Status status = results::ExportJsonLines(
        store, exp_id, [](std::string_view line) { return WriteStdout(line); });
    if (!status.ok()) return status;
    return "";
  }
  std::ofstream out(path, std::ios::trunc | std::ios::binary);
  absl::Status status =
      results::ExportJsonLines(store, exp_id, [&](std::string_view line) {
        out << line;
        return out.good()
                   ? absl::OkStatus()
                   : absl::UnavailableError(path + ": cannot be written");
      });
  out.close();
  if (status.ok() && out.fail()) {
    status = absl::UnavailableError(path + ": cannot be written");
  }
  if (!status.ok()) return status;
  return "";
}

absl::StatusOr<std::string> Import(const SimpleOptions& options, Store& store) {
  if (options.operands().size() != 1) {
    return absl::InvalidArgumentError("write hackbench import FILE");
  }
  std::ifstream in(options.operands()[0], std::ios::binary);
  if (!in) {
    return absl::NotFoundError(options.operands()[0] + ": cannot be read");
  }
  const absl::StatusOr<TransferCounts> counts =
      results::ImportJsonLines(store, in);
  if (!counts.ok()) return counts.status();
  return CountsText(*counts);
}

constexpr std::array kPlainSpecs = {kDbOption, kHelpOption};
constexpr std::array kGcSpecs = {
    OptionSpec{"older-than", "TIME", "results without a tag older than that"},
    OptionSpec{"dry-run", "", "say what would go"},
    kDbOption,
    kHelpOption,
};
constexpr std::array kExportSpecs = {
    OptionSpec{"output", "FILE", "instead of stdout"},
    kDbOption,
    kHelpOption,
};

}  // namespace

int TagCommand(Words words) {
  return RunResultCommand("tag", "usage: hackbench tag NAME REF\n", kPlainSpecs,
                          words, Store::Access::kWrite, Tag);
}

int GcCommand(Words words) {
  return RunResultCommand("gc", "usage: hackbench gc [REF]... [OPTION]...\n",
                          kGcSpecs, words, Store::Access::kWrite,
                          CollectGarbage);
}

int MergeCommand(Words words) {
  const absl::StatusOr<SimpleOptions> options =
      ParseSimpleOptions("merge", std::array{kHelpOption}, words);
  constexpr std::string_view kUsage =
      "usage: hackbench merge OUT.db IN.db...\n";
  if (!options.ok()) return FailCommand(options.status());
  if (options->Has("help")) {
    return PrintAnswer(SimpleHelp(kUsage, std::array{kHelpOption}));
  }
  if (options->operands().size() < 2) {
    return FailCommand(
        absl::InvalidArgumentError("write hackbench merge OUT.db IN.db..."));
  }
  absl::StatusOr<Store> store =
      OpenResults(options->operands()[0], Store::Access::kWrite);
  if (!store.ok()) return FailCommand(store.status());
  std::string text;
  for (size_t i = 1; i < options->operands().size(); ++i) {
    const std::string& from = options->operands()[i];
    const absl::StatusOr<TransferCounts> counts = results::Merge(*store, from);
    if (!counts.ok()) return FailCommand(counts.status());
    text += fmt::format("{}: {}", from, CountsText(*counts));
  }
  return PrintAnswer(text);
}

int ExportCommand(Words words) {
  return RunResultCommand(
      "export",
      "usage: hackbench export [REF|all] [OPTION]...\n\nJSON lines that import "
      "reads back without a loss\n",
      kExportSpecs, words, Store::Access::kRead, Export);
}

int ImportCommand(Words words) {
  return RunResultCommand("import", "usage: hackbench import FILE\n",
                          kPlainSpecs, words, Store::Access::kWrite, Import);
}

}  // namespace hackbench
