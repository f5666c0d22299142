// SPDX-License-Identifier: MIT
#include "hackbench/simple_options.h"

#include <absl/status/status.h>
#include <absl/time/time.h>
#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "hackbench/number.h"
#include "hackbench/suggest.h"

namespace hackbench {
namespace {

namespace po = boost::program_options;

po::options_description Describe(std::span<const OptionSpec> specs) {
  po::options_description description("options", 79);
  for (const OptionSpec& spec : specs) {
    const std::string name(spec.name);
    const std::string help(spec.help);
    if (spec.value.empty()) {
      description.add_options()(name.c_str(), help.c_str());
    } else {
      description.add_options()(
          name.c_str(),
          po::value<std::string>()->value_name(std::string(spec.value)),
          help.c_str());
    }
  }
  return description;
}

const OptionSpec* Find(std::span<const OptionSpec> specs,
                       std::string_view name) {
  const auto found =
      std::find_if(specs.begin(), specs.end(),
                   [&](const OptionSpec& spec) { return spec.name == name; });
  return found == specs.end() ? nullptr : &*found;
}

absl::Status UnknownOption(std::string_view command,
                           std::span<const OptionSpec> specs,
                           std::string_view word) {
  std::string_view name = word.substr(0, word.find('='));
  while (name.starts_with('-')) name.remove_prefix(1);
  std::vector<std::string_view> names;
  for (const OptionSpec& spec : specs) names.push_back(spec.name);
  return absl::InvalidArgumentError(
      fmt::format("{0}: unknown option {1}{2}; hackbench {0} --help lists all",
                  command, word, DidYouMean(name, names)));
}

}  // namespace

bool SimpleOptions::Has(std::string_view name) const {
  return values_.find(name) != values_.end();
}

std::string SimpleOptions::Get(std::string_view name,
                               std::string_view otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string(otherwise) : found->second.back();
}

std::vector<std::string> SimpleOptions::All(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

absl::StatusOr<SimpleOptions> ParseSimpleOptions(
    std::string_view command, std::span<const OptionSpec> specs,
    std::span<const std::string_view> words) {
  SimpleOptions result;
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const std::vector<std::string> before(words.begin(), dashes);
  if (dashes != words.end()) {
    result.after_dashes_.assign(dashes + 1, words.end());
  }
  const po::options_description description = Describe(specs);
  try {
    const po::parsed_options parsed =
        po::command_line_parser(before)
            .options(description)
            .style(po::command_line_style::allow_long |
                   po::command_line_style::long_allow_adjacent |
                   po::command_line_style::long_allow_next)
            .allow_unregistered()
            .run();
    for (const po::option& option : parsed.options) {
      const std::string& word = option.original_tokens.empty()
                                    ? option.string_key
                                    : option.original_tokens.front();
      if (option.position_key != -1 && !word.starts_with('-')) {
        result.operands_.push_back(word);
        continue;
      }
      const OptionSpec* const spec = Find(specs, option.string_key);
      if (option.unregistered || spec == nullptr) {
        return UnknownOption(command, specs, word);
      }
      std::vector<std::string>& values = result.values_[option.string_key];
      if (!values.empty() && !spec->repeatable) {
        return absl::InvalidArgumentError(
            fmt::format("{}: --{} is given twice", command, spec->name));
      }
      values.push_back(option.value.empty() ? "" : option.value.front());
    }
  } catch (const po::error& error) {
    return absl::InvalidArgumentError(
        fmt::format("{0}: {1}; hackbench {0} --help shows the options", command,
                    error.what()));
  }
  return result;
}

std::string SimpleHelp(std::string_view usage,
                       std::span<const OptionSpec> specs) {
  std::ostringstream text;
  text << usage << "\n" << Describe(specs);
  return text.str();
}

absl::StatusOr<int64_t> ParseCount(std::string_view option,
                                   const std::string& text, int64_t low,
                                   int64_t high) {
  const auto number = ParseNumber(text);
  if (number && !number->overflow && number->rest.empty() &&
      number->value >= low && number->value <= high) {
    return number->value;
  }
  return absl::InvalidArgumentError(fmt::format(
      "--{} '{}': give a whole number from {} to {}", option, text, low, high));
}

absl::StatusOr<double> ParseShare(std::string_view option,
                                  const std::string& text) {
  char* end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  const std::string_view rest = end;
  if (rest == "%") value /= 100;
  const bool complete = end != text.c_str() && (rest.empty() || rest == "%");
  if (complete && std::isfinite(value) && value > 0 && value < 1) return value;
  return absl::InvalidArgumentError(
      fmt::format("--{} '{}': give a share as in 1% or 0.01", option, text));
}

absl::StatusOr<int64_t> ParseDurationNs(std::string_view option,
                                        const std::string& text) {
  absl::Duration duration;
  if (absl::ParseDuration(text, &duration) &&
      duration >= absl::ZeroDuration() && duration <= absl::Hours(24 * 365)) {
    return absl::ToInt64Nanoseconds(duration);
  }
  return absl::InvalidArgumentError(fmt::format(
      "--{} '{}': give a time with its unit, as in 90s, 5m or 200ms", option,
      text));
}

}  // namespace hackbench
