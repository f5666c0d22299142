// SPDX-License-Identifier: MIT
// `hackbench compare`: arms of one result, or results with each other, in any
// layout.
#include <absl/status/status.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>

#include "hackbench/command_list.h"
#include "hackbench/result_command.h"
#include "hackbench/suggest.h"
#include "results/analysis.h"
#include "results/layout_list.h"

namespace hackbench {
namespace {

using results::ComparisonRow;
using results::Report;
using results::Store;
using results::Verdict;

constexpr int kExitRegression = 1;
constexpr int kExitUndecided = 3;
constexpr std::string_view kUsage =
    "usage: hackbench compare [REF] [OPTION]...           arms of one result\n"
    "       hackbench compare BASE..NEW [MORE]...         between results\n"
    "       hackbench compare LABEL=REF LABEL=REF...\n"
    "\n"
    "REF is last, last~2, @tag, the start of an id, or FILE.db:REF\n";

constexpr std::array kSpecs = {
    OptionSpec{"layout", "NAME",
               "how it is printed (native; sweep for sweeps)"},
    OptionSpec{"list-layouts", "", "the layouts"},
    OptionSpec{"metric", "NAMES", "metrics by commas, or all (the gated one)"},
    OptionSpec{"alpha", "SHARE", "level of the tests (0.05)"},
    OptionSpec{"confidence", "SHARE", "of the intervals (95%)"},
    OptionSpec{"adjust", "HOW", "holm, bh or none (holm; bh for sweeps)"},
    OptionSpec{"margin", "SHARE", "changes below it do not matter (as stored)"},
    OptionSpec{"changed", "", "leave out rows without a finding"},
    OptionSpec{"explain", "", "the method of each row in plain words"},
    OptionSpec{"fail-on", "WHAT",
               "regression (exit 1), undecided (exit 3) or env (exit 1 when "
               "confounded), by commas"},
    kDbOption,
    kHelpOption,
};

std::string ListLayouts() {
  std::string text;
  for (const results::LayoutEntry& entry : results::kLayoutList) {
    text += fmt::format("{:<14}{}\n", entry.name, entry.summary);
  }
  return text;
}

std::vector<std::string> SplitByCommas(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

absl::StatusOr<const results::LayoutEntry*> ChooseLayout(
    const std::string& name) {
  std::vector<std::string_view> names;
  for (const results::LayoutEntry& entry : results::kLayoutList) {
    if (entry.name == name) return &entry;
    names.push_back(entry.name);
  }
  return absl::InvalidArgumentError(
      fmt::format("unknown --layout '{}'{}; choices: hackbench compare "
                  "--list-layouts",
                  name, DidYouMean(name, names)));
}

absl::StatusOr<results::AnalysisOptions> ReadOptions(
    const SimpleOptions& options) {
  results::AnalysisOptions analysis;
  if (options.Has("metric")) {
    analysis.metrics = SplitByCommas(options.Get("metric"));
  }
  struct Share {
    const char* name;
    double* to;
  };
  double margin = 0;
  for (const Share& share :
       {Share{"alpha", &analysis.alpha},
        Share{"confidence", &analysis.confidence}, Share{"margin", &margin}}) {
    if (!options.Has(share.name)) continue;
    const absl::StatusOr<double> value =
        ParseShare(share.name, options.Get(share.name));
    if (!value.ok()) return value.status();
    *share.to = *value;
  }
  if (options.Has("margin")) analysis.margin = margin;
  const std::string adjust = options.Get("adjust");
  if (adjust == "holm") analysis.adjust = results::Adjust::kHolm;
  if (adjust == "bh") analysis.adjust = results::Adjust::kBenjaminiHochberg;
  if (adjust == "none") analysis.adjust = results::Adjust::kNone;
  if (!adjust.empty() && !analysis.adjust) {
    return absl::InvalidArgumentError(
        fmt::format("unknown --adjust '{}'; choices: holm, bh, none", adjust));
  }
  return analysis;
}

struct FailOn {
  bool regression = false;
  bool undecided = false;
  bool environment = false;
};

absl::StatusOr<FailOn> ReadFailOn(const SimpleOptions& options) {
  FailOn fail_on;
  if (!options.Has("fail-on")) return fail_on;
  for (const std::string& what : SplitByCommas(options.Get("fail-on"))) {
    if (what == "regression") {
      fail_on.regression = true;
    } else if (what == "undecided") {
      fail_on.undecided = true;
    } else if (what == "env") {
      fail_on.environment = true;
    } else {
      return absl::InvalidArgumentError(fmt::format(
          "unknown --fail-on '{}'; choices: regression, undecided, env", what));
    }
  }
  return fail_on;
}

int CodeOf(const Report& report, const FailOn& fail_on) {
  bool undecided = false;
  for (const ComparisonRow& row : report.rows) {
    const bool slower = row.result.verdict == Verdict::kSlower;
    if (fail_on.regression && slower) return kExitRegression;
    if (fail_on.environment && !row.confounded.empty()) return kExitRegression;
    undecided |= row.result.verdict == Verdict::kUndecided;
  }
  return fail_on.undecided && undecided ? kExitUndecided : 0;
}

// The stores that references name, opened once each.
class References {
 public:
  explicit References(std::string path) : default_path_(std::move(path)) {}

  absl::StatusOr<results::Side> Resolve(std::string text) {
    results::Side side{};
    const size_t equals = text.find('=');
    if (equals != std::string::npos && equals > 0) {
      side.label = text.substr(0, equals);
      text = text.substr(equals + 1);
    } else {
      side.label = text;
    }
    std::string path = default_path_;
    const size_t colon = text.rfind(".db:");
    if (colon != std::string::npos) {
      path = text.substr(0, colon + 3);
      text = text.substr(colon + 4);
    } else if (text.ends_with(".db")) {
      path = text;
      text = "last";
    }
    const absl::StatusOr<Store*> store = Open(path);
    if (!store.ok()) return store.status();
    const absl::StatusOr<std::string> exp_id = (*store)->Resolve(text);
    if (!exp_id.ok()) return exp_id.status();
    side.store = *store;
    side.exp_id = *exp_id;
    return side;
  }

 private:
  absl::StatusOr<Store*> Open(const std::string& path) {
    for (auto& [known, store] : stores_) {
      if (known == path) return &store;
    }
    absl::StatusOr<Store> store = OpenResults(path, Store::Access::kRead);
    if (!store.ok()) return store.status();
    return &stores_.emplace_back(path, *std::move(store)).second;
  }

  std::string default_path_;
  // Addresses stay where they are.
  std::deque<std::pair<std::string, Store>> stores_;
};

// "BASE..NEW" is two; a path may hold ".." as a directory.
std::vector<std::string> SplitReferences(
    const std::vector<std::string>& operands) {
  std::vector<std::string> references;
  for (const std::string& operand : operands) {
    const size_t dots = operand.find("..");
    const bool path =
        dots != std::string::npos &&
        (operand.find("../") == dots || operand.find("..db") == dots);
    if (dots == std::string::npos || path) {
      references.push_back(operand);
    } else {
      references.push_back(operand.substr(0, dots));
      references.push_back(operand.substr(dots + 2));
    }
  }
  return references;
}

absl::StatusOr<Report> Analyse(const SimpleOptions& options,
                               References& references, bool& is_sweep) {
  const auto analysis = ReadOptions(options);
  if (!analysis.ok()) return analysis.status();
  std::vector<std::string> words = SplitReferences(options.operands());
  if (words.empty()) words = {"last"};
  std::vector<results::Side> sides;
  for (const std::string& word : words) {
    absl::StatusOr<results::Side> side = references.Resolve(word);
    if (!side.ok()) return side.status();
    sides.push_back(*std::move(side));
  }
  if (sides.size() > 1) return results::AnalyseSides(sides, *analysis);
  const auto experiment = sides[0].store->Experiment(sides[0].exp_id);
  is_sweep = experiment.ok() && experiment->kind == "sweep";
  return results::AnalyseExperiment(*sides[0].store, sides[0].exp_id,
                                    *analysis);
}

void HideUnchanged(Report& report) {
  const size_t before = report.rows.size();
  std::erase_if(report.rows, [](const ComparisonRow& row) {
    return row.result.verdict == Verdict::kSame ||
           (row.result.verdict == Verdict::kUndecided && !row.result.real);
  });
  report.hidden = before - report.rows.size();
}

}  // namespace

int CompareCommand(Words words) {
  const absl::StatusOr<SimpleOptions> options =
      ParseSimpleOptions("compare", kSpecs, words);
  if (!options.ok()) return FailCommand(options.status());
  if (options->Has("help")) return PrintAnswer(SimpleHelp(kUsage, kSpecs));
  if (options->Has("list-layouts")) return PrintAnswer(ListLayouts());
  const absl::StatusOr<FailOn> fail_on = ReadFailOn(*options);
  if (!fail_on.ok()) return FailCommand(fail_on.status());
  if (options->Has("layout")) {
    const auto layout = ChooseLayout(options->Get("layout"));
    if (!layout.ok()) return FailCommand(layout.status());
  }
  References references(DatabasePath(*options));
  bool is_sweep = false;
  absl::StatusOr<Report> report = Analyse(*options, references, is_sweep);
  if (!report.ok()) return FailCommand(report.status());
  // Of all rows, also of those that are not shown.
  const int code = CodeOf(*report, *fail_on);
  if (options->Has("changed")) HideUnchanged(*report);
  const auto layout =
      ChooseLayout(options->Get("layout", is_sweep ? "sweep" : "native"));
  if (!layout.ok()) return FailCommand(layout.status());
  absl::StatusOr<std::string> text = (*layout)->format(*report);
  if (text.ok() && options->Has("explain")) {
    for (const ComparisonRow& row : report->rows) {
      *text += "\n" + results::Explain(row, *report);
    }
  }
  const int printed = PrintAnswer(text);
  return printed != 0 ? printed : code;
}

}  // namespace hackbench
