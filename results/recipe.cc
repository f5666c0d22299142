// SPDX-License-Identifier: MIT
#include "results/recipe.h"

#include <absl/status/status.h>

#include <nlohmann/json.hpp>

namespace hackbench::results {
namespace {

using Json = nlohmann::json;

// Reads members by name and remembers whether all were as they should be.
class Members {
 public:
  explicit Members(const Json& json) : json_(json) {}

  void Get(const char* name, std::string& to) {
    Take(name, to, &Json::is_string);
  }
  void Get(const char* name, bool& to) { Take(name, to, &Json::is_boolean); }
  void Get(const char* name, double& to) { Take(name, to, &Json::is_number); }
  void Get(const char* name, int64_t& to) {
    Take(name, to, &Json::is_number_integer);
  }
  void Get(const char* name, std::vector<int64_t>& to) {
    for (const int64_t number : Numbers(name)) to.push_back(number);
  }
  void Get(const char* name, std::set<int>& to) {
    for (const int64_t number : Numbers(name)) {
      to.insert(static_cast<int>(number));
    }
  }
  bool ok() const { return ok_; }

 private:
  template <typename T>
  void Take(const char* name, T& to, bool (Json::*is)() const noexcept) {
    const auto found = json_.find(name);
    if (found == json_.end() || !((*found).*is)()) {
      ok_ = false;
      return;
    }
    to = found->get<T>();
  }

  std::vector<int64_t> Numbers(const char* name) {
    std::vector<int64_t> numbers;
    const auto found = json_.find(name);
    if (found == json_.end() || !found->is_array()) {
      ok_ = false;
      return numbers;
    }
    for (const Json& item : *found) {
      if (item.is_number_integer()) {
        numbers.push_back(item.get<int64_t>());
      } else {
        ok_ = false;
      }
    }
    return numbers;
  }

  const Json& json_;
  bool ok_ = true;
};

}  // namespace

std::string ToJson(const Recipe& recipe) {
  const Json json = {
      {"kind", recipe.kind},
      {"baseline", recipe.baseline},
      {"order", OrderName(recipe.schedule.order)},
      {"arms", recipe.schedule.arms},
      {"seed", static_cast<int64_t>(recipe.schedule.seed)},
      {"warmups", recipe.schedule.warmups},
      {"shards", recipe.schedule.shards},
      {"metric_regex", recipe.metric.regex},
      {"metric_name", recipe.metric.name},
      {"metric_unit", recipe.metric.unit},
      {"metric_better", recipe.metric.better},
      {"min_blocks", recipe.min_blocks},
      {"max_blocks", recipe.max_blocks},
      {"target", recipe.target},
      {"margin", recipe.margin},
      {"time_budget_ns", recipe.time_budget_ns},
      {"timeout_ns", recipe.timeout_ns},
      {"settle_ns", recipe.settle_ns},
      {"retries", recipe.retries},
      {"ignored_exit_codes", recipe.ignored_exit_codes},
      {"ignore_all", recipe.ignore_all},
      {"setup", recipe.hooks.setup},
      {"prepare", recipe.hooks.prepare},
      {"conclude", recipe.hooks.conclude},
      {"cleanup", recipe.hooks.cleanup},
      {"note", recipe.note},
  };
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

absl::StatusOr<Recipe> RecipeFromJson(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return absl::InvalidArgumentError("a recipe is no JSON object");
  }
  Recipe recipe;
  Members members(json);
  std::string order;
  int64_t seed = 0;
  members.Get("kind", recipe.kind);
  members.Get("baseline", recipe.baseline);
  members.Get("order", order);
  members.Get("arms", recipe.schedule.arms);
  members.Get("seed", seed);
  members.Get("warmups", recipe.schedule.warmups);
  members.Get("shards", recipe.schedule.shards);
  members.Get("metric_regex", recipe.metric.regex);
  members.Get("metric_name", recipe.metric.name);
  members.Get("metric_unit", recipe.metric.unit);
  members.Get("metric_better", recipe.metric.better);
  members.Get("min_blocks", recipe.min_blocks);
  members.Get("max_blocks", recipe.max_blocks);
  members.Get("target", recipe.target);
  members.Get("margin", recipe.margin);
  members.Get("time_budget_ns", recipe.time_budget_ns);
  members.Get("timeout_ns", recipe.timeout_ns);
  members.Get("settle_ns", recipe.settle_ns);
  members.Get("retries", recipe.retries);
  members.Get("ignored_exit_codes", recipe.ignored_exit_codes);
  members.Get("ignore_all", recipe.ignore_all);
  members.Get("setup", recipe.hooks.setup);
  members.Get("prepare", recipe.hooks.prepare);
  members.Get("conclude", recipe.hooks.conclude);
  members.Get("cleanup", recipe.hooks.cleanup);
  members.Get("note", recipe.note);
  const absl::StatusOr<Order> parsed = ParseOrder(order);
  if (!members.ok() || !parsed.ok() || recipe.schedule.arms < 1 ||
      recipe.schedule.shards < 1 || recipe.min_blocks < 1) {
    return absl::InvalidArgumentError(
        "the stored recipe is incomplete; this experiment cannot be resumed");
  }
  recipe.schedule.order = *parsed;
  recipe.schedule.seed = static_cast<uint64_t>(seed);
  return recipe;
}

}  // namespace hackbench::results
