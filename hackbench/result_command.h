// SPDX-License-Identifier: MIT
// What the commands that read stored results have in common.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "hackbench/experiment_options.h"
#include "hackbench/log.h"
#include "hackbench/simple_options.h"
#include "hackbench/stdio.h"
#include "results/store.h"

namespace hackbench {

inline constexpr OptionSpec kDbOption = {"db", "FILE", "the results file"};
inline constexpr OptionSpec kHelpOption = {"help", "", "this text"};

inline int FailCommand(const absl::Status& status) {
  LogError(std::string(status.message()));
  return 2;
}

inline int PrintAnswer(const absl::StatusOr<std::string>& text) {
  if (!text.ok()) return FailCommand(text.status());
  const absl::Status written = WriteStdout(*text);
  return written.ok() ? 0 : FailCommand(written);
}

inline absl::StatusOr<results::Store> OpenResults(
    const std::string& path, results::Store::Access access) {
  absl::StatusOr<results::Store> store = results::Store::Open(path, access);
  if (store.ok()) {
    for (const std::string& warning : store->warnings()) LogWarning(warning);
  }
  return store;
}

// Parses, answers --help, opens the store, prints what `answer` returns.
inline int RunResultCommand(
    std::string_view command, std::string_view usage,
    std::span<const OptionSpec> specs, std::span<const std::string_view> words,
    results::Store::Access access,
    const std::function<absl::StatusOr<std::string>(const SimpleOptions&,
                                                    results::Store&)>& answer) {
  const absl::StatusOr<SimpleOptions> options =
      ParseSimpleOptions(command, specs, words);
  if (!options.ok()) return FailCommand(options.status());
  if (options->Has("help")) return PrintAnswer(SimpleHelp(usage, specs));
  absl::StatusOr<results::Store> store =
      OpenResults(DatabasePath(*options), access);
  if (!store.ok()) return FailCommand(store.status());
  return PrintAnswer(answer(*options, *store));
}

// Exactly one operand, or `otherwise` for none.
inline absl::StatusOr<std::string> OneOperand(const SimpleOptions& options,
                                              std::string_view otherwise) {
  if (options.operands().size() > 1) {
    return absl::InvalidArgumentError("one result at a time, not '" +
                                      options.operands()[1] + "' as well");
  }
  if (options.operands().empty()) return std::string(otherwise);
  return options.operands()[0];
}

}  // namespace hackbench
