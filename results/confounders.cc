// SPDX-License-Identifier: MIT
#include "results/confounders.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "results/analysis.h"

namespace hackbench::results {
namespace {

using Json = nlohmann::json;
using ValueSets = std::map<std::string, std::set<std::string>>;

constexpr std::array<std::string_view, 5> kBootFields = {
    "kernel.release", "kernel.version", "kernel.cmdline", "kernel.config_key",
    "kernel.hz"};

// Follows from other keys, or says how it was asked for rather than what ran.
constexpr std::array<std::string_view, 2> kDerivedKeys = {"tasks", "grammar"};

// Parts of the user plane: naming one is choosing the plane, and the plane
// decides whether there are the others.
constexpr std::array<std::string_view, 9> kParts = {
    "plane", "alloc",     "lock",    "rwlock", "refcount",
    "churn", "msg-alloc", "preempt", "hz"};

// `key` follows from what was declared of `cause`.
struct Consequence {
  std::string_view key;
  std::string_view cause;
};
constexpr std::array kConsequences = {
    Consequence{"alloc_engine", "alloc"},
    Consequence{"msg-alloc", "alloc"},
    Consequence{"alloc", "msg-alloc"},
    Consequence{"alloc_engine", "msg-alloc"},
    Consequence{"model", "preempt"},
    Consequence{"model", "hz"},
    Consequence{"churn", "rwlock"},
    // Another transport is another model of a message.
    Consequence{"rwlock", "transport"},
    Consequence{"refcount", "transport"},
    Consequence{"churn", "transport"},
    Consequence{"msg-alloc", "transport"},
};

bool Contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

absl::Status AddEnvironments(Store& store, const ArmData& arm,
                             ValueSets& values,
                             std::map<std::string, std::string>& sources) {
  for (const std::string& env_id : arm.env_ids) {
    const absl::StatusOr<Environment> environment =
        store.LoadEnvironment(env_id);
    if (!environment.ok()) return environment.status();
    for (const EnvironmentField& field : environment->fields()) {
      values[field.name].insert(field.value.value_or("unknown"));
      if (field.value) sources[field.name] = field.source;
    }
  }
  return absl::OkStatus();
}

absl::Status AddConfigs(Store& store, const ArmData& arm, ValueSets& values) {
  for (const std::string& config_id : arm.config_ids) {
    const absl::StatusOr<std::string> text = store.ConfigJson(config_id);
    if (!text.ok()) return text.status();
    const Json json = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) continue;
    for (const auto& [key, value] : json.items()) {
      values[key].insert(value.is_string() ? value.get<std::string>()
                                           : value.dump());
    }
  }
  return absl::OkStatus();
}

// Calls `use` for each name whose values on the two sides are not the same.
template <typename Use>
void EachDifference(const ValueSets& a, const ValueSets& b, Use use) {
  std::set<std::string> names;
  for (const auto& [name, values] : a) names.insert(name);
  for (const auto& [name, values] : b) names.insert(name);
  const std::set<std::string> none;
  for (const std::string& name : names) {
    const auto in_a = a.find(name);
    const auto in_b = b.find(name);
    const auto& values_a = in_a == a.end() ? none : in_a->second;
    const auto& values_b = in_b == b.end() ? none : in_b->second;
    if (values_a != values_b) use(name, values_a, values_b);
  }
}

std::string Line(const std::string& name, const std::set<std::string>& a,
                 const std::set<std::string>& b) {
  return fmt::format("{}: {} / {}", name,
                     a.empty() ? "-" : fmt::format("{}", fmt::join(a, ", ")),
                     b.empty() ? "-" : fmt::format("{}", fmt::join(b, ", ")));
}

bool IsDeclaredLive(const ArmData& a, const ArmData& b,
                    const std::string& source) {
  for (const ArmData* arm : {&a, &b}) {
    for (const LiveValue& value : arm->arm.live) {
      if (value.path == source) return true;
    }
  }
  return false;
}

bool IsDeclaredKey(const ArmData& a, const ArmData& b, const std::string& key) {
  if (Contains(kDerivedKeys, key)) return true;
  const std::string declared = key == "argv" ? "cmd" : key;
  const auto in_a = a.arm.settings.find(declared);
  const auto in_b = b.arm.settings.find(declared);
  if (in_a == a.arm.settings.end() && in_b == b.arm.settings.end()) {
    return false;
  }
  return in_a == a.arm.settings.end() || in_b == b.arm.settings.end() ||
         in_a->second != in_b->second;
}

// Whether a difference of `key` follows from one that was declared.
bool IsFollowed(const ArmData& a, const ArmData& b, const std::string& key,
                bool planes_differ) {
  for (const Consequence& consequence : kConsequences) {
    if (consequence.key == key &&
        IsDeclaredKey(a, b, std::string(consequence.cause))) {
      return true;
    }
  }
  const bool is_part =
      Contains(kParts, key) || key == "alloc_engine" || key == "model";
  return planes_differ && is_part &&
         std::any_of(kParts.begin(), kParts.end(), [&](std::string_view part) {
           return IsDeclaredKey(a, b, std::string(part));
         });
}

}  // namespace

absl::StatusOr<Confounders> FindConfounders(Store& store_a, const ArmData& a,
                                            Store& store_b, const ArmData& b) {
  Confounders found;
  if (a.env_ids != b.env_ids) {
    ValueSets env_a;
    ValueSets env_b;
    std::map<std::string, std::string> sources;
    absl::Status status = AddEnvironments(store_a, a, env_a, sources);
    if (status.ok()) status = AddEnvironments(store_b, b, env_b, sources);
    if (!status.ok()) return status;
    EachDifference(
        env_a, env_b,
        [&](const std::string& name, const auto& va, const auto& vb) {
          found.needs_boot |= Contains(kBootFields, name);
          // Every other boot has another id; that is what a boot is.
          if (name == "kernel.boot_id" || IsDeclaredLive(a, b, sources[name])) {
            return;
          }
          found.names.push_back(Line(name, va, vb));
        });
  }
  if (a.config_ids != b.config_ids) {
    ValueSets config_a;
    ValueSets config_b;
    absl::Status status = AddConfigs(store_a, a, config_a);
    if (status.ok()) status = AddConfigs(store_b, b, config_b);
    if (!status.ok()) return status;
    const bool planes_differ = config_a["plane"] != config_b["plane"];
    EachDifference(config_a, config_b,
                   [&](const std::string& key, const auto& va, const auto& vb) {
                     if (IsDeclaredKey(a, b, key) ||
                         IsFollowed(a, b, key, planes_differ)) {
                       return;
                     }
                     found.names.push_back(Line(key, va, vb));
                   });
  }
  return found;
}

}  // namespace hackbench::results
