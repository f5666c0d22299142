// SPDX-License-Identifier: MIT
#include "results/reading.h"

#include <absl/status/status.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <system_error>

namespace hackbench::results {
namespace {

using Json = nlohmann::json;

constexpr double kNs = 1e-9;
// std::regex recurses once per character.
constexpr size_t kLongestLine = 4096;

struct KnownMetric {
  std::string_view name;
  std::string_view unit;
  std::string_view better;
  std::string_view pointer;  // JSON pointer into the record.
  double scale;
};

constexpr std::array kKnownMetrics = {
    KnownMetric{"time", "s", "lower", "/timings_ns/total", kNs},
    KnownMetric{"work", "s", "lower", "/timings_ns/work", kNs},
    KnownMetric{"setup", "s", "lower", "/timings_ns/setup", kNs},
    KnownMetric{"reap", "s", "lower", "/timings_ns/reap", kNs},
    KnownMetric{"user", "s", "lower", "/use/user_ns", kNs},
    KnownMetric{"system", "s", "lower", "/use/system_ns", kNs},
    KnownMetric{"minor_faults", "faults", "none", "/use/minor_faults", 1},
    KnownMetric{"max_rss", "B", "lower", "/use/max_rss_bytes", 1},
    KnownMetric{"latency_p50", "s", "lower", "/latency_ns/p50", kNs},
    KnownMetric{"latency_p90", "s", "lower", "/latency_ns/p90", kNs},
    KnownMetric{"latency_p99", "s", "lower", "/latency_ns/p99", kNs},
    KnownMetric{"latency_p99_9", "s", "lower", "/latency_ns/p99_9", kNs},
    KnownMetric{"latency_max", "s", "lower", "/latency_ns/max", kNs},
};
constexpr std::string_view kSwitches = "ctxsw_per_message";

// ": last line", or nothing.
std::string LastWords(const std::string& text) {
  std::string last;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) last = line;
  }
  return last.empty() ? "" : fmt::format(": {}", last);
}

// How it ended, when that is no success; the reading is "ok" otherwise.
Reading Begin(const LaunchOutcome& outcome) {
  using End = LaunchOutcome::End;
  Reading reading;
  reading.status = "failed";
  switch (outcome.end) {
    case End::kNotStarted:
      reading.message = "could not be started: " +
                        std::generic_category().message(outcome.start_errno);
      break;
    case End::kTimedOut:
      reading.status = "timeout";
      reading.message = "ended by --timeout";
      break;
    case End::kInterrupted:
      reading.status = "interrupted";
      reading.message = fmt::format("interrupted by signal {}", outcome.signal);
      break;
    case End::kSignalled:
      reading.message = fmt::format("ended by signal {}{}", outcome.signal,
                                    LastWords(outcome.err));
      break;
    case End::kExited:
      if (outcome.exit_code == 0) {
        reading.status = "ok";
        break;
      }
      reading.message = fmt::format("exit code {}{}", outcome.exit_code,
                                    LastWords(outcome.err));
      break;
  }
  return reading;
}

std::string ScalarText(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.dump();
}

// A switch given as "on" is reported as true.
bool SameSetting(const std::string& wanted, const Json& reported) {
  if (reported.is_boolean()) {
    const bool on = wanted == "on" || wanted == "true" || wanted == "1";
    return on == reported.get<bool>();
  }
  if (reported.is_null()) return wanted.empty();
  return ScalarText(reported) == wanted;
}

// Asked and ran, where they are not the same.
std::string Mismatch(const Arm& arm, const Json& config) {
  std::string text;
  for (const auto& [key, wanted] : arm.expected) {
    if (!config.contains(key) || SameSetting(wanted, config[key])) continue;
    text +=
        fmt::format("{}{} is {}, {} was asked for", text.empty() ? "" : "; ",
                    key, ScalarText(config[key]), wanted);
  }
  return text;
}

void CheckConfig(const Arm& arm, const Json& config, Reading& reading) {
  reading.config_json =
      config.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::string mismatch = Mismatch(arm, config);
  if (mismatch.empty() || reading.status != "ok") return;
  reading.status = "mismatch";
  reading.message = "the program did not run what was asked for: " + mismatch;
}

void TakeFigures(const Json& record, Reading& reading) {
  for (const KnownMetric& metric : kKnownMetrics) {
    const Json::json_pointer pointer{std::string(metric.pointer)};
    if (!record.contains(pointer) || !record[pointer].is_number()) continue;
    const double value = record[pointer].get<double>() * metric.scale;
    reading.values[std::string(metric.name)].push_back(value);
  }
  const Json use = record.value("use", Json::object());
  const Json messages = record.value("messages", Json());
  const Json voluntary = use.value("voluntary_switches", Json());
  const Json involuntary = use.value("involuntary_switches", Json());
  if (messages.is_number() && messages.get<double>() > 0 &&
      voluntary.is_number() && involuntary.is_number()) {
    reading.values[std::string(kSwitches)].push_back(
        (voluntary.get<double>() + involuntary.get<double>()) /
        messages.get<double>());
  }
}

Reading ReadRecord(const Arm& arm, const LaunchOutcome& outcome) {
  Reading reading = Begin(outcome);
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    const Json record = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!record.is_object() || !record.contains("schema")) continue;
    reading.record = line;
    CheckConfig(arm, record.value("config", Json::object()), reading);
    if (record.value("role", Json()) == "measure" &&
        record.value("status", Json()) == "ok" && reading.status == "ok") {
      TakeFigures(record, reading);
    }
  }
  if (reading.status == "ok" && reading.values.empty()) {
    reading.status = "failed";
    reading.message = "printed no record of a complete run";
  }
  return reading;
}

// The number of a match; nothing when it is none.
std::optional<double> ToNumber(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

const std::regex& TimeLines() {
  static const std::regex pattern(
      R"(^\s*(?:Time|Total time): ([0-9]+\.[0-9]+)(?: \[sec\])?$)");
  return pattern;
}

}  // namespace

struct OutputReader::Pattern {
  std::regex regex;
};

OutputReader::OutputReader() = default;
OutputReader::~OutputReader() = default;
OutputReader::OutputReader(OutputReader&&) noexcept = default;
OutputReader& OutputReader::operator=(OutputReader&&) noexcept = default;

absl::StatusOr<OutputReader> OutputReader::Make(const TextMetric& metric) {
  OutputReader reader;
  reader.metric_ = metric;
  reader.pattern_ = std::make_unique<Pattern>();
  if (metric.regex.empty()) {
    reader.pattern_->regex = TimeLines();
    return reader;
  }
  try {
    reader.pattern_->regex.assign(metric.regex);
  } catch (const std::regex_error& error) {
    return absl::InvalidArgumentError(
        fmt::format("--metric '{}' is no regular expression: {}", metric.regex,
                    error.what()));
  }
  if (reader.pattern_->regex.mark_count() < 1) {
    return absl::InvalidArgumentError(fmt::format(
        "--metric '{}' has no group; put the number into parentheses, as in "
        "'Time: ([0-9.]+)'",
        metric.regex));
  }
  return reader;
}

Reading OutputReader::Read(const Arm& arm, const LaunchOutcome& outcome) const {
  return arm.prints_record ? ReadRecord(arm, outcome) : ReadText(arm, outcome);
}

Reading OutputReader::ReadText(const Arm& arm,
                               const LaunchOutcome& outcome) const {
  Reading reading = Begin(outcome);
  Json config = {{"argv", arm.argv}};
  for (const auto& [key, value] : ConfigOfLines(outcome.out)) {
    config[key] = value;
  }
  CheckConfig(arm, config, reading);
  if (reading.status != "ok") return reading;
  std::vector<double>& values = reading.values[metric_.name];
  if (metric_.name == "wall") {
    values.push_back(static_cast<double>(outcome.elapsed_ns) * kNs);
    return reading;
  }
  for (const std::string* const text : {&outcome.out, &outcome.err}) {
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);) {
      std::smatch match;
      if (line.size() > kLongestLine ||
          !std::regex_search(line, match, pattern_->regex)) {
        continue;
      }
      if (const auto value = ToNumber(match[1].str())) values.push_back(*value);
    }
    // What is on stderr counts only where stdout has nothing.
    if (!values.empty()) return reading;
  }
  reading.values.clear();
  reading.status = "failed";
  reading.message =
      metric_.regex.empty()
          ? "printed no 'Time:' line; give --metric REGEX, or --metric wall"
          : "no line matches --metric";
  return reading;
}

std::vector<StoredMetric> OutputReader::Metrics() const {
  std::vector<StoredMetric> metrics;
  bool is_known = metric_.name == kSwitches;
  for (const KnownMetric& known : kKnownMetrics) {
    // A regular expression may measure what it likes under that name.
    if (known.name == metric_.name && !metric_.regex.empty()) continue;
    is_known |= known.name == metric_.name;
    metrics.push_back({std::string(known.name), std::string(known.unit),
                       std::string(known.better)});
  }
  metrics.push_back({std::string(kSwitches), "switches", "none"});
  if (!is_known) {
    metrics.push_back({metric_.name, metric_.unit, metric_.better});
  }
  return metrics;
}

std::map<std::string, std::string> ConfigOfLines(const std::string& output) {
  static const std::regex running(
      R"(^Running in (process|threaded) mode with (\d+) groups using (\d+) file descriptors each \(== (\d+) tasks\)$)");
  static const std::regex sending(
      R"(^Each sender will pass (\d+) messages of (\d+) bytes$)");
  static const std::regex classic(
      R"(^Running with (\d+)\*(\d+) \(== (\d+)\) tasks\.$)");
  const auto half = [](const std::string& digits) {
    return fmt::format("{}", std::strtoll(digits.c_str(), nullptr, 10) / 2);
  };
  std::map<std::string, std::string> config;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (line.size() > kLongestLine) continue;
    if (std::regex_match(line, match, running)) {
      config["mode"] = match[1] == "threaded" ? "thread" : "process";
      config["groups"] = match[2];
      config["fds"] = half(match[3]);
      config["tasks"] = match[4];
    } else if (std::regex_match(line, match, sending)) {
      config["loops"] = match[1];
      config["datasize"] = match[2];
    } else if (std::regex_match(line, match, classic)) {
      config["groups"] = match[1];
      config["fds"] = half(match[2]);
      config["tasks"] = match[3];
    }
  }
  return config;
}

}  // namespace hackbench::results
