// SPDX-License-Identifier: MIT
#include "hackbench/command_line.h"

#include <fmt/format.h>

#include <boost/program_options.hpp>

#include "hackbench/suggest.h"

namespace hackbench {
namespace {

namespace po = boost::program_options;

std::vector<const OptionRow*> RowsOf(Spelling spelling) {
  std::vector<const OptionRow*> rows;
  for (const OptionRow& row : OptionTable()) {
    if ((row.spellings & spelling) != 0) rows.push_back(&row);
  }
  return rows;
}

const OptionRow* FindByName(std::span<const OptionRow* const> rows,
                            std::string_view name) {
  for (const OptionRow* row : rows) {
    if (row->name == name) return row;
  }
  return nullptr;
}

const OptionRow* FindByLetter(std::span<const OptionRow* const> rows,
                              char letter) {
  for (const OptionRow* row : rows) {
    if (row->letter == letter) return row;
  }
  return nullptr;
}

// Names that start with `prefix`. The options that scripts abbreviate are the
// old ones, so a new name never makes an old abbreviation ambiguous: rows with
// a letter are tried first.
std::vector<std::string_view> NamesStartingWith(
    std::span<const OptionRow* const> rows, std::string_view prefix) {
  std::vector<std::string_view> old_names;
  std::vector<std::string_view> new_names;
  for (const OptionRow* row : rows) {
    if (!row->name.starts_with(prefix)) continue;
    (row->letter != 0 ? old_names : new_names).push_back(row->name);
  }
  return old_names.empty() ? new_names : old_names;
}

std::string Join(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) {
    text += fmt::format("{}--{}", text.empty() ? "" : ", ", name);
  }
  return text;
}

absl::StatusOr<std::string> CompleteLongName(
    std::span<const OptionRow* const> rows, std::string_view word) {
  const std::string_view name = word.substr(2, word.find('=') - 2);
  if (FindByName(rows, name) != nullptr) return std::string(word);

  const std::vector<std::string_view> matches = NamesStartingWith(rows, name);
  if (matches.size() == 1) {
    return fmt::format("--{}{}", matches[0], word.substr(2 + name.size()));
  }
  if (matches.size() > 1) {
    return absl::InvalidArgumentError(
        fmt::format("--{} is ambiguous: {}", name, Join(matches)));
  }
  std::vector<std::string_view> names;
  for (const OptionRow* row : rows) names.push_back(row->name);
  return absl::InvalidArgumentError(
      fmt::format("unknown option --{}{}; hackbench --help lists all", name,
                  DidYouMean(name, names)));
}

po::options_description Describe(std::span<const OptionRow* const> rows) {
  po::options_description description;
  for (const OptionRow* row : rows) {
    std::string names(row->name);
    if (row->letter != 0) names += fmt::format(",{}", row->letter);
    if (row->takes_value()) {
      description.add_options()(names.c_str(), po::value<std::string>(), "");
    } else {
      description.add_options()(names.c_str(), "");
    }
  }
  return description;
}

Argument ToArgument(std::span<const OptionRow* const> rows,
                    const po::option& option) {
  Argument argument;
  if (!option.value.empty()) argument.value = option.value.front();
  if (option.position_key != -1) return argument;  // An operand.
  const std::string& key = option.string_key;
  argument.row = key.size() == 2 && key[0] == '-' ? FindByLetter(rows, key[1])
                                                  : FindByName(rows, key);
  return argument;
}

// Boost's exceptions as one sentence of ours.
absl::Status ToStatus(const po::error& error) {
  std::string name = "an option";
  if (const auto* named =
          dynamic_cast<const po::error_with_option_name*>(&error)) {
    name = named->get_option_name();
    if (name.empty()) name = "an option";
  }
  if (dynamic_cast<const po::unknown_option*>(&error) != nullptr) {
    return absl::InvalidArgumentError(
        fmt::format("unknown option {}; hackbench --help lists all", name));
  }
  if (dynamic_cast<const po::ambiguous_option*>(&error) != nullptr) {
    return absl::InvalidArgumentError(fmt::format("{} is ambiguous", name));
  }
  const auto* syntax = dynamic_cast<const po::invalid_syntax*>(&error);
  if (syntax != nullptr &&
      syntax->kind() == po::invalid_syntax::extra_parameter) {
    return absl::InvalidArgumentError(fmt::format("{} takes no value", name));
  }
  return absl::InvalidArgumentError(
      fmt::format("{} needs a value; hackbench --help shows which", name));
}

}  // namespace

absl::StatusOr<std::vector<Argument>> ReadCommandLine(
    Spelling spelling, std::span<const std::string_view> words) {
  const std::vector<const OptionRow*> rows = RowsOf(spelling);

  std::vector<std::string> complete;
  bool options_end = false;
  for (const std::string_view word : words) {
    options_end = options_end || word == "--";
    if (options_end || !word.starts_with("--")) {
      complete.emplace_back(word);
      continue;
    }
    absl::StatusOr<std::string> name = CompleteLongName(rows, word);
    if (!name.ok()) return name.status();
    complete.push_back(*std::move(name));
  }

  using namespace po::command_line_style;  // NOLINT: enumerators only
  const po::options_description description = Describe(rows);
  try {
    const po::parsed_options parsed =
        po::command_line_parser(complete)
            .options(description)
            .style(allow_long | long_allow_adjacent | long_allow_next |
                   allow_short | short_allow_adjacent | short_allow_next |
                   allow_dash_for_short | allow_sticky)
            .run();
    std::vector<Argument> arguments;
    for (const po::option& option : parsed.options) {
      arguments.push_back(ToArgument(rows, option));
    }
    return arguments;
  } catch (const po::error& error) {
    return ToStatus(error);
  }
}

}  // namespace hackbench
