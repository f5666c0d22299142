// SPDX-License-Identifier: MIT
#include "results/arm.h"

#include <absl/status/status.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace hackbench::results {
namespace {

using Json = nlohmann::json;

bool IsTextMap(const Json& json) {
  if (!json.is_object()) return false;
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) return false;
  }
  return true;
}

bool IsTextList(const Json& json) {
  if (!json.is_array()) return false;
  for (const Json& value : json) {
    if (!value.is_string()) return false;
  }
  return true;
}

}  // namespace

std::string ToJson(const Arm& arm) {
  Json live = Json::array();
  for (const LiveValue& value : arm.live) {
    live.push_back({{"path", value.path}, {"value", value.value}});
  }
  const Json json = {{"label", arm.label},
                     {"argv", arm.argv},
                     {"prints_record", arm.prints_record},
                     {"settings", arm.settings},
                     {"expected", arm.expected},
                     {"live", live}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

absl::StatusOr<Arm> ArmFromJson(std::string_view text) {
  const absl::Status bad =
      absl::InvalidArgumentError("an arm is not as stored");
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return bad;
  const Json label = json.value("label", Json());
  const Json argv = json.value("argv", Json());
  const Json record = json.value("prints_record", Json());
  const Json settings = json.value("settings", Json());
  const Json expected = json.value("expected", Json());
  const Json live = json.value("live", Json());
  if (!label.is_string() || !IsTextList(argv) || !record.is_boolean() ||
      !IsTextMap(settings) || !IsTextMap(expected) || !live.is_array()) {
    return bad;
  }
  Arm arm;
  arm.label = label;
  arm.argv = argv.get<std::vector<std::string>>();
  arm.prints_record = record;
  arm.settings = settings.get<std::map<std::string, std::string>>();
  arm.expected = expected.get<std::map<std::string, std::string>>();
  for (const Json& value : live) {
    if (!IsTextMap(value) || !value.contains("path") ||
        !value.contains("value")) {
      return bad;
    }
    arm.live.push_back({value["path"], value["value"]});
  }
  return arm;
}

std::string SettingsText(const Arm& arm) {
  std::string text;
  for (const auto& [key, value] : arm.settings) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value);
  }
  return text.empty() ? arm.label : text;
}

}  // namespace hackbench::results
