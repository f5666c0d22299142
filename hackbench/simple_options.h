// SPDX-License-Identifier: MIT
// The command lines of the commands that read and make results: long options
// only, each from one row of a table, everything after `--` left alone. Unknown
// words, missing values and options given twice are errors.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hackbench {

struct OptionSpec {
  std::string_view name;
  std::string_view value;  // What stands for the value; empty for a switch.
  std::string_view help;
  bool repeatable = false;
};

class SimpleOptions {
 public:
  bool Has(std::string_view name) const;
  // The value, or `otherwise`.
  std::string Get(std::string_view name, std::string_view otherwise = "") const;
  std::vector<std::string> All(std::string_view name) const;
  const std::vector<std::string>& operands() const { return operands_; }
  const std::vector<std::string>& after_dashes() const { return after_dashes_; }

 private:
  friend absl::StatusOr<SimpleOptions> ParseSimpleOptions(
      std::string_view, std::span<const OptionSpec>,
      std::span<const std::string_view>);

  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::vector<std::string> operands_;
  std::vector<std::string> after_dashes_;
};

absl::StatusOr<SimpleOptions> ParseSimpleOptions(
    std::string_view command, std::span<const OptionSpec> specs,
    std::span<const std::string_view> words);

std::string SimpleHelp(std::string_view usage,
                       std::span<const OptionSpec> specs);

// Values, with the option's name in the error. ------------------------------

absl::StatusOr<int64_t> ParseCount(std::string_view option,
                                   const std::string& text, int64_t low,
                                   int64_t high);
// "1%" or "0.01"; above 0 and below 100 %.
absl::StatusOr<double> ParseShare(std::string_view option,
                                  const std::string& text);
// "90s", "5m", "200ms" in ns.
absl::StatusOr<int64_t> ParseDurationNs(std::string_view option,
                                        const std::string& text);

}  // namespace hackbench
