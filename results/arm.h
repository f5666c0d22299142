// SPDX-License-Identifier: MIT
// One arm of an experiment: what is started, how its figures are read, and what
// it is meant to be.
#pragma once

#include <absl/status/statusor.h>

#include <map>
#include <string>
#include <vector>

namespace hackbench::results {

struct LiveValue {
  std::string path = {};  // A file of the running kernel.
  std::string value = {};

  bool operator==(const LiveValue&) const = default;
};

struct Arm {
  std::string label = {};
  std::vector<std::string> argv = {};
  // Prints a record (results/record.h) on stdout; else lines of text.
  bool prints_record = false;
  // What sets it apart from the other arms, as declared: "lock" to "mcs". A
  // difference that stands here is no confounder.
  std::map<std::string, std::string> settings = {};
  // Keys of the configuration that the program must report back with these
  // values; a launch that reports others is no result.
  std::map<std::string, std::string> expected = {};
  std::vector<LiveValue> live = {};

  bool operator==(const Arm&) const = default;
};

std::string ToJson(const Arm& arm);
absl::StatusOr<Arm> ArmFromJson(std::string_view json);

// "lock=mcs groups=10", or the label when nothing was declared.
std::string SettingsText(const Arm& arm);

}  // namespace hackbench::results
