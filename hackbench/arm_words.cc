// SPDX-License-Identifier: MIT
#include "hackbench/arm_words.h"

#include <absl/status/status.h>
#include <fmt/format.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "hackbench/option_table.h"
#include "hackbench/plan.h"
#include "hackbench/run_parser.h"
#include "hackbench/suggest.h"
#include "results/status_text.h"

namespace hackbench {
namespace {

absl::StatusOr<std::string> OwnPath() {
  std::array<char, PATH_MAX> path{};
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (size > 0) return std::string(path.data(), static_cast<size_t>(size));
  return absl::UnavailableError(
      "cannot find this program by /proc/self/exe; is /proc mounted?");
}

const OptionRow* FindRow(std::string_view name) {
  for (const OptionRow& row : OptionTable()) {
    if (row.name == name && (row.spellings & kRtTestsSpelling) != 0) {
      return &row;
    }
  }
  return nullptr;
}

absl::Status UnknownKey(std::string_view key) {
  std::vector<std::string_view> names = {"mode"};
  for (const OptionRow& row : OptionTable()) names.push_back(row.name);
  return absl::InvalidArgumentError(
      fmt::format("'{}' is no option of a run{}; hackbench --help lists them",
                  key, DidYouMean(key, names)));
}

// The word for key=value; empty where nothing is to be said.
absl::StatusOr<std::string> WordFor(const std::string& key,
                                    const std::string& value) {
  const OptionRow* const row = FindRow(key);
  if (key == "mode" && row == nullptr) {
    if (value == "process") return "--processes";
    if (value == "thread") return "--threads";
    return absl::InvalidArgumentError(
        fmt::format("mode={}: choices are process and thread", value));
  }
  if (row == nullptr) return UnknownKey(key);
  if (key == "record" || key == "list" || key == "help" || key == "version") {
    return absl::InvalidArgumentError(
        fmt::format("'{}' cannot be a setting of an arm", key));
  }
  if (row->takes_value()) return fmt::format("--{}={}", key, value);
  if (value == "on" || value == "1") return fmt::format("--{}", key);
  // What is on by default has a switch of its own to turn it off.
  const std::string twin = "no-" + key;
  if (value == "off" || value == "0") {
    return FindRow(twin) == nullptr ? "" : "--" + twin;
  }
  return absl::InvalidArgumentError(
      fmt::format("{}={}: it is a switch; on or off", key, value));
}

std::map<std::string, std::string> ConfigOf(const RunOptions& options) {
  return {{"mode", std::string(ModeName(options.mode))},
          {"groups", fmt::format("{}", options.groups)},
          {"fds", fmt::format("{}", options.fds)},
          {"loops", fmt::format("{}", options.loops)},
          {"datasize", fmt::format("{}", options.datasize)}};
}

bool IsPerfGrammar(std::span<const std::string> workload) {
  return workload.size() >= 2 && workload[0] == "sched" &&
         workload[1] == "messaging";
}

std::vector<std::string_view> Views(std::span<const std::string> words) {
  return {words.begin(), words.end()};
}

// A run may guess what is meant; a declared setting must be clear.
absl::Status CheckDeclared(const std::string& label,
                           const std::vector<std::string>& words) {
  const absl::StatusOr<ParsedRun> run =
      ParseRun(Views(words), Grammar::kCommand);
  if (!run.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("arm {}: {}", label, results::Message(run.status())));
  }
  if (run->doubts.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("arm {}: {}", label, run->doubts.front()));
}

bool NeedsShell(std::string_view command) {
  const std::string_view first = command.substr(0, command.find(' '));
  return command.find_first_of("|&;<>()$`\\*?[]#~\n{}") !=
             std::string_view::npos ||
         first.find('=') != std::string_view::npos;
}

// Blanks separate, either kind of quotes groups.
absl::StatusOr<std::vector<std::string>> SplitWords(const std::string& text) {
  std::vector<std::string> words;
  char quote = '\0';
  bool in_word = false;
  for (const char c : text) {
    if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        words.back() += c;
      }
      continue;
    }
    if (c == ' ' || c == '\t') {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == '"' || c == '\'') {
      quote = c;
    } else {
      words.back() += c;
    }
  }
  if (quote != '\0') {
    return absl::InvalidArgumentError(
        fmt::format("a quote is open in the command: {}", text));
  }
  if (words.empty()) {
    return absl::InvalidArgumentError("a command is empty");
  }
  return words;
}

// What a hackbench is asked for by its words; nothing for another program.
// Words that a wrapper has glued together ("-T -g 1") are taken apart: whoever
// wrote them meant them so, and the program may not.
std::map<std::string, std::string> ExpectedOf(
    const std::vector<std::string>& argv) {
  const std::string_view path = argv[0];
  if (path.substr(path.rfind('/') + 1) != "hackbench") return {};
  std::string joined;
  for (size_t i = 1; i < argv.size(); ++i) joined += argv[i] + " ";
  std::istringstream stream(joined);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  if (!words.empty() && words[0] == "run") words.erase(words.begin());
  if (IsPerfGrammar(words)) return {};
  const absl::StatusOr<ParsedRun> run = ParseRun(Views(words));
  if (!run.ok()) return {};
  std::map<std::string, std::string> config = ConfigOf(run->options);
  if (run->options.grammar == Grammar::kClassic) config.erase("mode");
  return config;
}

}  // namespace

absl::StatusOr<results::Arm> MakeRunArm(
    const std::string& label, std::span<const std::string> workload,
    const std::map<std::string, std::string>& settings) {
  absl::StatusOr<std::string> own = OwnPath();
  if (!own.ok()) return own.status();
  const bool perf = IsPerfGrammar(workload);
  std::vector<std::string> words(workload.begin() + (perf ? 2 : 0),
                                 workload.end());
  if (!perf && !words.empty() && words[0] == "run") {
    words.erase(words.begin());
  }
  std::vector<std::string> declared;
  for (const auto& [key, value] : settings) {
    absl::StatusOr<std::string> word = WordFor(key, value);
    if (!word.ok()) return word.status();
    if (!word->empty()) declared.push_back(*std::move(word));
  }
  absl::Status status = CheckDeclared(label, declared);
  if (!status.ok()) return status;
  words.insert(words.end(), declared.begin(), declared.end());
  const absl::StatusOr<ParsedRun> run =
      perf ? ParsePerfRun(Views(words))
           : ParseRun(Views(words), Grammar::kCommand);
  if (!run.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("arm {}: {}", label, results::Message(run.status())));
  }
  if (!run->options.record.empty() || run->options.help ||
      run->options.version || !run->options.list.empty()) {
    return absl::InvalidArgumentError(fmt::format(
        "arm {}: --record, --help, --version and --list have no place in a "
        "workload",
        label));
  }
  const absl::StatusOr<RunPlan> plan = MakePlan(run->options);
  if (!plan.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("arm {}: {}", label, results::Message(plan.status())));
  }
  results::Arm arm{.label = label, .prints_record = true, .settings = settings};
  arm.argv = {*std::move(own)};
  if (perf) {
    arm.argv.insert(arm.argv.end(), {"sched", "messaging"});
  } else {
    arm.argv.emplace_back("run");
  }
  arm.argv.insert(arm.argv.end(), words.begin(), words.end());
  arm.argv.insert(arm.argv.end(), {"--record", "-"});
  arm.expected = ConfigOf(run->options);
  for (const auto& [key, value] : settings) {
    const OptionRow* const row = FindRow(key);
    // How a switch is reported is the run's affair.
    if (row != nullptr && row->takes_value()) arm.expected[key] = value;
  }
  return arm;
}

absl::StatusOr<results::Arm> MakeCommandArm(const std::string& label,
                                            const std::string& command) {
  results::Arm arm{.label = label, .settings = {{"cmd", command}}};
  if (NeedsShell(command)) {
    arm.argv = {"/bin/sh", "-c", command};
    return arm;
  }
  absl::StatusOr<std::vector<std::string>> words = SplitWords(command);
  if (!words.ok()) return words.status();
  arm.argv = *std::move(words);
  arm.expected = ExpectedOf(arm.argv);
  return arm;
}

}  // namespace hackbench
