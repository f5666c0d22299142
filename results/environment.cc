// SPDX-License-Identifier: MIT
#include "results/environment.h"

#include <absl/status/status.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "results/environment_reader.h"
#include "results/hash.h"

namespace hackbench::results {
namespace {

using Json = nlohmann::json;

std::string Text(const EnvironmentField* field) {
  if (field == nullptr) return "not recorded";
  return field->value ? *field->value : "unknown (" + field->source + ")";
}

bool ByName(const EnvironmentField& field, std::string_view name) {
  return field.name < name;
}

}  // namespace

Environment Environment::Read(const std::string& root) {
  EnvironmentReader reader(root);
  ReadKernelFields(reader);
  ReadSchedulerFields(reader);
  ReadCpuFields(reader);
  ReadMemoryFields(reader);
  ReadLimitFields(reader);
  ReadBuildFields(reader);
  Environment environment = reader.Take();
  environment.Add({"host", HostId(root), "hash of the machine id"});
  return environment;
}

void Environment::Add(EnvironmentField field) {
  const auto at =
      std::lower_bound(fields_.begin(), fields_.end(), field.name, ByName);
  if (at != fields_.end() && at->name == field.name) {
    *at = std::move(field);
    return;
  }
  fields_.insert(at, std::move(field));
}

const EnvironmentField* Environment::Find(std::string_view name) const {
  const auto at =
      std::lower_bound(fields_.begin(), fields_.end(), name, ByName);
  return at != fields_.end() && at->name == name ? &*at : nullptr;
}

std::optional<std::string> Environment::Get(std::string_view name) const {
  const EnvironmentField* const field = Find(name);
  return field == nullptr ? std::nullopt : field->value;
}

std::string Environment::ToJson() const {
  Json json = Json::object();
  for (const EnvironmentField& field : fields_) {
    Json entry = {{"source", field.source}, {"value", nullptr}};
    if (field.value) entry["value"] = *field.value;
    json[field.name] = std::move(entry);
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

absl::StatusOr<Environment> Environment::FromJson(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return absl::InvalidArgumentError("an environment is not a JSON object");
  }
  Environment environment;
  for (const auto& [name, entry] : json.items()) {
    if (!entry.is_object() || !entry.contains("value") ||
        !entry.contains("source") || !entry["source"].is_string() ||
        !(entry["value"].is_string() || entry["value"].is_null())) {
      return absl::InvalidArgumentError("environment field '" + name +
                                        "' is not {value, source}");
    }
    EnvironmentField field{name, std::nullopt, entry["source"]};
    if (entry["value"].is_string()) field.value = entry["value"];
    environment.Add(std::move(field));
  }
  return environment;
}

std::string Environment::Id() const { return ContentKey(ToJson()); }

Environment Environment::Redacted() const {
  constexpr std::array<std::string_view, 4> kPrivate = {
      "kernel.cmdline", "kernel.boot_id", "host", "cgroup.path"};
  Environment copy = *this;
  for (EnvironmentField& field : copy.fields_) {
    if (std::find(kPrivate.begin(), kPrivate.end(), field.name) ==
        kPrivate.end()) {
      continue;
    }
    field.value.reset();
    field.source = "redacted";
  }
  return copy;
}

std::vector<EnvironmentDifference> Diff(const Environment& a,
                                        const Environment& b) {
  std::vector<std::string> names;
  for (const Environment* side : {&a, &b}) {
    for (const EnvironmentField& field : side->fields()) {
      names.push_back(field.name);
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<EnvironmentDifference> differences;
  for (const std::string& name : names) {
    if (a.Get(name) == b.Get(name)) continue;
    differences.push_back({name, Text(a.Find(name)), Text(b.Find(name))});
  }
  return differences;
}

std::string HostLabel() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

std::string HostId(const std::string& root) {
  const EnvironmentReader reader(root);
  // Salted by the key's name space; the machine id itself must not leave.
  for (const std::string_view path :
       {"/etc/machine-id", "/var/lib/dbus/machine-id"}) {
    const absl::StatusOr<std::string> id = reader.Read(path);
    // With the label, so that one key never has two labels in files that merge.
    if (id.ok() && !id->empty()) return ContentKey(*id + " " + HostLabel());
  }
  return ContentKey(HostLabel());
}

}  // namespace hackbench::results
