// SPDX-License-Identifier: MIT
// `hackbench env`: what results depend on here, with where it was read or why
// it is unknown.
#include <fmt/format.h>

#include <array>

#include "hackbench/command_list.h"
#include "hackbench/result_command.h"
#include "results/environment.h"
#include "results/text.h"

namespace hackbench {
namespace {

using results::Environment;
using results::Store;

constexpr std::array kSpecs = {
    OptionSpec{"check", "", "what makes figures doubtful; exit 1 on errors"},
    OptionSpec{"diff", "REF", "what differs from the environment of a result"},
    OptionSpec{"json", "", "as one JSON object"},
    OptionSpec{"redact", "", "without what names the machine"},
    OptionSpec{"root", "DIR", "read the files below DIR"},
    kDbOption,
    kHelpOption,
};

std::string TableOf(const Environment& environment) {
  std::vector<std::vector<std::string>> lines;
  for (const results::EnvironmentField& field : environment.fields()) {
    if (field.value) {
      lines.push_back(
          {field.name, *field.value, fmt::format("({})", field.source)});
    } else {
      lines.push_back({field.name, fmt::format("unknown ({})", field.source)});
    }
  }
  // Flags and command lines are long; a column as wide as they are helps none.
  std::string text;
  for (const auto& line : lines) {
    text += fmt::format("{:<36} {}", line[0], line[1]);
    if (line.size() > 2) text += "  " + line[2];
    text += "\n";
  }
  return text;
}

int CheckEnvironment(const Environment& environment) {
  std::string text;
  bool errors = false;
  for (const results::EnvironmentFinding& finding :
       results::Check(environment)) {
    const bool error = finding.severity == results::Severity::kError;
    errors |= error;
    text += fmt::format("{}: {}\n", error ? "error" : "warning", finding.text);
    if (!finding.fix.empty()) text += fmt::format("  fix: {}\n", finding.fix);
  }
  if (text.empty()) text = "nothing to complain about\n";
  const int printed = PrintAnswer(text);
  return printed != 0 ? printed : errors ? 1 : 0;
}

absl::StatusOr<std::string> DiffText(const std::string& path,
                                     const std::string& reference,
                                     const Environment& now) {
  absl::StatusOr<Store> store = OpenResults(path, Store::Access::kRead);
  if (!store.ok()) return store.status();
  const auto exp_id = store->Resolve(reference);
  if (!exp_id.ok()) return exp_id.status();
  const auto runs = store->Runs(*exp_id);
  if (!runs.ok()) return runs.status();
  if (runs->empty()) return absl::NotFoundError("nothing has run there yet");
  const auto then = store->LoadEnvironment(runs->front().env_id);
  if (!then.ok()) return then.status();
  std::string text;
  for (const results::EnvironmentDifference& difference :
       results::Diff(*then, now)) {
    text += fmt::format("{}\n  {}: {}\n  now: {}\n", difference.name, reference,
                        difference.a, difference.b);
  }
  return text.empty() ? "no difference\n" : text;
}

}  // namespace

int EnvCommand(Words words) {
  const absl::StatusOr<SimpleOptions> options =
      ParseSimpleOptions("env", kSpecs, words);
  if (!options.ok()) return FailCommand(options.status());
  if (options->Has("help")) {
    return PrintAnswer(
        SimpleHelp("usage: hackbench env [OPTION]...\n", kSpecs));
  }
  if (!options->operands().empty()) {
    return FailCommand(absl::InvalidArgumentError("env takes no operand"));
  }
  Environment environment = Environment::Read(options->Get("root"));
  if (options->Has("redact")) environment = environment.Redacted();
  if (options->Has("check")) return CheckEnvironment(environment);
  if (options->Has("diff")) {
    return PrintAnswer(
        DiffText(DatabasePath(*options), options->Get("diff"), environment));
  }
  if (options->Has("json")) return PrintAnswer(environment.ToJson() + "\n");
  return PrintAnswer(TableOf(environment));
}

}  // namespace hackbench
