// SPDX-License-Identifier: MIT
#include "hackbench/atomics_options.h"

#include <absl/status/status.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/program_options.hpp>
#include <sstream>

#include "atomics/atomic_list.h"
#include "atomics/pin.h"
#include "hackbench/number.h"
#include "hackbench/suggest.h"

namespace hackbench {
namespace {

namespace po = boost::program_options;
using atomics::kAtomicList;
using atomics::VariantEntry;
using Names = std::vector<std::string_view>;

constexpr std::array<std::pair<std::string_view, TableFormat>, 4> kFormats = {{
    {"text", TableFormat::kText},
    {"json", TableFormat::kJson},
    {"csv", TableFormat::kCsv},
    {"md", TableFormat::kMarkdown},
}};
constexpr int64_t kMaxRepetitions = 10000;

po::options_description Description() {
  po::options_description description("hackbench atomics [OPTION]...");
  auto add = description.add_options();
  add("op", po::value<std::string>(), "only these operations, by commas");
  add("variant", po::value<std::string>(), "only these variants, by commas");
  add("format", po::value<std::string>(), "text, json, csv or md");
  add("repetitions", po::value<std::string>(), "samples per figure (31)");
  add("cpus", po::value<std::string>(),
      "one or two CPUs as in 0,1: the one that measures, and the other one of "
      "'two CPUs' (the first two allowed)");
  add("list", "CPU facts and every variant, with what it needs");
  add("help", "this text");
  return description;
}

bool IsZeroPoint(const VariantEntry& entry) { return entry.op == "none"; }

Names NamesOf(std::string_view VariantEntry::*field) {
  Names names;
  for (const VariantEntry& entry : kAtomicList) {
    if (IsZeroPoint(entry)) continue;
    if (std::find(names.begin(), names.end(), entry.*field) == names.end()) {
      names.push_back(entry.*field);
    }
  }
  return names;
}

Names SplitByCommas(std::string_view text) {
  Names parts;
  for (;;) {
    const size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

absl::Status CheckNames(const Names& asked, const Names& known,
                        std::string_view what) {
  for (const std::string_view name : asked) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return absl::InvalidArgumentError(
        fmt::format("unknown {} '{}'{}; choices: hackbench atomics --list",
                    what, name, DidYouMean(name, known)));
  }
  return absl::OkStatus();
}

bool Contains(const Names& names, std::string_view name) {
  return names.empty() ||
         std::find(names.begin(), names.end(), name) != names.end();
}

absl::Status ChooseVariants(const po::variables_map& map,
                            AtomicsOptions& options) {
  Names ops;
  Names variants;
  if (map.count("op") != 0) {
    ops = SplitByCommas(map["op"].as<std::string>());
  }
  if (map.count("variant") != 0) {
    variants = SplitByCommas(map["variant"].as<std::string>());
  }
  absl::Status status = CheckNames(ops, NamesOf(&VariantEntry::op), "--op");
  if (!status.ok()) return status;
  status = CheckNames(variants, NamesOf(&VariantEntry::name), "--variant");
  if (!status.ok()) return status;

  for (const VariantEntry& entry : kAtomicList) {
    if (IsZeroPoint(entry) || !Contains(ops, entry.op) ||
        !Contains(variants, entry.name)) {
      continue;
    }
    const std::string why_not = entry.why_not();
    // Asked for by name, it is an error; swept up, it is a row with a reason.
    if (!variants.empty() && !why_not.empty()) {
      return absl::InvalidArgumentError(
          fmt::format("--variant {} cannot run here: {}", entry.name, why_not));
    }
    options.variants.push_back(&entry);
  }
  if (options.variants.empty()) {
    return absl::InvalidArgumentError(
        "--op and --variant leave nothing to measure; give one of them, or "
        "variants of that operation (hackbench atomics --list)");
  }
  return absl::OkStatus();
}

absl::Status ChooseFormat(const std::string& text, TableFormat& format) {
  Names names;
  for (const auto& [name, value] : kFormats) {
    names.push_back(name);
    if (name != text) continue;
    format = value;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      fmt::format("unknown --format '{}'{}; choices: text, json, csv, md", text,
                  DidYouMean(text, names)));
}

absl::Status ChooseRepetitions(const std::string& text, int& repetitions) {
  const auto number = ParseNumber(text);
  if (!number || number->overflow || !number->rest.empty() ||
      number->value < 3 || number->value > kMaxRepetitions) {
    return absl::InvalidArgumentError(
        fmt::format("--repetitions '{}' is no count; give a whole number from "
                    "3 to {}",
                    text, kMaxRepetitions));
  }
  repetitions = static_cast<int>(number->value);
  return absl::OkStatus();
}

absl::Status ChooseCpus(const std::string& text, std::vector<int>& cpus) {
  const std::vector<int> allowed = atomics::AllowedCpus();
  cpus.clear();
  for (const std::string_view word : SplitByCommas(text)) {
    const auto number = ParseNumber(word);
    const bool is_number = number && !number->overflow && number->rest.empty();
    const auto found =
        is_number ? std::find(allowed.begin(), allowed.end(), number->value)
                  : allowed.end();
    if (found == allowed.end()) {
      return absl::InvalidArgumentError(fmt::format(
          "--cpus '{}': '{}' is none of the CPUs this process may use; they "
          "are {}",
          text, word, fmt::join(allowed, ",")));
    }
    cpus.push_back(*found);
  }
  if (cpus.size() > 2 || (cpus.size() == 2 && cpus[0] == cpus[1])) {
    return absl::InvalidArgumentError(
        fmt::format("--cpus '{}': give one CPU, or two different ones", text));
  }
  return absl::OkStatus();
}

absl::StatusOr<AtomicsOptions> FromMap(const po::variables_map& map) {
  AtomicsOptions options;
  options.list = map.count("list") != 0;
  options.help = map.count("help") != 0;
  absl::Status status = ChooseVariants(map, options);
  if (status.ok() && map.count("format") != 0) {
    status = ChooseFormat(map["format"].as<std::string>(), options.format);
  }
  if (status.ok() && map.count("repetitions") != 0) {
    status = ChooseRepetitions(map["repetitions"].as<std::string>(),
                               options.repetitions);
  }
  options.cpus = atomics::AllowedCpus();
  if (options.cpus.size() > 2) options.cpus.resize(2);
  if (status.ok() && map.count("cpus") != 0) {
    status = ChooseCpus(map["cpus"].as<std::string>(), options.cpus);
  }
  if (!status.ok()) return status;
  return options;
}

}  // namespace

absl::StatusOr<AtomicsOptions> ParseAtomicsOptions(
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
    return absl::InvalidArgumentError(
        fmt::format("atomics: {}; hackbench atomics --help shows the options",
                    error.what()));
  }
}

std::string AtomicsHelp() {
  std::ostringstream text;
  text << Description();
  return text.str();
}

}  // namespace hackbench
