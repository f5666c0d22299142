// SPDX-License-Identifier: MIT
// "Queued spinlocks/RW-locks for ARM" (Sebastian Andrzej Siewior, 7 Oct 2019):
// locks in rows, preemption models in columns, a block per HZ.
#include <absl/status/status.h>
#include <fmt/format.h>

#include <algorithm>

#include "results/layout_list.h"

namespace hackbench::results {
namespace {

std::string Setting(const ArmSummary& arm, const std::string& key) {
  const auto found = arm.settings.find(key);
  return found == arm.settings.end() ? "" : found->second;
}

std::vector<std::string> Values(const Report& report, const std::string& key) {
  std::vector<std::string> values;
  for (const ArmSummary& arm : report.arms) {
    const std::string value = Setting(arm, key);
    if (std::find(values.begin(), values.end(), value) == values.end()) {
      values.push_back(value);
    }
  }
  return values;
}

std::string PreemptHead(const std::string& preempt) {
  if (preempt == "full") return "PREEMPT";
  std::string head = fmt::format("PREEMPT_{}", preempt);
  std::transform(head.begin(), head.end(), head.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  return head;
}

const ArmSummary* Find(const Report& report, const std::string& lock,
                       const std::string& preempt, const std::string& hz) {
  for (const ArmSummary& arm : report.arms) {
    if (Setting(arm, "lock") == lock && Setting(arm, "preempt") == preempt &&
        Setting(arm, "hz") == hz) {
      return &arm;
    }
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<std::string> FormatSiewior2019(const Report& report) {
  const std::vector<std::string> locks = Values(report, "lock");
  if (locks.size() < 2 || locks[0].empty()) {
    return absl::InvalidArgumentError(
        "--layout siewior-2019 needs arms that differ in lock (and preempt, "
        "hz): hackbench sweep --list lock=… --list preempt=… --list hz=…");
  }
  std::string text;
  for (const std::string& hz : Values(report, "hz")) {
    text += fmt::format("{:<14}", hz.empty() ? "" : fmt::format("HZ_{}", hz));
    const std::vector<std::string> models = Values(report, "preempt");
    for (const std::string& preempt : models) {
      text += fmt::format("| {:<18}",
                          preempt.empty() ? "time" : PreemptHead(preempt));
    }
    text += '\n';
    text.append(14 + 20 * models.size(), '-');
    text += '\n';
    for (const std::string& lock : locks) {
      text += fmt::format("{:<14}", lock);
      for (const std::string& preempt : models) {
        const ArmSummary* const arm = Find(report, lock, preempt, hz);
        text += arm == nullptr ? fmt::format("| {:<18}", "-")
                               : fmt::format("| {:<18.4f}", arm->summary.mean);
      }
      text += "\n";
    }
    text += "\n";
  }
  size_t n = 0;
  for (const ArmSummary& arm : report.arms) n = std::max(n, arm.summary.n);
  return text +
         fmt::format(
             "mean of {} launches, seconds; preempt and hz are "
             "the model's unless declared live or boot\n",
             n) +
         NotesText(report);
}

}  // namespace hackbench::results
